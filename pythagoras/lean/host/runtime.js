"use strict";
// Lean's objects as JavaScript sees them: the ABI of the 32-bit wasm build, and nothing of what the objects mean.
//
// An object is an address, or a small number n boxed as 2n+1. Behind an address: reference count (4 bytes), then
// size:16, number of object fields:8, tag:8, then 4-byte fields, then scalars. Lean's functions own their arguments
// unless a wrapper says otherwise; `inc` before handing over what shall be used again, `dec` what is done with.

const TAG_CLOSURE = 245;
const TAG_ARRAY = 246;

class LeanRuntime {
  constructor(glue) {
    this.memory = glue.wasmMemory;
    this.table = glue.wasmTable;
    this.symbols = glue.symbols;
    this.functions = new Map();
    this.refreshViews();
    this.decCold = this.fn("lean_dec_ref_cold");
    this.allocObject = this.fn("lean_alloc_object");
    this.mkStringUnchecked = this.fn("lean_mk_string_unchecked");
    this.malloc = this.fn("malloc");
    this.free = this.fn("free");
  }

  // --- symbols ---------------------------------------------------------------------------------

  // The compiled function of that name, callable from here.
  fn(name) {
    let found = this.functions.get(name);
    if (!found) {
      const symbol = this.symbols.find(name);
      if (!symbol || symbol.isData) throw new Error(`Lean has no function ${name}`);
      found = this.table.get(symbol.address);
      this.functions.set(name, found);
    }
    return found;
  }

  call(name, ...args) {
    return this.fn(name)(...args) >>> 0;
  }

  // Call a compiled Lean function that takes all its arguments (objects, scalars boxed), whatever it borrows inside:
  // where a function borrows or takes raw scalars, the compiler made a `___boxed` twin that does not.
  owned(name, ...args) {
    let found = this.functions.get(`${name}/owned`);
    if (!found) {
      found = this.symbols.find(`${name}___boxed`) ? this.fn(`${name}___boxed`) : this.fn(name);
      this.functions.set(`${name}/owned`, found);
    }
    return found(...args) >>> 0;
  }

  // The object that a constant of that name holds, borrowed.
  constant(name) {
    const symbol = this.symbols.find(name);
    if (!symbol || !symbol.isData) throw new Error(`Lean has no constant ${name}`);
    return this.u32(symbol.address);
  }

  // --- memory ----------------------------------------------------------------------------------

  refreshViews() {
    this.buffer = this.memory.buffer;
    this.bytes = new Uint8Array(this.buffer);
    this.words = new Uint32Array(this.buffer);
    this.counts = new Int32Array(this.buffer);
  }

  u32(address) {
    if (this.buffer !== this.memory.buffer) this.refreshViews();
    return this.words[address >>> 2];
  }

  u8(address) {
    if (this.buffer !== this.memory.buffer) this.refreshViews();
    return this.bytes[address];
  }

  // --- objects ---------------------------------------------------------------------------------

  box(number) {
    return ((number << 1) | 1) >>> 0;
  }

  isScalar(object) {
    return (object & 1) === 1;
  }

  unbox(object) {
    return object >>> 1;
  }

  inc(object) {
    if (!this.isScalar(object)) {
      const count = this.u32(object) | 0;
      if (count > 0) this.words[object >>> 2] = count + 1;
      else if (count < 0) Atomics.sub(this.counts, object >>> 2, 1); // shared between threads: counted downward
    }
    return object;
  }

  dec(object) {
    if (this.isScalar(object)) return;
    const count = this.u32(object) | 0;
    if (count > 1) this.words[object >>> 2] = count - 1;
    else if (count !== 0) this.decCold(object);
  }

  tag(object) {
    return this.isScalar(object) ? this.unbox(object) : this.u8(object + 7);
  }

  fieldCount(object) {
    return this.u8(object + 6);
  }

  // Field i, borrowed.
  field(object, i) {
    return this.u32(object + 8 + 4 * i);
  }

  // A scalar byte behind the object fields.
  byte(object, offset) {
    return this.u8(object + 8 + 4 * this.fieldCount(object) + offset);
  }

  ctor(tag, fields, scalars = []) {
    const size = (8 + 4 * fields.length + scalars.length + 7) & ~7;
    const object = this.allocObject(size) >>> 0;
    if (this.buffer !== this.memory.buffer) this.refreshViews();
    const at = object >>> 2;
    this.words[at] = 1;
    this.words[at + 1] = ((size & 0xffff) | (fields.length << 16) | (tag << 24)) >>> 0;
    for (let i = 0; i < fields.length; i++) this.words[at + 2 + i] = fields[i];
    const tail = object + 8 + 4 * fields.length;
    this.bytes.fill(0, tail, object + size);
    for (let i = 0; i < scalars.length; i++) this.bytes[tail + i] = scalars[i];
    return object;
  }

