"use strict";
// Proofs that end at their first error.
//
// Lean goes on behind an error: what failed is taken for granted, the next case is looked at, so that people see all
// that is wrong at once. Where only the verdict counts, that is work for nothing, and most of the work, since provers fail
// more often than not. Inside `first`, Lean does not recover: `by tactics` is elaborated as `by first | tactics | fail`.
//
// Nothing is proved by this that is not proved without: the syntax is changed behind the parser, `fail` always fails,
// and where nothing goes wrong the same tactics do the same.

const NO_PLACE = 2; // SourceInfo.none
const TEMPLATE = "theorem t : True := by first | skip | fail";
const BY = "Lean.Parser.Term.byTactic";
const FIRST = "Lean.Parser.Tactic.first";
const SEQUENCE = "Lean.Parser.Tactic.tacticSeq";
const VALUE = "Lean.Parser.Command.declValSimple";
const IN_THEOREM = [3, 1, 1]; // `:= by tactics`, `by tactics`, `tactics`

class ProofRewriter {
  constructor(runtime, syntax, elaborator) {
    this.lean = runtime;
    this.syntax = syntax;
    this.elaborator = elaborator;
  }

  // The command (taken) with its proof inside of `first`; as it is, unless it is a theorem whose proof is `by` tactics.
  withoutRecovery(command, state) {
    const { syntax } = this;
    const { isTheorem, path: theorem } = syntax.declaration(command);
    if (!isTheorem) return command;
    const path = [...theorem, ...IN_THEOREM];
    const tactics = this.at(command, path);
    const [value, proof] = [path.slice(0, -2), path.slice(0, -1)].map((of) => syntax.nodeKind(this.at(command, of)));
    if (value !== VALUE || proof !== BY || syntax.nodeKind(tactics) !== SEQUENCE) return command;
    const { sequence, hole } = this.template(state);
    const wrapped = this.replaced(sequence, hole, this.lean.inc(tactics));
    const rewritten = this.replaced(command, path, wrapped);
    this.lean.dec(command);
    return rewritten;
  }

  // `first | _ | fail` as a sequence of tactics without places, and where its hole is.
  template(state) {
    if (this.made === undefined) {
      const { lean: r, syntax } = this;
      const input = this.elaborator.input(TEMPLATE);
      const start = r.inc(r.constant("l_Lean_Parser_instInhabitedModuleParserState_default"));
      const { command, next } = this.elaborator.parse(input, state, start);
      const isSequence = (node) => syntax.nodeKind(node) === SEQUENCE;
      const sequence = this.placeless(this.at(command, this.pathTo(command, isSequence)));
      const first = this.pathTo(sequence, (node) => syntax.nodeKind(node) === FIRST);
      const hole = [...first, ...this.pathTo(this.at(sequence, first), isSequence)];
      for (const object of [command, next, input]) r.dec(object);
      r.call("lean_mark_persistent", sequence);
      this.made = { sequence, hole };
    }
    return this.made;
  }

  // --- trees -----------------------------------------------------------------------------------

  // Which arguments lead to the first node, in the order of the text, that a test accepts; undefined without one.
  pathTo(root, accepts) {
    if (accepts(root)) return [];
    for (const [i, child] of this.syntax.args(root).entries()) {
      const rest = this.pathTo(child, accepts);
      if (rest !== undefined) return [i, ...rest];
    }
    return undefined;
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

  // A copy of a tree (borrowed) of nodes and keywords that stands nowhere in a text.
  placeless(root) {
    const r = this.lean;
    if (!this.syntax.isNode(root)) return r.withFields(root, { 0: r.box(NO_PLACE) });
    const args = this.syntax.args(root).map((arg) => this.placeless(arg));
    return r.withFields(root, { 0: r.box(NO_PLACE), 2: r.array(args) });
  }
}

module.exports = { ProofRewriter };
