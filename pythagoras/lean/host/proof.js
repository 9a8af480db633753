"use strict";
// Proofs that end at their first error.
//
// Lean goes on behind an error: what failed is taken for granted, the next case is looked at, so that people see all
// that is wrong at once. Where only the verdict counts, that is work for nothing, and most of the work, since provers fail
// more often than not. Inside `first`, Lean does not recover: `by tactics` is elaborated as `by first | tactics | fail`.
//
// That must not change what is proved. `fail` always fails. But there are tactics (`any_goals`, `repeat'`) that go on
// when what is inside of them throws, and so forget an error that would have been reported and stayed. So this is done
// only where every tactic of a proof is one of those that are known to fail when a part of them fails, or, like `try`,
// to switch recovery off themselves. Other proofs are elaborated as they are.

const NODE = 1;
const ATOM = 2;
const NO_PLACE = 2; // SourceInfo.none
const BY = "Lean.Parser.Term.byTactic";
const SEQUENCE = "Lean.Parser.Tactic.tacticSeq";
const VALUE = "Lean.Parser.Command.declValSimple";
const IN_THEOREM = [3, 1, 1]; // `:= by tactics`, `by tactics`, `tactics`
const EVERYWHERE = "Lean.Parser.Tactic.locationWildcard"; // `at *` tries hypotheses, and goes on where it fails
const PLAIN = new Set([
  ..."apply assumption case cases change clear constructor contradiction decide dsimp exact exfalso first generalize grind"
    .concat(" induction intro left match obtain omega paren rcases refine revert right rintro rwSeq show simp simpAll simpa")
    .concat(" split subst tacticHave__ tacticLet__ tacticRfl tacticSuffices_ tacticTrivial tacticTry_ unfold")
    .split(" ")
    .map((name) => `Lean.Parser.Tactic.${name}`),
  "Lean.Parser.Tactic.«tacticNext_=>_»",
  "Lean.Parser.Tactic.«tactic_<;>_»",
  "Lean.calcTactic",
  "Lean.cdot",
  "«tacticBy_cases_:_»",
]);

class ProofRewriter {
  constructor(runtime, syntax) {
    this.lean = runtime;
    this.syntax = syntax;
  }

  // The command (taken) with its proof inside of `first`; as it is, unless it is a theorem by plain tactics.
  withoutRecovery(command) {
    const { syntax } = this;
    const { isTheorem, path } = syntax.declaration(command);
    if (!isTheorem) return command;
    const toTactics = [...path, ...IN_THEOREM];
    const kinds = [1, 2, 3].map((depth) => syntax.nodeKind(this.at(command, toTactics.slice(0, path.length + depth))));
    const tactics = this.at(command, toTactics);
    if (kinds.join() !== [VALUE, BY, SEQUENCE].join() || !this.isPlain(tactics)) return command;
    const rewritten = this.replaced(command, toTactics, this.firstOf(this.lean.inc(tactics)));
    this.lean.dec(command);
    return rewritten;
  }

  isPlain(tactics) {
    return this.syntax.tactics(tactics).every(({ kind }) => PLAIN.has(kind)) && !this.has(tactics, EVERYWHERE);
  }

  has(root, kind) {
    return this.syntax.nodeKind(root) === kind || this.syntax.args(root).some((arg) => this.has(arg, kind));
  }

  at(root, path) {
    return path.reduce((node, i) => this.syntax.args(node)[i], root);
  }

  // A copy of the tree (borrowed) with another node (taken) at a path.
  replaced(root, path, node) {
    if (path.length === 0) return node;
    const r = this.lean;
    const [i, ...rest] = path;
    const args = this.syntax.args(root).map((arg, j) => (i === j ? this.replaced(arg, rest, node) : r.inc(arg)));
    return r.withFields(root, { 2: r.array(args) });
  }

  // `first | tactics | fail` as a sequence, around a sequence (taken). What is new stands nowhere in the text.
  firstOf(tactics) {
    const fail = this.sequence(this.node("Lean.Parser.Tactic.fail", [this.word("fail"), this.node("null", [])]));
    const alternatives = [tactics, fail].map((one) => this.node("group", [this.word("|"), one]));
    return this.sequence(this.node("Lean.Parser.Tactic.first", [this.word("first"), this.node("null", alternatives)]));
  }

  sequence(tactic) {
    return this.node(SEQUENCE, [this.node("Lean.Parser.Tactic.tacticSeq1Indented", [this.node("null", [tactic])])]);
  }

  node(kind, args) {
    const r = this.lean;
    return r.ctor(NODE, [r.box(NO_PLACE), r.name(kind.split(".")), r.array(args)]);
  }

  word(text) {
    const r = this.lean;
    return r.ctor(ATOM, [r.box(NO_PLACE), r.string(text)]);
  }
}

module.exports = { ProofRewriter };
