"use strict";
// Which commands bring programs that would run inside this very process while Lean checks: `#eval`, macros, elaborators,
// initializers, attributes that register code. Decided on Lean's own syntax tree, before the command is elaborated.
//
// Commands and attributes are known by what they are allowed to be. Tactics come from Lean's library, and so do terms but
// for plain notations, under names that nobody chooses; so there it is enough to know the few that run what they say. One
// of these is everywhere: `simp (maxSteps := e)` compiles and runs e. So such a value must be written out, and nothing
// that the text declares may have a part in its meaning. Another is `autoParam p e`, which runs e to get a tactic.
//
// Axioms and `sorry` are found here, too: code that runs on a false "proof" may write to any memory of Lean's, and then
// nothing that is read from there later can be believed.

const COMMANDS = new Set(
  [
    "declaration in mutual deriving open export namespace section end variable universe include omit set_option attribute",
    "notation mixfix moduleDoc addDocString genInjectiveTheorems grindPattern",
    "check check_failure print printAxioms printEqns printSig printTacTags reduce synth where version exit eoi",
  ].flatMap((line) => line.split(" ").map((name) => `Lean.Parser.Command.${name}`)),
);
const OTHER_COMMANDS = ["Lean.reduceCmd", "Lean.Parser.commandSeal__", "Lean.Parser.commandUnseal__", "lemma", "null"];
for (const kind of OTHER_COMMANDS) COMMANDS.add(kind);

const DECLARATIONS = new Set(
  "theorem definition abbrev instance example inductive classInductive structure axiom opaque"
    .split(" ")
    .map((name) => `Lean.Parser.Command.${name}`),
);

const ATTRIBUTES = new Set(
  [
    "simp ext congr gcongr refl symm trans norm_cast push_cast grind instance default_instance class coe",
    "reducible semireducible irreducible implicit_reducible instance_reducible match_pattern",
    "inline always_inline macro_inline noinline specialize nospecialize never_extract",
    "elab_as_elim elab_without_expected_type cases_eliminator induction_eliminator recursor",
    "deprecated inherit_doc expose no_expose unbox pp_nodot pp_using_anonymous_constructor spec wf_preprocess",
  ].flatMap((line) => line.split(" ")),
);

const RUNS = new Set([
  "Lean.Parser.Command.unsafe",
  "Lean.Parser.Command.namedName", // a notation that takes the name of another syntax would pass for it here
  "Lean.Parser.Term.unsafe",
  "Lean.Parser.Term.dynamicQuot",
  "Lean.Parser.Term.includeStr",
  "Lean.includeStr",
  "Lean.byElab",
  "Lean.runTac",
  "Lean.Parser.Tactic.runTac",
]);
const OPTIONS = new Set(["Command", "Term", "Tactic", "Tactic.Conv"].map((place) => `Lean.Parser.${place}.set_option`));
const LOOSENING_OPTIONS = /^(debug|compiler|interpreter|doc\.verso)\b|^Elab\.async$/;
const CONFIGURATION = new Set(["Lean.Parser.Tactic.valConfigItem", "Lean.Parser.Tactic.config"]);
// What a configuration's value may be made of; the names of the fields of a structure are no values.
const WRITTEN_OUT = new Set(["null", "num", "str", "scientific", "Lean.Parser.Term.paren", "Lean.Parser.Term.dotIdent"]);
for (const part of ["", "Fields", "Field", "FieldDef"]) WRITTEN_OUT.add(`Lean.Parser.Term.structInst${part}`);
for (const kind of ["Lean.Parser.Term.optEllipsis", "Lean.Parser.Term.app", "«term[_]»"]) WRITTEN_OUT.add(kind);
const FIELD_NAME = "Lean.Parser.Term.structInstLVal";
const VALUES = new Set(["true", "false", "none", "some"]);
const CHANGES_MEANING = new Set(
  "instance openRenaming attribute notation mixfix".split(" ").map((name) => `Lean.Parser.Command.${name}`),
);
const QUOTATION = /(^|\.)(quot|quotSeq|antiquot\w*|tokenWithAntiquot|tokenAntiquot)$/;
// These run compiled code and say so in the axioms; or let code be run that no proof stands behind.
const SUSPECT = new Set([
  "Lean.Parser.Tactic.nativeDecide",
  "Lean.Parser.Tactic.bvDecide",
  "Lean.Parser.Tactic.bvCheck",
]);
const SUSPECT_NAMES = /(^|\.)(native|reduceBool|reduceNat|ofReduceBool|ofReduceNat)$/;
const RUNNING_NAMES = /(^|\.)autoParam$/;
const UNPROVED = new Map([
  ["Lean.Parser.Command.axiom", "axiom"],
  ["Lean.Parser.Command.opaque", "axiom"],
  ["Lean.Parser.Term.sorry", "sorry"],
  ["Lean.Parser.Tactic.tacticSorry", "sorry"],
  ["Lean.Parser.Tactic.tacticAdmit", "sorry"],
  ["Lean.Parser.Tactic.tacticStop_", "sorry"],
]);
const UNPROVED_NAMES = /(^|\.)sorryAx$/;

