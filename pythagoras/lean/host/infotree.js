"use strict";
// Goals as the elaborator recorded them: at each `sorry`, and before each tactic. Reads `InfoTree` objects.

const TREE = { context: 0, node: 1 };
const INFO = { tactic: 0, term: 1 };
// Lean 4.28: TacticInfo = {ElabInfo, mctxBefore, goalsBefore, mctxAfter, goalsAfter}; ElabInfo = {elaborator, stx}
const TACTIC = { elab: 0, mctxBefore: 1, goalsBefore: 2, mctxAfter: 3 };
const TERM = { lctx: 1, expectedType: 2 };
// CommandContextInfo = {env, cmdEnv?, fileMap, mctx, options, currNamespace, openDecls, ngen}
const CONTEXT_MCTX = 3;
const STRUCTURAL = new Set([
  "null",
  "cdot",
  "cdotTk",
  "Lean.cdot",
  "Lean.cdotTk",
  "Lean.Parser.Term.byTactic",
  "Lean.Parser.Tactic.tacticSeq",
  "Lean.Parser.Tactic.tacticSeq1Indented",
  "Lean.Parser.Tactic.«tactic_<;>_»",
  "Lean.Parser.Tactic.paren",
]);
const SORRY_TACTIC = "Lean.Parser.Tactic.tacticSorry";
const SORRY_TERM = "Lean.Parser.Term.sorry";

class InfoTreeReader {
  constructor(runtime, syntax) {
    this.lean = runtime;
    this.syntax = syntax;
  }

  // `sorry` tactics and terms in the trees: {goal, start, end}.
  sorries(trees) {
    const found = [];
    this.walk(trees, this.lean.box(0), (info, context) => {
      if (info.kind === SORRY_TACTIC && info.tag === INFO.tactic) {
        const goals = this.goals(info, context);
        if (goals.length > 0) found.push({ goal: goals[0], ...info.span });
        return false;
      }
      if (info.kind === SORRY_TERM && info.tag === INFO.term) {
        const goal = this.expectedType(info, context);
        if (goal !== undefined) found.push({ goal, ...info.span });
      }
      return true;
    });
    return found;
  }

  // Every tactic that the user wrote, with the goals before it: {goals, start, end, usedConstants}.
  tactics(trees) {
    const found = [];
    const seen = new Set();
    this.walk(trees, this.lean.box(0), (info, context) => {
      if (info.tag === INFO.tactic && info.span && info.kind !== "" && !STRUCTURAL.has(info.kind)) {
        const goals = this.goals(info, context).join("\n\n");
        const place = `${info.span.start} ${info.span.end} ${goals}`; // a macro's expansion stands in its own place
        if (!seen.has(place)) found.push({ goals, ...info.span, usedConstants: this.usedConstants(info) });
        seen.add(place);
      }
      return true;
    });
    return found;
  }

  // Visits each node of each tree with its merged context, depth first; a visitor that returns false prunes.
  // `context` is an `Option ContextInfo`, borrowed.
  walk(trees, context, visit) {
    const r = this.lean;
    const list = r.owned("l_Lean_PersistentArray_toList___redArg", r.inc(trees));
    for (const tree of r.listItems(list)) this.walkTree(tree, context, visit);
    r.dec(list);
  }

  walkTree(tree, context, visit) {
    const r = this.lean;
    if (r.isScalar(tree)) return;
    if (r.tag(tree) === TREE.context) {
      const inner = r.inc(r.field(tree, 0));
      const merged = r.owned("l_Lean_Elab_PartialContextInfo_mergeIntoOuter_x3f", inner, r.inc(context));
      this.walkTree(r.field(tree, 1), merged, visit);
      r.dec(merged);
    } else if (r.tag(tree) === TREE.node) {
      const info = this.info(r.field(tree, 0));
      if (info && !r.isScalar(context) && !visit(info, r.field(context, 0))) return;
      this.walk(r.field(tree, 1), context, visit);
    }
  }

  info(object) {
    const r = this.lean;
    const tag = r.tag(object);
    if (tag !== INFO.tactic && tag !== INFO.term) return undefined;
    const data = r.field(object, 0);
    const syntax = r.field(r.field(data, TACTIC.elab), 1);
    const kind = this.syntax.isNode(syntax) ? this.syntax.kind(syntax) : "";
    return { tag, data, kind, span: this.syntax.span(syntax) };
  }

  goals(info, context) {
    const r = this.lean;
    const goals = r.listItems(r.field(info.data, TACTIC.goalsBefore));
    return goals.map((goal) => this.goalText(context, r.field(info.data, TACTIC.mctxBefore), r.list([r.inc(goal)])));
  }

  // Lean's own print of goals (taken) under another metavariable context (borrowed).
  goalText(context, mctx, goals) {
    const r = this.lean;
    const command = r.withFields(r.field(context, 0), { [CONTEXT_MCTX]: r.inc(mctx) });
    const there = r.withFields(context, { 0: command });
    const format = r.io(r.owned("l_Lean_Elab_ContextInfo_ppGoals", there, goals));
    return this.pretty(format);
  }

  pretty(format) {
    const r = this.lean;
    const width = 120;
    const text = r.owned("l_Std_Format_pretty", format, r.box(width), r.box(0), r.box(0));
    const result = r.readString(text).trim();
    r.dec(text);
    return result;
  }

  // The goal that a `sorry` term stands for: its expected type in its local context, printed as a goal of its own.
  expectedType(info, context) {
    const r = this.lean;
    const expected = r.field(info.data, TERM.expectedType);
    if (r.isScalar(expected)) return undefined;
    const goal = r.name(["_sorry"]);
    const mctx = r.owned(
      "l_Lean_MetavarContext_addExprMVarDecl",
      r.inc(r.field(r.field(context, 0), CONTEXT_MCTX)),
      r.inc(goal),
      r.box(0), // no user name
      r.inc(r.field(info.data, TERM.lctx)),
      r.array([]), // no local instances
      r.inc(r.field(expected, 0)),
      r.box(0), // natural
      r.box(0),
    );
    const text = this.goalText(context, mctx, r.list([goal]));
    r.dec(mctx);
    return text;
  }

  // Names of the constants in what the tactic assigned to its goals.
  usedConstants(info) {
    const r = this.lean;
    const names = new Set();
    for (const goal of r.listItems(r.field(info.data, TACTIC.goalsBefore))) {
      const mctx = r.inc(r.field(info.data, TACTIC.mctxAfter));
      const assigned = r.owned("l_Lean_MetavarContext_getExprAssignmentCore_x3f", mctx, r.inc(goal));
      if (!r.isScalar(assigned)) {
        const used = r.owned("l_Lean_Expr_getUsedConstants", r.inc(r.field(assigned, 0)));
        for (const name of r.arrayItems(used)) names.add(r.readName(name));
        r.dec(used);
      }
      r.dec(assigned);
    }
    return [...names].sort();
  }
}

module.exports = { InfoTreeReader };