  // A copy of a structure with some fields and scalar bytes replaced. Takes the new fields, borrows the object.
  withFields(object, replacements, bytes = []) {
    const count = this.fieldCount(object);
    const size = this.u32(object + 4) & 0xffff;
    const fields = [];
    for (let i = 0; i < count; i++) fields.push(i in replacements ? replacements[i] : this.inc(this.field(object, i)));
    const scalars = Array.from(this.bytes.subarray(object + 8 + 4 * count, object + size));
    bytes.forEach((byte, i) => (scalars[i] = byte));
    return this.ctor(this.tag(object), fields, scalars);
  }

  // A compiled function with its first arguments given (taken). It is called with objects: name the `___boxed` one.
  closure(name, fixed) {
    const { address } = this.symbols.find(name);
    const size = (16 + 4 * fixed.length + 7) & ~7;
    const object = this.allocObject(size) >>> 0;
    if (this.buffer !== this.memory.buffer) this.refreshViews();
    const at = object >>> 2;
    this.words[at] = 1;
    this.words[at + 1] = ((size & 0xffff) | (TAG_CLOSURE << 24)) >>> 0;
    this.words[at + 2] = address;
    this.words[at + 3] = (this.fn(name).length | (fixed.length << 16)) >>> 0; // arity, arguments given
    fixed.forEach((argument, i) => (this.words[at + 4 + i] = argument));
    return object;
  }

  array(items) {
    const capacity = Math.max(items.length, 1);
    const object = this.allocObject((16 + 4 * capacity + 7) & ~7) >>> 0;
    if (this.buffer !== this.memory.buffer) this.refreshViews();
    const at = object >>> 2;
    this.words[at] = 1;
    this.words[at + 1] = (TAG_ARRAY << 24) >>> 0;
    this.words[at + 2] = items.length;
    this.words[at + 3] = capacity;
    items.forEach((item, i) => (this.words[at + 4 + i] = item));
    return object;
  }

  // The elements of an array, borrowed.
  arrayItems(object) {
    const size = this.u32(object + 8);
    const start = (object + 16) >>> 2;
    return Array.from(this.words.subarray(start, start + size));
  }

  // The elements of a list, borrowed.
  listItems(object) {
    const items = [];
    for (let cell = object; !this.isScalar(cell); cell = this.field(cell, 1)) items.push(this.field(cell, 0));
    return items;
  }

  list(items) {
    return items.reduceRight((tail, head) => this.ctor(1, [head, tail]), this.box(0));
  }

  some(value) {
    return this.ctor(1, [value]);
  }

  string(text) {
    const utf8 = Buffer.from(text, "utf8");
    const place = this.malloc(utf8.length + 1) >>> 0;
    if (place === 0) throw new Error("the memory is full");
    if (this.buffer !== this.memory.buffer) this.refreshViews();
    this.bytes.set(utf8, place);
    this.bytes[place + utf8.length] = 0;
    const characters = [...text].length;
    const object = this.mkStringUnchecked(place, utf8.length, characters) >>> 0;
    this.free(place);
    return object;
  }

  // size (with the closing zero byte), capacity and length in characters stand before the text
  readString(object) {
    const size = this.u32(object + 8);
    return Buffer.from(this.bytes.slice(object + 20, object + 20 + size - 1)).toString("utf8");
  }

  // A natural number as a decimal string (they may be large), or a JavaScript number if it is small.
  readNat(object) {
    if (this.isScalar(object)) return this.unbox(object);
    const text = this.owned("l_Nat_reprFast", this.inc(object));
    const digits = this.readString(text);
    this.dec(text);
    return digits;
  }

  // --- names -----------------------------------------------------------------------------------

  name(parts) {
    return parts.reduce((prefix, part) => this.call("lean_name_mk_string", prefix, this.string(part)), this.box(0));
  }

  // A name as Lean prints it. Different names give different texts: parts that are not plain identifiers are quoted.
  readName(object) {
    const parts = [];
    for (let at = object; !this.isScalar(at); at = this.field(at, 0)) {
      const part = this.field(at, 1);
      parts.push(this.tag(at) === 1 ? quoteNamePart(this.readString(part)) : this.readNat(part));
    }
    return parts.reverse().join(".");
  }

  // --- IO --------------------------------------------------------------------------------------

  // The value of an IO action's result; throws what Lean threw.
  io(result) {
    result = result >>> 0;
    const value = this.inc(this.field(result, 0));
    const failed = this.tag(result) !== 0;
    this.dec(result);
    if (!failed) return value;
    throw new LeanError(value);
  }

  makeRef(value) {
    return this.call("lean_st_mk_ref", value);
  }

  refGet(ref) {
    return this.call("lean_st_ref_get", ref);
  }
}

function quoteNamePart(part) {
  return /^[\p{L}_][\p{L}\p{N}\p{No}_'!?]*$/u.test(part) ? part : `«${part.replaceAll("»", "»»")}»`;
}

// An exception that Lean threw: `object` is Lean's own exception, owned by whoever catches this.
class LeanError extends Error {
  constructor(object) {
    super("Lean threw an exception");
    this.object = object;
  }
}

module.exports = { LeanRuntime, LeanError };
