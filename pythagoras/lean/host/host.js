"use strict";
// A persistent Lean process: one JSON request a line on standard input, one JSON answer a line on another descriptor.
// usage: node --stack-size=KB host.js FOLDER MEMORY_MB DESCRIPTOR      FOLDER: lean.js, lean.wasm, symbols.bin, lib/
//
// The loop is synchronous on purpose: returning to Node's event loop between requests made Lean hang now and then.
// Answers have a descriptor of their own because Lean's build prints debugging lines, and because what checked code
// prints must never be taken for an answer.

const fs = require("fs");
const path = require("path");

const INPUT = 0;
const PAGE = 65536;
const THREADS = 2; // for Lean's tasks; elaboration itself stays on the main thread
const INITIAL_MB = 256;
const NOISE = /^\[DEBUG:|^LLVM Profile|^ {2}(- \/lean\/|mainModule\? = )/; // this build was left talking to itself

const folder = path.resolve(process.argv[2]);
const memoryMb = Number(process.argv[3]);
const answers = Number(process.argv[4]);

console.log = () => {}; // some of it on standard output

globalThis.__leanModule = {
  noInitialRun: true,
  pthreadPoolSize: THREADS,
  wasmMemory: new WebAssembly.Memory({
    initial: (Math.min(INITIAL_MB, memoryMb) * 1048576) / PAGE,
    maximum: Math.min((memoryMb * 1048576) / PAGE, 32768),
    shared: true,
  }),
  locateFile: (name) => path.join(folder, name),
  stdin: () => null, // checked code that reads gets the end of the file, not the next request
  print: () => {},
  printErr: (line) => NOISE.test(line) || fs.writeSync(2, `${line}\n`),
  onRuntimeInitialized: () => serve(startLean(globalThis.__leanGlue())),
};
require(path.join(folder, "lean.js"));

function startLean(glue) {
  const { LeanRuntime } = require("./runtime.js");
  const { Session } = require("./session.js");
  const { Watchdog } = require("./watchdog.js");
  const { Files } = require("./files.js");
  const { ShadowStack } = require("./stack.js");
  const files = new Files(glue.FS, glue.NODEFS, folder);
  const lean = new LeanRuntime(glue);
  const stack = new ShadowStack(lean);
  lean.call("lean_initialize");
  lean.call("lean_init_task_manager_using", 1);
  lean.call("lean_enable_initializer_execution");
  const headers = lean.list([lean.string("/lean/headers")]);
  lean.io(lean.owned("l_Lean_initSearchPath", lean.string("/lean"), headers));
  lean.call("lean_io_mark_end_initialization");
  return { session: new Session(lean, new Watchdog(lean), files), stack };
}

function serve({ session, stack }) {
  send({ ready: true, version: session.version() });
  for (const line of requestLines()) {
    const answer = reply(session, line);
    send(stack.intact() ? answer : { id: answer.id, message: "the stack of Lean overflowed", broken: true });
  }
  process.exit(0);
}

function reply(session, line) {
  const { RequestError } = require("./session.js");
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    return { message: `Could not parse JSON: ${error.message}` };
  }
  const id = request?.id === undefined ? {} : { id: request.id };
  try {
    return { ...id, ...session.answer(request) };
  } catch (error) {
    if (error instanceof RequestError) return { ...id, message: error.message };
    // Anything else (the stack is full, the memory is full, Lean aborted) leaves Lean in an unknown state.
    const ended = error?.name === "ExitStatus" ? "; it ran out of memory or of stack, or called exit" : "";
    return { ...id, message: `${error?.message || error?.name || error}${ended}`, broken: true };
  }
}

function* requestLines() {
  const chunk = Buffer.alloc(1 << 16);
  let pending = [];
  for (;;) {
    const size = readSome(chunk);
    if (size === 0) return;
    let from = 0;
    for (;;) {
      const newline = chunk.subarray(0, size).indexOf(10, from);
      if (newline < 0) break;
      pending.push(Buffer.from(chunk.subarray(from, newline)));
      const line = Buffer.concat(pending).toString("utf8");
      pending = [];
      from = newline + 1;
      if (line.trim() !== "") yield line;
    }
    if (from < size) pending.push(Buffer.from(chunk.subarray(from, size)));
  }
}

function readSome(chunk) {
  for (;;) {
    try {
      return fs.readSync(INPUT, chunk, 0, chunk.length);
    } catch (error) {
      if (error.code === "EOF") return 0;
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function send(answer) {
  const line = Buffer.from(`${JSON.stringify(answer)}\n`);
  for (let written = 0; written < line.length; ) {
    try {
      written += fs.writeSync(answers, line, written);
    } catch (error) {
      if (error.code === "EPIPE") process.exit(0);
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
