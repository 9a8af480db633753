"use strict";
// What a piece of code declared, read from Lean's environment and from nothing that the code can print:
// each new constant's kind, its kernel type in a canonical form, and the axioms that it rests on.

const { createHash } = require("crypto");

const KINDS = ["axiom", "definition", "theorem", "opaque", "quotient", "inductive", "constructor", "recursor"];
const VALUE_FIELD = { definition: 1, theorem: 1, opaque: 1 }; // where ConstantInfo keeps a body
const CONSTRUCTORS_FIELD = 4; // of an inductive type: {ConstantVal, numParams, numIndices, all, ctors, ...}
const EXPR = { bvar: 0, fvar: 1, mvar: 2, sort: 3, const: 4, app: 5, lam: 6, forallE: 7, letE: 8, lit: 9, mdata: 10, proj: 11 };
const LEVEL = { succ: 1, max: 2, imax: 3, param: 4 };
const ENTRIES = 0; // the ordinary node of a persistent hash map; the other kind holds collisions
const TEXT_LIMIT = 1 << 16; // characters of a type written out; its key has no such limit
const NODE_LIMIT = 1 << 20; // distinct subterms of one type; far beyond what a statement has

// The axioms of Lean's own library. The installed library holds no bodies of theorems, so a library theorem also looks
// like an axiom there: one that came with an import and is not in this list is a theorem or a definition of the library.
const LIBRARY_AXIOMS = new Set([
  "propext",
  "Quot.sound",
  "Classical.choice",
  "sorryAx",
  "Lean.trustCompiler",
  "Lean.ofReduceBool",
  "Lean.ofReduceNat",
]);

// Opaque functions that the kernel runs compiled code for; in Lean's sources they rest on this axiom.
const COMPILED = new Map([
  ["Lean.reduceBool", ["Lean.trustCompiler"]],
  ["Lean.reduceNat", ["Lean.trustCompiler"]],
]);

// Helpers of definitions, which Lean makes and shares: what counts is what they are, not whose they were first.
const HELPER = /(^|\.)(match_\d+|_proof_\d+)$/;

class EnvironmentReader {
  constructor(runtime) {
    this.lean = runtime;
  }

  // Every constant of `env` that `base` does not have, with its kind, canonical type and axioms. Both borrowed.
  // `known` remembers what older constants rest on: `imported` for all states of the same imports, `own` for this base.
  declarations(base, env, known, holes = []) {
    const added = this.addedConstants(base, env);
    const types = new TypeWriter(this.lean, added, new Set(holes));
    const axioms = new AxiomCollector(this.lean, env, added, known);
    const result = [];
    for (const [name, info] of added) {
      const type = types.type(info);
      result.push({ name, kind: info.kind, type: type.text, typeKey: type.key, axioms: axioms.of(name) });
    }
    for (const { info } of added.values()) this.lean.dec(info);
    return result.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  // Give every constant of `env` that `base` does not have to Lean's kernel again, on top of `base`. Both borrowed.
  // Throws what Lean throws when the kernel refuses one.
  replay(base, env) {
    const r = this.lean;
    const pairs = [];
    this.visitAdded(base, env, (name, info) => pairs.push(r.ctor(0, [r.inc(name), r.inc(info)])));
    const equality = r.inc(r.constant("l_Lean_Name_instBEq"));
    const hashing = r.inc(r.constant("l_Lean_instHashableName"));
    const constants = r.owned("l_Std_HashMap_ofList___redArg", equality, hashing, r.list(pairs));
    r.dec(r.io(r.owned("l_Lean_Environment_replay", constants, r.inc(base))));
  }

  // Names of the constants in `env` and not in `base`, as a command added them.
  addedNames(base, env) {
    const names = [];
    this.visitAdded(base, env, (name) => names.push(this.lean.readName(name)));
    return names;
  }

  // Name -> {kind, type, value, levelParams} for constants in `env` and not in `base`; `info` is owned.
  addedConstants(base, env) {
    const r = this.lean;
    const added = new Map();
    this.visitAdded(base, env, (name, info) => {
      const val = r.field(info, 0);
      const constant = r.field(val, 0);
      const kind = KINDS[r.tag(info)];
      added.set(r.readName(name), {
        kind,
        info: r.inc(info),
        levelParams: r.listItems(r.field(constant, 1)).map((param) => r.readName(param)),
        type: r.field(constant, 2),
        value: kind in VALUE_FIELD ? r.field(val, VALUE_FIELD[kind]) : 0,
        constructors: kind === "inductive" ? r.listItems(r.field(val, CONSTRUCTORS_FIELD)).map((c) => r.readName(c)) : [],
      });
    });
    return added;
  }

  // Visit name and info, borrowed, of each constant in `env` and not in `base`.
  visitAdded(base, env, visit) {
    const r = this.lean;
    const [before, after] = [base, env].map((of) => r.owned("l_Lean_Environment_constants", r.inc(of)));
    this.walkDifference(r.field(before, 1), r.field(after, 1), visit); // stage 2: what was declared since the imports
    r.dec(before);
    r.dec(after);
  }

  // Visit what the persistent hash map `after` has and `before` has not. Whatever the two share is the same object,
  // so the walk goes only where they differ.
  walkDifference(before, after, visit) {
    if (before === after) return;
    const r = this.lean;
    if (r.tag(before) === ENTRIES && r.tag(after) === ENTRIES) {
      const olds = r.arrayItems(r.field(before, 0));
      r.arrayItems(r.field(after, 0)).forEach((entry, i) => {
        if (entry === olds[i]) return;
        if (this.isRef(entry) && this.isRef(olds[i])) this.walkDifference(r.field(olds[i], 0), r.field(entry, 0), visit);
        else this.visitUnknown([...this.entryLeaves(olds[i])], this.entryLeaves(entry), visit);
      });
    } else {
      this.visitUnknown([...this.nodeLeaves(before)], this.nodeLeaves(after), visit);
    }
  }

  visitUnknown(before, after, visit) {
    const known = new Set(before.map(([name]) => this.lean.readName(name)));
    for (const [name, info] of after) if (!known.has(this.lean.readName(name))) visit(name, info);
  }

  isRef(entry) {
    return !this.lean.isScalar(entry) && this.lean.tag(entry) === 1;
  }

  *nodeLeaves(node) {
    const r = this.lean;
    if (r.tag(node) === ENTRIES) {
      for (const entry of r.arrayItems(r.field(node, 0))) yield* this.entryLeaves(entry);
    } else {
      const values = r.arrayItems(r.field(node, 1)); // names of equal hash
      for (const [i, name] of r.arrayItems(r.field(node, 0)).entries()) yield [name, values[i]];
    }
  }

  *entryLeaves(entry) {
    if (this.lean.isScalar(entry)) return;
    if (this.isRef(entry)) yield* this.nodeLeaves(this.lean.field(entry, 0));
    else yield [this.lean.field(entry, 0), this.lean.field(entry, 1)];
  }
}

// Kernel types as text without the names of bound variables (de Bruijn indices), binder kinds and annotations, and
// with universe parameters by position. The key is a hash of the same, and of everything that this very code declared
// and the type leads to: equal keys mean equal statements, not just equal names.
class TypeWriter {
  constructor(runtime, added, holes) {
    this.lean = runtime;
    this.added = added;
    this.holes = holes; // names of definitions that count by their types alone
    this.contents = new Map(); // name -> {hash, uses} of a declared constant
  }

