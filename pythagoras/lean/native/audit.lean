/-!
What a Lean that does not report on declarations by itself is given to say about them. `audit.py` sends
this text before a submission, one command of the syntax below behind it, and reads the one message that comes of it.

What it relies on. All of this is elaborated before the submission, so nothing that a submission opens, overloads or
makes an instance of changes what it means; the command behind it runs this code as it stands and elaborates no term.
Names carry a random tag in place of `PythagorasAudit`, which a submission can't write down. What is left are programs:
a submission that runs one inside Lean can replace or imitate anything here, so those must have been refused before
(`gate.py`), or be found out by a replay in another process.

It needs `import Lean`, which comes from the header. It is written in few and old names of Lean's library and without
loops of monads, so that many versions of Lean take it, and the embedded one can run it.
-/

namespace PythagorasAudit

/-- Where terms of the constant at hand are in the table: a search tree by hash. -/
inductive Memo where
  | empty
  | entry (hash : Nat) (term : Lean.Expr) (index : Nat) (smaller larger : Memo)

def Memo.find (hash : Nat) (term : Lean.Expr) : Memo → Option Nat
  | .empty => none
  | .entry other found index smaller larger =>
    if other == hash && found == term then some index
    else if other < hash then Memo.find hash term larger else Memo.find hash term smaller

def Memo.insert (hash : Nat) (term : Lean.Expr) (index : Nat) : Memo → Memo
  | .empty => .entry hash term index .empty .empty
  | .entry other found known smaller larger =>
    if other < hash then .entry other found known smaller (Memo.insert hash term index larger)
    else .entry other found known (Memo.insert hash term index smaller) larger

/-- Terms as a table of nodes, shared subterms once: it grows with a term's size and not with its printed length. -/
structure Table where
  nodes : Array Lean.Json := #[]
  seen : Memo := .empty
  /-- Constants that were met and did not come with an import, and those of them that were not looked at yet. -/
  met : Lean.NameSet := {}
  waiting : List Lean.Name := []

instance : Inhabited Table := ⟨{}⟩

def new? (env : Lean.Environment) (name : Lean.Name) : Option Lean.ConstantInfo :=
  Lean.PersistentHashMap.find? (Lean.SMap.map₂ (Lean.Environment.constants env)) name

def meet (env : Lean.Environment) (name : Lean.Name) (table : Table) : Table :=
  match new? env name, Lean.NameSet.contains table.met name with
  | some _, false => { table with met := Lean.NameSet.insert table.met name, waiting := name :: table.waiting }
  | _, _ => table

def meetAll (env : Lean.Environment) : List Lean.Name → Table → Table
  | [], table => table
  | name :: names, table => meetAll env names (meet env name table)

/-- A name by its parts: texts and numbers. -/
def nameJson (name : Lean.Name) : Lean.Json :=
  Lean.Json.arr (parts name)
where
  parts : Lean.Name → Array Lean.Json
    | .anonymous => #[]
    | .str before part => (parts before).push (Lean.Json.str part)
    | .num before part => (parts before).push (Lean.Json.num part)

def namesJson : List Lean.Name → Array Lean.Json → Lean.Json
  | [], done => Lean.Json.arr done
  | name :: names, done => namesJson names (done.push (nameJson name))

/-- The name that is given by its parts, each behind an `s` (a text) or an `n` (a number). -/
def readName : List String → Lean.Name → Lean.Name
  | kind :: part :: parts, before =>
    readName parts (if kind == "n" then .num before (Option.getD (String.toNat? part) 0) else .str before part)
  | _, before => before

def position (name : Lean.Name) : Nat → List Lean.Name → String
  | _, [] => "?"
  | index, other :: others => if other == name then toString index else position name (index + 1) others

def level (parameters : List Lean.Name) : Lean.Level → String
  | .zero => "0"
  | .succ of => "S" ++ level parameters of
  | .max one two => "max(" ++ level parameters one ++ "," ++ level parameters two ++ ")"
  | .imax one two => "imax(" ++ level parameters one ++ "," ++ level parameters two ++ ")"
  | .param name => "u" ++ position name 0 parameters
  | .mvar _ => "?"

def levels (parameters : List Lean.Name) : List Lean.Level → String
  | [] => ""
  | [last] => level parameters last
  | one :: others => level parameters one ++ "," ++ levels parameters others

def add (kind : String) (parts : List Lean.Json) (table : Table) : Nat × Table :=
  let node := Lean.Json.arr (List.toArray (Lean.Json.str kind :: parts))
  (table.nodes.size, { table with nodes := table.nodes.push node })

