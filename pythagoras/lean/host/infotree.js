"use strict";
// Goals as the elaborator recorded them: at each `sorry`, and around each tactic. Reads `InfoTree` objects.

const { LeanError } = require("./runtime.js");

const TREE = { context: 0, node: 1 };
const INFO = { tactic: 0, term: 1 };
// Lean 4.28: TacticInfo = {ElabInfo, mctxBefore, goalsBefore, mctxAfter, goalsAfter}; ElabInfo = {elaborator, stx}
const TACTIC = { elab: 0, mctxBefore: 1, goalsBefore: 2, mctxAfter: 3, goalsAfter: 4 };
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
const ORIGINAL = 0; // SourceInfo of what stands in the text; the other kinds are a macro's
const UNPRINTABLE = "<failed to pretty print>"; // the REPL's word for it; readers of its trees look for it
const MOST_NESTED = 200; // tactics deeper than this stand side by side: readers of JSON give up on endless nesting
// Which tactics each kind of tree has, as the REPL chooses them.
const DETAILS = {
  tactics: () => true,
  original: (info) => !info.synthetic,
  substantive: (info) => info.kind !== "" && !STRUCTURAL.has(info.kind),
};

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

  // The tactics in the trees as they ran inside each other, in the REPL's shape; `place` turns an offset into a position.
  nested(trees, detail, place) {
    const keep = DETAILS[detail];
    const r = this.lean;
    const nest = (list, context, depth) => this.treeItems(list, (tree) => within(tree, context, depth));
    const within = (tree, context, depth) => {
      if (r.isScalar(tree)) return [];
      if (r.tag(tree) === TREE.context) return this.withContext(tree, context, (inside, merged) => within(inside, merged, depth));
      if (r.tag(tree) !== TREE.node) return [];
      const info = this.info(r.field(tree, 0));
      if (info?.tag === INFO.tactic) Object.assign(info, this.range(info.syntax));
      if (info?.tag !== INFO.tactic || r.isScalar(context) || !keep(info)) return nest(r.field(tree, 1), context, depth);
      const node = { kind: "TacticInfo", node: this.tacticNode(info, r.field(context, 0), place), children: [] };
      const inside = nest(r.field(tree, 1), context, depth + 1);
      if (depth >= MOST_NESTED) return [node, ...inside];
      node.children = inside;
      return [node];
    };
    return nest(trees, r.box(0), 1);
  }

  tacticNode(info, context, place) {
    return {
      name: info.kind || null,
      stx: {
        pp: this.tacticText(info.syntax, context),
        range: { synthetic: info.synthetic, start: place(info.start), finish: place(info.end) },
      },
      goalsBefore: this.goals(info, context),
      goalsAfter: this.goals(info, context, TACTIC.mctxAfter, TACTIC.goalsAfter),
    };
  }

  // Visits each node of each tree with its merged context, depth first; a visitor that returns false prunes.
  // `context` is an `Option ContextInfo`, borrowed.
  walk(trees, context, visit) {
    this.treeItems(trees, (tree) => this.walkTree(tree, context, visit));
  }

  // What `visit` makes of each tree (borrowed) of a persistent array, flattened.
  treeItems(trees, visit) {
    const r = this.lean;
    const list = r.owned("l_Lean_PersistentArray_toList___redArg", r.inc(trees));
    const results = r.listItems(list).flatMap(visit);
    r.dec(list);
    return results;
  }

  // What `visit` makes of the tree below a context node, with that context merged into the one around it.
  withContext(tree, context, visit) {
    const r = this.lean;
    const inner = r.inc(r.field(tree, 0));
    const merged = r.owned("l_Lean_Elab_PartialContextInfo_mergeIntoOuter_x3f", inner, r.inc(context));
    const result = visit(r.field(tree, 1), merged);
    r.dec(merged);
    return result;
  }

  walkTree(tree, context, visit) {
    const r = this.lean;
    if (r.isScalar(tree)) return;
    if (r.tag(tree) === TREE.context) {
      this.withContext(tree, context, (inside, merged) => this.walkTree(inside, merged, visit));
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
    return { tag, data, kind, syntax, span: this.syntax.span(syntax) };
  }

  // Where syntax stands, a macro's too: {start, end, synthetic}. What stands nowhere is put at the beginning, as in the REPL.
  range(syntax) {
    const r = this.lean;
    const edge = (name) => {
      const found = r.owned(name, r.inc(syntax), r.box(0));
      const offset = r.isScalar(found) ? undefined : r.unbox(r.field(found, 0));
      r.dec(found);
      return offset;
    };
    const start = edge("l_Lean_Syntax_getPos_x3f") ?? 0;
    const head = r.owned("l_Lean_Syntax_getHeadInfo", r.inc(syntax));
    const synthetic = r.isScalar(head) || r.tag(head) !== ORIGINAL;
    r.dec(head);
    return { start, end: edge("l_Lean_Syntax_getTailPos_x3f") ?? start, synthetic };
  }

  goals(info, context, mctx = TACTIC.mctxBefore, goals = TACTIC.goalsBefore) {
    const r = this.lean;
    return r.listItems(r.field(info.data, goals)).map((goal) => this.goalText(context, r.field(info.data, mctx), r.list([r.inc(goal)])));
  }

  // A tactic (borrowed) as Lean's pretty printer writes it. Pieces of syntax that are no tactic by themselves have no print.
  tacticText(syntax, context) {
    const r = this.lean;
    const print = r.closure("l_Lean_PrettyPrinter_ppTactic___boxed", [r.inc(syntax)]);
    try {
      return this.pretty(r.io(r.owned("l_Lean_Elab_ContextInfo_runCoreM___redArg", r.inc(context), print)));
    } catch (error) {
      if (!(error instanceof LeanError)) throw error;
      r.dec(error.object);
      return UNPRINTABLE;
    }
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

module.exports = { InfoTreeReader, DETAILS };