  type({ type, levelParams }) {
    const pieces = { written: [], left: TEXT_LIMIT };
    this.write(type, levelParams, pieces);
    const uses = new Set();
    const own = this.hash(type, levelParams, new Map(), uses);
    return { key: this.withDeclared(own, uses), text: pieces.left < 0 ? null : pieces.written.join("") };
  }

  // The hash together with what all declared constants are that can be reached from these names.
  withDeclared(own, uses) {
    if (uses.size === 0) return own;
    const reached = new Set(uses);
    for (const name of reached) this.content(name).uses.forEach((other) => reached.add(other));
    const listed = [...reached].sort().map((name) => `${name.length}:${name}=${this.content(name).hash}`);
    return createHash("sha256").update(`${own}\n${listed.join("\n")}`).digest("hex");
  }

  // What a declared constant is, other declared ones by name: its kind, type, and body where that is part of the meaning.
  content(name) {
    const known = this.contents.get(name);
    if (known) return known;
    const { kind, type, value, levelParams, constructors } = this.added.get(name);
    const uses = new Set(constructors);
    const memo = new Map();
    const hash = createHash("sha256").update(`${kind} ${this.hash(type, levelParams, memo, uses)}`);
    if (kind === "definition" && !this.holes.has(name)) hash.update(this.hash(value, levelParams, memo, uses));
    const content = { hash: hash.digest("hex"), uses };
    this.contents.set(name, content);
    return content;
  }

  // Adds to `uses` the declared constants that the expression mentions.
  hash(expression, levelParams, memo, uses) {
    const known = memo.get(expression);
    if (known) return known;
    if (memo.size > NODE_LIMIT) throw new Error(`a type with more than ${NODE_LIMIT} parts`);
    const parts = this.parts(expression, levelParams);
    if ((parts[0] === "const" || parts[0] === "proj") && this.added.has(parts[1])) {
      if (this.isHelper(parts[1])) parts[1] = this.helper(parts[1], uses);
      else uses.add(parts[1]);
    }
    const hash = createHash("sha256");
    for (const part of parts) {
      if (typeof part === "string") hash.update(`s${part.length}:${part}`);
      else hash.update(this.hash(part, levelParams, memo, uses));
    }
    const key = hash.digest("hex");
    memo.set(expression, key);
    return key;
  }

  isHelper(name) {
    return HELPER.test(name) && ["definition", "theorem"].includes(this.added.get(name).kind);
  }

  // What stands for a helper in place of its name. Adds to `uses` what it mentions itself.
  helper(name, uses) {
    const content = this.content(name);
    content.uses.forEach((other) => uses.add(other));
    return `helper ${content.hash}`;
  }