/-- The node of a term: no names of bound variables, no binder kinds, no annotations, universe parameters by position. -/
partial def node (env : Lean.Environment) (parameters : List Lean.Name) (term : Lean.Expr) (table : Table) :
    Nat × Table :=
  let hash := UInt64.toNat (Lean.Expr.hash term)
  match Memo.find hash term table.seen with
  | some index => (index, table)
  | none =>
    let (index, table) := match term with
      | .mdata _ inner => node env parameters inner table
      | .bvar index => add "#" [Lean.Json.str (toString index)] table
      | .sort of => add "sort" [Lean.Json.str (level parameters of)] table
      | .const name of =>
        add "const" [nameJson name, Lean.Json.str (levels parameters of)] (meet env name table)
      | .app function argument =>
        let (function, table) := node env parameters function table
        let (argument, table) := node env parameters argument table
        add "app" [Lean.Json.num function, Lean.Json.num argument] table
      | .lam _ type body _ =>
        let (type, table) := node env parameters type table
        let (body, table) := node env parameters body table
        add "fun" [Lean.Json.num type, Lean.Json.num body] table
      | .forallE _ type body _ =>
        let (type, table) := node env parameters type table
        let (body, table) := node env parameters body table
        add "forall" [Lean.Json.num type, Lean.Json.num body] table
      | .letE _ type value body _ =>
        let (type, table) := node env parameters type table
        let (value, table) := node env parameters value table
        let (body, table) := node env parameters body table
        add "let" [Lean.Json.num type, Lean.Json.num value, Lean.Json.num body] table
      | .lit (.natVal value) => add "nat" [Lean.Json.str (toString value)] table
      | .lit (.strVal value) => add "string" [Lean.Json.str value] table
      | .proj name index inner =>
        let (inner, table) := node env parameters inner (meet env name table)
        add "proj" [nameJson name, Lean.Json.str (toString index), Lean.Json.num inner] table
      | .fvar _ => add "free" [] table
      | .mvar _ => add "meta" [] table
    (index, { table with seen := Memo.insert hash term index table.seen })

def kind : Lean.ConstantInfo → String
  | .axiomInfo _ => "axiom"
  | .defnInfo _ => "definition"
  | .thmInfo _ => "theorem"
  | .opaqueInfo _ => "opaque"
  | .quotInfo _ => "quotient"
  | .inductInfo _ => "inductive"
  | .ctorInfo _ => "constructor"
  | .recInfo _ => "recursor"

/-- What a constant is: its type, and its body and constructors where they are part of what it means. -/
def content (env : Lean.Environment) (info : Lean.ConstantInfo) (table : Table) : Lean.Json × Table :=
  let parameters := Lean.ConstantInfo.levelParams info
  let (type, table) := node env parameters (Lean.ConstantInfo.type info) { table with seen := .empty }
  let (value, constructors, table) := match info with
    | .defnInfo definition =>
      let (value, table) := node env parameters definition.value table
      (Lean.Json.num value, [], table)
    | .inductInfo type => (Lean.Json.null, type.ctors, meetAll env type.ctors table)
    | _ => (Lean.Json.null, [], table)
  let object := Lean.Json.mkObj [
    ("name", nameJson (Lean.ConstantInfo.name info)),
    ("kind", Lean.Json.str (kind info)),
    ("type", Lean.Json.num type),
    ("value", value),
    ("constructors", namesJson constructors #[])]
  (object, table)

/-- The contents of all that was met, and of what is met on the way. -/
partial def contents (env : Lean.Environment) (done : Array Lean.Json) (table : Table) : Array Lean.Json × Table :=
  match table.waiting with
  | [] => (done, table)
  | name :: names =>
    let table := { table with waiting := names }
    match new? env name with
    | none => contents env done table
    | some info =>
      let (object, table) := content env info table
      contents env (done.push object) table

def requested : List String → List Lean.Name
  | [] => []
  | line :: lines => readName (String.splitOn line "\t") .anonymous :: requested lines

/-- Each new constant of these names with the axioms that it rests on. -/
def targets (env : Lean.Environment) :
    List Lean.Name → Array Lean.Json → Lean.Elab.Command.CommandElabM (Array Lean.Json)
  | [], done => return done
  | name :: names, done => do
    match new? env name with
    | none => targets env names done
    | some _ =>
      let axioms ← Lean.collectAxioms name
      let object := Lean.Json.mkObj [("name", nameJson name), ("axioms", namesJson axioms.toList #[])]
      targets env names (done.push object)

/-- One line of JSON about the names that stand in the lines of a request, in one message. -/
def run : Lean.Elab.Command.CommandElab := fun command => do
  let env ← Lean.getEnv
  let nonce := Option.getD (Lean.Syntax.isStrLit? (Lean.Syntax.getArg command 1)) ""
  let request := Option.getD (Lean.Syntax.isStrLit? (Lean.Syntax.getArg command 2)) ""
  let names := requested (String.splitOn request "\n")
  let targets ← targets env names #[]
  let (constants, table) := contents env #[] (meetAll env names {})
  let result := Lean.Json.mkObj [
    ("nonce", Lean.Json.str nonce),
    ("targets", Lean.Json.arr targets),
    ("constants", Lean.Json.arr constants),
    ("nodes", Lean.Json.arr table.nodes)]
  let start := Option.getD (Lean.Syntax.getPos? command) 0
  let message := Lean.MessageData.ofFormat (Std.Format.text (Lean.Json.compress result))
  let message := Lean.Elab.mkMessageCore (← Lean.getFileName) (← Lean.getFileMap) message .information start start
  modify fun state => { state with messages := Lean.MessageLog.add message state.messages }

end PythagorasAudit

syntax (name := PythagorasAudit.command) "#PythagorasAudit " str str : command

attribute [command_elab PythagorasAudit.command] PythagorasAudit.run
