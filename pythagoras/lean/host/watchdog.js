"use strict";
// Ends an elaboration that runs too long. Lean looks at a cancel token, a `Bool` in a reference cell, whenever it counts
// heartbeats. The main thread is inside Lean then, so a second thread keeps the time and writes the cell: the memory is
// shared. This ends the request only; what never looks at the token is left to the pool, which kills the host.
// The same thread ends the host when the process that started it is gone: the main thread may never look.

const { Worker } = require("worker_threads");

// Words that both threads see. STATE keeps them from being in the cell at the same time.
const STATE = 0;
const TURN = 1; // counts up with each request, to wake the clock
const TIMEOUT_MS = 2;
const [IDLE, ARMED, FIRING] = [0, 1, 2];
const PARENT_MS = 1000; // how often to look after the parent
const TRUE = 3; // boxed
const FALSE = 1;

const CLOCK = `
const { control, memory, cell, parent } = require("worker_threads").workerData;
const words = new Int32Array(control);
let turn = -1;
let deadline = Infinity;
for (;;) {
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  if (Atomics.load(words, ${TURN}) !== turn) {
    turn = Atomics.load(words, ${TURN});
    deadline = Date.now() + Atomics.load(words, ${TIMEOUT_MS});
  }
  const left = Atomics.load(words, ${STATE}) === ${ARMED} ? deadline - Date.now() : Infinity;
  if (left > 0) {
    Atomics.wait(words, ${TURN}, turn, Math.min(left, ${PARENT_MS}));
  } else if (Atomics.compareExchange(words, ${STATE}, ${ARMED}, ${FIRING}) === ${ARMED}) {
    Atomics.store(new Int32Array(memory.buffer), cell >>> 2, ${TRUE});
    Atomics.store(words, ${STATE}, ${IDLE});
  }
}
`;

class Watchdog {
  constructor(runtime) {
    this.lean = runtime;
    this.token = runtime.makeRef(FALSE); // one for all requests: the clock must never write to a cell that was freed
    this.cell = this.token + 8; // a reference cell's only field
    this.words = new Int32Array(new SharedArrayBuffer(12));
    const workerData = { control: this.words.buffer, memory: runtime.memory, cell: this.cell, parent: process.ppid };
    this.worker = new Worker(CLOCK, { eval: true, workerData });
    this.worker.unref();
  }

  // The token, which will be set after that time, borrowed; 0 when there is no limit.
  arm(timeoutMs) {
    this.lean.refreshViews();
    Atomics.store(this.lean.counts, this.cell >>> 2, FALSE);
    if (!timeoutMs) return 0;
    Atomics.store(this.words, TIMEOUT_MS, timeoutMs);
    Atomics.store(this.words, STATE, ARMED);
    Atomics.add(this.words, TURN, 1);
    Atomics.notify(this.words, TURN);
    return this.token;
  }

  // Whether the time was over. Lean may have stopped without a word: it drops an interruption that it meets inside `#eval`.
  disarm() {
    if (Atomics.compareExchange(this.words, STATE, ARMED, IDLE) === ARMED) return false;
    while (Atomics.load(this.words, STATE) === FIRING); // a moment, until the clock has left the cell
    this.lean.refreshViews();
    return Atomics.load(this.lean.counts, this.cell >>> 2) === TRUE;
  }
}

module.exports = { Watchdog };
