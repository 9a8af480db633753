"use strict";
// The stack in Lean's memory (addresses of locals). The build's own has 64 KB and static data right below it, so that a
// deep recursion would overwrite that data and go on. Here it moves to a large block of its own with a canary at the far
// end. V8's stack is meant to run out first: that is an exception, and the host ends.

const STACK_BYTES = 128 << 20; // address space; what is never touched takes no memory
const CANARY_BYTES = 64 << 10;
const CANARY_STEP = 64;
const CANARY = 0x5a5aa5a5;

class ShadowStack {
  constructor(runtime) {
    this.lean = runtime;
    const block = runtime.call("malloc", STACK_BYTES);
    if (block === 0) throw new Error("no memory for the stack");
    this.end = (block + 15) & ~15;
    const base = (block + STACK_BYTES) & ~15;
    runtime.refreshViews();
    for (let at = 0; at < CANARY_BYTES; at += CANARY_STEP) runtime.words[(this.end + at) >>> 2] = CANARY;
    runtime.call("emscripten_stack_set_limits", base, this.end + CANARY_BYTES);
    runtime.call("_emscripten_stack_restore", base);
    this.base = base;
  }

  // Whether the far end is as it was left. Anything else means that memory below it may be damaged too.
  intact() {
    for (let at = 0; at < CANARY_BYTES; at += CANARY_STEP) if (this.lean.u32(this.end + at) !== CANARY) return false;
    return true;
  }
}

module.exports = { ShadowStack };