  write(expression, levelParams, pieces) {
    const put = (piece) => {
      pieces.written.push(piece);
      pieces.left -= piece.length;
    };
    this.parts(expression, levelParams).forEach((part, i) => {
      if (pieces.left < 0) return;
      put(i === 0 ? "(" : " ");
      if (typeof part === "string") put(part);
      else this.write(part, levelParams, pieces);
    });
    put(")");
  }

  // One node of an expression: its kind, then strings and subexpressions. Annotations (mdata) are looked through.
  parts(expression, levelParams) {
    const r = this.lean;
    while (r.tag(expression) === EXPR.mdata) expression = r.field(expression, 1);
    const at = (i) => r.field(expression, i);
    const level = (object) => this.level(object, levelParams);
    switch (r.tag(expression)) {
      case EXPR.bvar:
        return ["#", String(r.readNat(at(0)))];
      case EXPR.sort:
        return ["sort", level(at(0))];
      case EXPR.const:
        return ["const", r.readName(at(0)), r.listItems(at(1)).map(level).join(",")];
      case EXPR.app:
        return ["app", at(0), at(1)];
      case EXPR.lam:
        return ["fun", at(1), at(2)];
      case EXPR.forallE:
        return ["forall", at(1), at(2)];
      case EXPR.letE:
        return ["let", at(1), at(2), at(3)];
      case EXPR.lit: {
        const value = r.field(at(0), 0);
        return r.tag(at(0)) === 0 ? ["nat", String(r.readNat(value))] : ["string", JSON.stringify(r.readString(value))];
      }
      case EXPR.proj:
        return ["proj", r.readName(at(0)), String(r.readNat(at(1))), at(2)];
      default: // free and meta variables do not occur in what the kernel accepted
        throw new Error(`an expression of kind ${r.tag(expression)} in a kernel type`);
    }
  }

  level(object, levelParams) {
    const r = this.lean;
    const at = (i) => this.level(r.field(object, i), levelParams);
    if (r.isScalar(object)) return "0";
    switch (r.tag(object)) {
      case LEVEL.succ:
        return `S${at(0)}`;
      case LEVEL.max:
        return `max(${at(0)},${at(1)})`;
      case LEVEL.imax:
        return `imax(${at(0)},${at(1)})`;
      case LEVEL.param:
        return `u${levelParams.indexOf(r.readName(r.field(object, 0)))}`;
      default:
        return "0";
    }
  }
}

class AxiomCollector {
  constructor(runtime, env, added, known) {
    this.lean = runtime;
    this.env = env;
    this.added = added;
    this.known = known;
    this.uses = new Map();
  }

  // Names of the axioms that a declared constant rests on, sorted: Lean's own, and any that user code declared.
  of(name) {
    const axioms = new Set();
    const seen = new Set([name]);
    for (const next of seen) {
      if (this.added.get(next).kind === "axiom") axioms.add(next);
      const { declared, rests } = this.usesOf(next);
      declared.forEach((other) => seen.add(other));
      rests.forEach((axiom) => axioms.add(axiom));
    }
    return [...axioms].sort();
  }

  // What a declared constant's type and body mention: other declared constants, and axioms by way of older ones.
  usesOf(name) {
    const known = this.uses.get(name);
    if (known) return known;
    const r = this.lean;
    const info = this.added.get(name);
    const result = { declared: new Set(info.constructors), rests: new Set() };
    for (const expression of [info.type, info.value]) {
      if (!expression) continue;
      const used = r.owned("l_Lean_Expr_getUsedConstants", r.inc(expression));
      for (const object of r.arrayItems(used)) {
        const other = r.readName(object);
        if (this.added.has(other)) result.declared.add(other);
        else this.axiomsOfOlder(other, object).forEach((axiom) => result.rests.add(axiom));
      }
      r.dec(used);
    }
    this.uses.set(name, result);
    return result;
  }

  // A constant of the base or the library, by Lean's own collector. `object` is its name, borrowed.
  axiomsOfOlder(name, object) {
    if (LIBRARY_AXIOMS.has(name)) return [name];
    if (COMPILED.has(name)) return COMPILED.get(name);
    const memory = this.isImported(object) ? this.known.imported : this.known.own;
    const known = memory.get(name);
    if (known) return known;
    const r = this.lean;
    const nothing = r.ctor(0, [r.box(1), r.array([])]); // no name visited, no axiom found
    const pair = r.owned("l_Lean_CollectAxioms_collect", r.inc(object), r.inc(this.env), nothing);
    const found = r
      .arrayItems(r.field(r.field(pair, 1), 1))
      .filter((axiom) => LIBRARY_AXIOMS.has(r.readName(axiom)) || !this.isImported(axiom))
      .map((axiom) => r.readName(axiom));
    r.dec(pair);
    memory.set(name, found);
    return found;
  }

  isImported(name) {
    const r = this.lean;
    const index = r.owned("l_Lean_Environment_getModuleIdxFor_x3f", r.inc(this.env), r.inc(name));
    const imported = !r.isScalar(index);
    r.dec(index);
    return imported;
  }
}

module.exports = { EnvironmentReader };
