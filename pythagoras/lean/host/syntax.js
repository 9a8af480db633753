"use strict";
// Where the tactics stand, as Lean's parser sees them. Reads `Syntax` objects; positions are bytes of the text.

const NODE = 1;
const ATOM = 2;
const IDENT = 3;
const ORIGINAL = 0;
const DECLARED_ID = "Lean.Parser.Command.declId";
const BINDERS = new Map([
  ["Lean.Parser.Term.explicitBinder", "explicit"],
  ["Lean.Parser.Term.implicitBinder", "implicit"],
  ["Lean.Parser.Term.strictImplicitBinder", "strict implicit"],
  ["Lean.Parser.Term.instBinder", "instance"],
]);
// Nodes whose elements are tactics: kind -> which argument holds the sequence. Every other argument is a separator.
const SEQUENCES = new Map([
  ["Lean.Parser.Tactic.tacticSeq1Indented", 0],
  ["Lean.Parser.Tactic.tacticSeqBracketed", 1],
  ["Lean.Parser.Tactic.Conv.convSeq1Indented", 0],
  ["Lean.Parser.Tactic.Conv.convSeqBracketed", 1],
]);
// Tactics that are joined instead of listed: kind -> which arguments are tactics.
const JOINED = new Map([["Lean.Parser.Tactic.«tactic_<;>_»", [0, 2]]]);

class SyntaxReader {
  constructor(runtime) {
    this.lean = runtime;
  }

  // Every tactic in `command`, parents before children: {kind, start, end, parent} with `parent` an index or null.
  tactics(command) {
    const found = [];
    this.collect(command, null, found, false);
    return found;
  }

  collect(syntax, parent, found, isTactic) {
    const r = this.lean;
    if (!this.isNode(syntax)) return;
    const kind = this.kind(syntax);
    const args = r.arrayItems(r.field(syntax, 2));
    const joined = JOINED.get(kind);
    if (isTactic) {
      const span = this.span(syntax);
      if (span) {
        found.push({ kind, ...span, parent });
        parent = found.length - 1;
      }
    }
    const sequence = SEQUENCES.get(kind);
    args.forEach((arg, i) => {
      if (i === sequence && this.isNode(arg)) {
        r.arrayItems(r.field(arg, 2)).forEach((item, j) => this.collect(item, parent, found, j % 2 === 0));
      } else {
        this.collect(arg, parent, found, joined?.includes(i) ?? false);
      }
    });
  }

  // What a command declares, as its syntax says: {kind, name, start, end}. The name is as written, without namespace.
  command(command) {
    const { kind, inner } = this.declaration(command);
    return { kind: kind.replace("Lean.Parser.Command.", ""), name: this.declaredName(inner), ...this.span(command) };
  }

  // The declaration inside a command: its kind, its syntax behind the modifiers, those, and the arguments that lead to it.
  declaration(command) {
    const r = this.lean;
    let inner = command;
    let kind = "";
    let modifiers;
    const path = [];
    while (this.isNode(inner)) {
      kind = this.kind(inner);
      const args = r.arrayItems(r.field(inner, 2));
      const isDeclaration = kind === "Lean.Parser.Command.declaration" || kind === "lemma"; // ours: `lemma`
      if (isDeclaration) [modifiers] = args;
      else if (kind !== "Lean.Parser.Command.in") break; // `open ... in`, `set_option ... in`
      path.push(isDeclaration ? 1 : 2);
      inner = args[path.at(-1)];
    }
    if (kind === "group") kind = "theorem";
    return { kind, inner, modifiers, path, isTheorem: kind === "theorem" || kind === "Lean.Parser.Command.theorem" };
  }

  // Where the parts of a theorem stand, as {start, end}: name, binders (with their kind), type, value, docstring. What
  // is not there is undefined; a `value` means that the parser came to the end of the type.
  signature(command) {
    const { inner, modifiers, isTheorem } = this.declaration(command);
    if (!isTheorem) return undefined;
    const [, id, signature, value] = this.args(inner);
    const [binders, type] = this.args(signature);
    const [doc] = this.args(modifiers);
    return {
      name: this.spanOf(this.args(id)[0]),
      binders: this.args(binders).map((binder) => ({ kind: BINDERS.get(this.nodeKind(binder)) ?? "explicit", ...this.span(binder) })),
      type: this.spanOf(this.args(type)[1]),
      value: this.spanOf(value),
      doc: this.spanOf(doc),
    };
  }