class ProgramFinder {
  constructor(runtime, syntax) {
    this.lean = runtime;
    this.syntax = syntax;
  }

  // What a command brings: `refusals`, {kind, syntax} of what no judged text may have; `suspect`, whether it may run
  // compiled code; `values`, the words in configurations whose meaning matters (undefined without
  // any); `changes`, whether it may change what numerals and plain words mean from here on.
  look(command) {
    const found = { refusals: [], suspect: false, values: undefined, changes: false };
    this.command(command, found);
    this.walk(command, found);
    return found;
  }

  command(command, found) {
    const { syntax } = this;
    if (!syntax.isNode(command)) return;
    const kind = syntax.kind(command);
    const args = this.args(command);
    if (!COMMANDS.has(kind)) found.refusals.push(refusal("program", kind));
    else if (kind === "Lean.Parser.Command.in") this.command(args[2], found);
    else if (kind === "Lean.Parser.Command.mutual") this.args(args[1]).forEach((inner) => this.command(inner, found));
    else if (kind === "Lean.Parser.Command.declaration") {
      const declared = syntax.isNode(args[1]) ? syntax.kind(args[1]) : "null";
      if (declared !== "null" && !DECLARATIONS.has(declared)) found.refusals.push(refusal("program", declared));
    }
  }

  walk(node, found) {
    if (this.lean.isScalar(node)) return;
    if (this.syntax.isNode(node)) this.node(node, found);
    else if (this.syntax.isIdentifier(node)) this.identifier(this.syntax.word(node), found);
  }

  identifier(name, found) {
    if (SUSPECT_NAMES.test(name)) found.suspect = true;
    if (RUNNING_NAMES.test(name)) found.refusals.push(refusal("program", name));
    if (UNPROVED_NAMES.test(name)) found.refusals.push(refusal("sorry", name));
  }

  node(node, found) {
    const kind = this.syntax.kind(node);
    const args = this.args(node);
    if (SUSPECT.has(kind)) found.suspect = true;
    if (CHANGES_MEANING.has(kind)) found.changes = true;
    if (RUNS.has(kind) || QUOTATION.test(kind)) found.refusals.push(refusal("program", kind));
    if (UNPROVED.has(kind)) found.refusals.push(refusal(UNPROVED.get(kind), kind));
    if (kind === "Lean.Parser.Term.attrInstance") this.attribute(this.firstWord(args[1]), found);
    if (OPTIONS.has(kind) && LOOSENING_OPTIONS.test(this.firstWord(args[1]))) {
      found.refusals.push(refusal("option", this.firstWord(args[1])));
    }
    if (CONFIGURATION.has(kind)) {
      found.values ??= new Set();
      if (!this.isWrittenOut(args[args.length - 2], found.values)) found.refusals.push(refusal("program", kind));
    }
    for (const arg of args) this.walk(arg, found);
  }

  attribute(name, found) {
    if (!ATTRIBUTES.has(name)) found.refusals.push(refusal("program", `@[${name}]`));
    if (name === "instance" || name === "default_instance") found.changes = true;
  }

  // Whether a configuration's value is a literal, or a structure of those; adds its words to `values`.
  isWrittenOut(node, values) {
    const { lean: r, syntax } = this;
    if (node === undefined) return false;
    if (r.isScalar(node)) return true;
    if (syntax.isIdentifier(node)) {
      values.add(syntax.word(node));
      return VALUES.has(syntax.word(node));
    }
    if (!syntax.isNode(node)) return true; // punctuation
    const kind = syntax.kind(node);
    if (kind === FIELD_NAME) return true;
    if (kind === "Lean.Parser.Term.dotIdent") {
      values.add(syntax.word(this.args(node)[1]));
      return true;
    }
    return WRITTEN_OUT.has(kind) && this.args(node).every((arg) => this.isWrittenOut(arg, values));
  }

  // The first word of an attribute or option: `simp` of `simp ↓ high`.
  firstWord(node) {
    if (!this.syntax.isNode(node)) return this.syntax.word(node);
    for (const arg of this.args(node)) {
      const word = this.firstWord(arg);
      if (word) return word;
    }
    return "";
  }

  args(node) {
    return this.syntax.isNode(node) ? this.lean.arrayItems(this.lean.field(node, 2)) : [];
  }
}

function refusal(kind, syntax) {
  return { kind, syntax };
}

// Whether a name that was declared (as Lean prints it) could be meant by one of these words.
function shadows(name, words) {
  return words.has(name.slice(name.lastIndexOf(".") + 1));
}

module.exports = { ProgramFinder, refusal, shadows };
