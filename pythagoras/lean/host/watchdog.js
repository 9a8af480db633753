"use strict";
// Ends an elaboration that runs too long. Lean looks at a cancel token, a `Bool` in a reference cell, whenever it counts
// heartbeats. The main thread is inside Lean then, so a second thread keeps the time and writes the cell: the memory is
// shared. This ends the request only; what never looks at the token is left to the pool, which kills the host.
// The same thread ends the host when the process that started it is gone: the main thread may never look.

const { Worker } = require("worker_threads");

const DEADLINE = 0; // milliseconds since the start, 0: none
const CELL = 1; // where the token's value stands
const GENERATION = 2;
const PARENT_MS = 1000; // how often to look after the parent

const CLOCK = `
const { workerData } = require("worker_threads");
const { control, memory, started, parent } = workerData;
const words = new Int32Array(control);
for (;;) {
  const generation = Atomics.load(words, ${GENERATION});
  const deadline = Atomics.load(words, ${DEADLINE});
  const left = deadline === 0 ? ${PARENT_MS} : deadline - (Date.now() - started);
  if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
  if (left > 0) { Atomics.wait(words, ${GENERATION}, generation, Math.min(left, ${PARENT_MS})); continue; }
  Atomics.store(new Int32Array(memory.buffer), Atomics.load(words, ${CELL}) >>> 2, 3); // boxed true
  Atomics.store(words, ${DEADLINE}, 0);
}
`;

class Watchdog {
  constructor(runtime) {
    this.lean = runtime;
    this.started = Date.now();
    this.words = new Int32Array(new SharedArrayBuffer(12));
    this.token = 0;
    const workerData = { control: this.words.buffer, memory: runtime.memory, started: this.started, parent: process.ppid };
    this.worker = new Worker(CLOCK, { eval: true, workerData });
    this.worker.unref();
  }

  // A fresh token that will be set after that time, borrowed; 0 when there is no limit.
  arm(timeoutMs) {
    if (!timeoutMs) return 0;
    this.token = this.lean.makeRef(this.lean.box(0));
    Atomics.store(this.words, CELL, this.token + 8); // a reference cell's only field
    this.set(Date.now() - this.started + timeoutMs);
    return this.token;
  }

  disarm() {
    if (!this.token) return;
    this.set(0);
    this.lean.dec(this.token);
    this.token = 0;
  }

  set(deadline) {
    Atomics.store(this.words, DEADLINE, deadline);
    Atomics.add(this.words, GENERATION, 1);
    Atomics.notify(this.words, GENERATION);
  }
}

module.exports = { Watchdog };