  declaredName(declaration) {
    const r = this.lean;
    if (!this.isNode(declaration)) return null;
    const id = r.arrayItems(r.field(declaration, 2)).find((arg) => this.isNode(arg) && this.kind(arg) === DECLARED_ID);
    if (id === undefined) return null;
    const [name] = r.arrayItems(r.field(id, 2)); // missing when the text ends too early
    return name === undefined || r.isScalar(name) || r.tag(name) !== IDENT ? null : r.readName(r.field(name, 2));
  }

  args(syntax) {
    return this.isNode(syntax) ? this.lean.arrayItems(this.lean.field(syntax, 2)) : [];
  }

  nodeKind(syntax) {
    return this.isNode(syntax) ? this.kind(syntax) : "";
  }

  spanOf(syntax) {
    return syntax === undefined ? undefined : this.span(syntax);
  }

  isNode(syntax) {
    return syntax !== undefined && !this.lean.isScalar(syntax) && this.lean.tag(syntax) === NODE;
  }

  kind(node) {
    return this.lean.readName(this.lean.field(node, 1));
  }

  isIdentifier(syntax) {
    return syntax !== undefined && !this.lean.isScalar(syntax) && this.lean.tag(syntax) === IDENT;
  }

  // What an identifier or a keyword says; empty for anything else.
  word(syntax) {
    const r = this.lean;
    if (this.isIdentifier(syntax)) return r.readName(r.field(syntax, 2));
    return syntax !== undefined && !r.isScalar(syntax) && r.tag(syntax) === ATOM ? r.readString(r.field(syntax, 1)) : "";
  }

  // {start, end} of what the user wrote, in bytes; undefined for syntax that stands nowhere in the text.
  span(syntax) {
    const start = this.edge(syntax, true);
    const end = this.edge(syntax, false);
    return start === undefined || end === undefined ? undefined : { start, end };
  }

  edge(syntax, first) {
    const r = this.lean;
    if (r.isScalar(syntax)) return undefined;
    const tag = r.tag(syntax);
    if (tag === ATOM || tag === IDENT) {
      const info = r.field(syntax, 0);
      if (r.isScalar(info) || r.tag(info) !== ORIGINAL) return undefined;
      return r.unbox(r.field(info, first ? 1 : 3));
    }
    if (tag !== NODE) return undefined;
    const args = r.arrayItems(r.field(syntax, 2));
    if (!first) args.reverse();
    for (const arg of args) {
      const found = this.edge(arg, first);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

// Turns byte offsets into what others count in: characters (code points), and Lean's line and column.
class TextPositions {
  constructor(text) {
    this.bytes = Buffer.from(text, "utf8");
    this.lineStarts = [0]; // in bytes
    this.lineCharacters = [0]; // the same places in characters
    let characters = 0;
    for (let i = 0; i < this.bytes.length; i++) {
      if ((this.bytes[i] & 0xc0) !== 0x80) characters++;
      if (this.bytes[i] !== 10) continue;
      this.lineStarts.push(i + 1);
      this.lineCharacters.push(characters);
    }
  }

  characters(from, to) {
    let count = 0;
    for (let i = from; i < to; i++) if ((this.bytes[i] & 0xc0) !== 0x80) count++;
    return count;
  }

  // How many characters stand before that byte.
  character(offset) {
    const line = this.line(offset);
    return this.lineCharacters[line] + this.characters(this.lineStarts[line], offset);
  }

  lineColumn(offset) {
    const line = this.line(offset);
    return { line: line + 1, column: this.characters(this.lineStarts[line], offset) };
  }

  line(offset) {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.lineStarts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  text(start, end) {
    return this.bytes.toString("utf8", start, end);
  }
}

module.exports = { SyntaxReader, TextPositions };
