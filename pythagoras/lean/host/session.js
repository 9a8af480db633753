"use strict";
// The requests: the community REPL's `cmd`/`env`, and what this project asks beyond it. One session a host.
//
// {"cmd": text, "env"?: state}            messages, sorries, and the new state's number, as the REPL answers
//   "allTactics": true                    `tactics`: goals before each tactic, constants used (REPL)
//   "infotree": tactics|original|substantive   `infotree`: tactics inside each other, goals before and after (REPL)
//   "declarations": true                  `declarations`: kind, canonical type, axioms of each new constant
//   "holes": [names]                      definitions whose bodies do not count in the keys of types (with declarations)
//   "refuse": [kinds]                     stop before syntax of these kinds (programs.js): program, option, axiom, sorry;
//                                         `refused` tells of it
//   "replay": true                        `replay`: what the kernel says to all new constants on a clean environment
//   "signatures": true                    where the parts of each theorem stand, in `commands` (with declarations)
//   "spans": true                         `spans`: every tactic's place and kind, nested ones with their parent
//   "untilError": true                    stop at the first error, and put no message but the parser's into words; proofs are
//                                         rewritten for that (proof.js), but not where their tactics or goals are asked for
//   "keep": false                         do not keep the new state; the answer has no `env`
//   "limits": {heartbeats, recDepth, timeoutMs}
// {"compile": text, "module": name, "to": file}   elaborate once and write a module that `import name` finds
// {"drop": [states]}                      forget states; their memory is free again

const { LeanError } = require("./runtime.js");
const { Elaborator } = require("./elaborator.js");
const { EnvironmentReader } = require("./environment.js");
const { ProgramFinder, refusal, shadows } = require("./programs.js");
const { ProofRewriter } = require("./proof.js");
const { InfoTreeReader, DETAILS } = require("./infotree.js");
const { SyntaxReader, TextPositions } = require("./syntax.js");

const MOST_IMPORTS = 6;
const MOST_LIMITS = 16; // states that differ only in their limits, kept for one entry
const MOST_MS = 2 ** 31 - 1;
const SEVERITY = { information: "info", warning: "warning", error: "error" };

class Session {
  constructor(runtime, watchdog, files) {
    this.lean = runtime;
    this.watchdog = watchdog;
    this.files = files;
    this.elaborator = new Elaborator(runtime);
    this.environment = new EnvironmentReader(runtime);
    this.syntax = new SyntaxReader(runtime);
    this.infoTrees = new InfoTreeReader(runtime, this.syntax);
    this.programs = new ProgramFinder(runtime, this.syntax);
    this.proofs = new ProofRewriter(runtime, this.syntax);
    this.states = new Map(); // number -> entry: {state, axioms, limited}
    this.imported = new Map(); // modules -> state behind their import
    this.nextState = 0;
  }

  answer(request) {
    if (typeof request !== "object" || request === null) throw new RequestError("A request is a JSON object.");
    if (typeof request.cmd === "string") return this.command(request);
    if (typeof request.compile === "string") return this.compile(request);
    if (Array.isArray(request.drop)) return this.drop(request.drop);
    const known = ["tactic", "path", "pickleTo", "unpickleEnvFrom", "unpickleProofStateFrom"];
    const asked = known.find((key) => key in request);
    throw new RequestError(
      asked ? `This host does not take '${asked}' requests, only 'cmd'.` : "A request has a 'cmd' (Lean text) and optionally an 'env'.",
    );
  }

  version() {
    const r = this.lean;
    return r.readString(r.constant("l_Lean_versionString"));
  }

  // --- states ----------------------------------------------------------------------------------

  drop(numbers) {
    let dropped = 0;
    for (const number of numbers) {
      const entry = this.states.get(number);
      if (!entry) continue;
      this.release(entry);
      this.states.delete(number);
      dropped++;
    }
    return { dropped };
  }

  release(entry) {
    this.lean.dec(entry.state);
    this.releaseLimited(entry);
  }

  releaseLimited(entry) {
    for (const state of entry.limited.values()) this.lean.dec(state);
    entry.limited.clear();
  }

  keep(state, importedAxioms) {
    const number = this.nextState++;
    this.states.set(number, newEntry(state, importedAxioms));
    return number;
  }

  // Where a request starts: the state it names, or fresh imports (the text's own, or Lean's prelude).
  start(request) {
    if (request.env !== undefined && request.env !== null) {
      const entry = this.states.get(request.env);
      if (!entry) throw new RequestError("Unknown environment.");
      return { entry, messages: [], parserState: this.elaborator.skipSpace(request.cmd) };
    }
    const { modules, parserState, messages } = this.elaborator.parseImports(request.cmd);
    return { entry: this.importEntry(modules), parserState, messages };
  }

  // Imports are never freed, so one host takes only so many different ones; its successor takes the next.
  importEntry(modules) {
    const key = modules.join(" ");
    const known = this.imported.get(key);
    if (known) return known;
    if (this.imported.size >= MOST_IMPORTS) throw new Error(`more than ${MOST_IMPORTS} different lists of imports`);
    try {
      const entry = newEntry(this.elaborator.importState(modules), new Map());
      this.imported.set(key, entry);
      return entry;
    } catch (error) {
      if (error instanceof LeanError) throw new RequestError(this.explain(error));
      throw error;
    }
  }

  // The entry's state with the request's limits as options, borrowed; made once for each combination.
  limited(entry, limits) {
    const options = [];
    if (limits?.heartbeats !== undefined) options.push(`set_option maxHeartbeats ${natural(limits.heartbeats, "heartbeats")}`);
    if (limits?.recDepth !== undefined) options.push(`set_option maxRecDepth ${natural(limits.recDepth, "recDepth")}`);
    if (options.length === 0) return entry.state;
    const text = options.join("\n");
    let state = entry.limited.get(text);
    if (!state) {
      if (entry.limited.size >= MOST_LIMITS) this.releaseLimited(entry);
      state = this.elaborator.run(text, this.lean.inc(entry.state), {}).state;
      entry.limited.set(text, state);
    }
    return state;
  }

  // --- commands --------------------------------------------------------------------------------

  command(request) {
    const cmd = request.cmd.replaceAll("\r\n", "\n"); // as Lean reads files
    request = { ...request, cmd, infotree: infotreeDetail(request.infotree) };
    const { entry, parserState, messages } = this.start(request);
    const base = this.limited(entry, request.limits);
    const record = new Record(this, request, this.elaborator.env(base));
    record.addMessages(messages);

    const timeoutMs = request.limits?.timeoutMs;
    this.elaborator.cancelToken = this.watchdog.arm(timeoutMs === undefined ? 0 : Math.min(natural(timeoutMs, "timeoutMs"), MOST_MS));
    let outcome;
    let timeIsOver;
    try {
      outcome = this.elaborator.run(request.cmd, this.lean.inc(base), {
        parserState,
        wantTrees: record.wantTrees,
        untilError: request.untilError === true,
        rewrite: request.untilError === true && !record.wantTrees ? (command) => this.proofs.withoutRecovery(command) : undefined,
        admit: (command) => record.admit(command),
        visit: (step) => record.add(step),
      });
    } finally {
      timeIsOver = this.watchdog.disarm();
      this.elaborator.cancelToken = 0;
    }

    const reply = record.reply();
    const { axioms } = entry;
    if (outcome.interrupted || timeIsOver) reply.interrupted = true;
    if (request.declarations === true) {
      const [before, after] = [base, outcome.state].map((state) => this.elaborator.env(state));
      reply.declarations = this.environment.declarations(before, after, axioms, request.holes);
    }
    if (request.replay === true) reply.replay = this.replay(this.elaborator.env(base), this.elaborator.env(outcome.state));
    if (request.keep === false) this.lean.dec(outcome.state);
    else reply.env = this.keep(this.elaborator.withoutLimits(outcome.state, base, entry.state), axioms.imported);
    return reply;
  }

  compile({ compile: text, module, to }) {
    const messages = [];
    let state = this.elaborator.importState(["Init"], module);
    // closed terms taken out of a notation's code are not written with it, and the import would miss them
    state = this.elaborator.run("set_option compiler.extract_closed false", state, {}).state;
    state = this.elaborator.run(text, state, { visit: (step) => messages.push(...step.messages) }).state;
    const failed = messages.some((message) => message.severity === "error");
    const unwritable = failed ? "" : this.files.capture(to, (place) => this.elaborator.writeModule(state, place));
    this.lean.dec(state);
    return { messages: messages.map(wireMessage), ...(unwritable ? { unwritable } : {}) };
  }

  // What the kernel says when it gets everything that `after` has and `before` has not once more; empty when it agrees.
  replay(before, after) {
    try {
      this.environment.replay(before, after);
      return "";
    } catch (error) {
      if (error instanceof LeanError) return this.explain(error);
      throw error;
    }
  }

  // What Lean threw, as text: only for people to read.
  explain(error) {
    const r = this.lean;
    const text = r.call("lean_apply_1", r.inc(r.constant("l_IO_Error_instToString")), error.object);
    const message = r.readString(text);
    r.dec(text);
    return message;
  }
}

// What one request's commands said and did, in the shapes of the wire.
class Record {
  constructor(session, request, baseEnv) {
    this.session = session;
    this.request = request;
    this.positions = new TextPositions(request.cmd);
    this.wantTrees = request.allTactics === true || request.infotree !== undefined || request.cmd.includes("sorry");
    this.baseEnv = session.lean.inc(baseEnv);
    this.env = session.lean.inc(baseEnv); // behind the last command
    this.messages = [];
    this.sorries = [];
    this.tactics = [];
    this.infotree = [];
    this.spans = [];
    this.commands = [];
    this.refuses = Array.isArray(request.refuse) ? request.refuse : [];
    this.ranPrograms = false;
    this.changed = false; // what numerals and plain words mean
    this.refused = undefined;
  }

  // Whether the command may be elaborated.
  admit(command) {
    const found = this.session.programs.look(command);
    const brought = [...found.refusals, ...this.computedValue(found.values)];
    this.refused = brought.find(({ kind }) => this.refuses.includes(kind));
    if (this.refused !== undefined) return false;
    this.ranPrograms ||= found.suspect || brought.some(({ kind }) => kind !== "sorry");
    this.changed ||= found.changes;
    return true;
  }

  // A configuration's value whose meaning the text itself may have made, so that code of its own would run, if any.
  computedValue(values) {
    if (values === undefined) return [];
    if (this.changed) return [refusal("program", "a configuration behind instances or notations")];
    const { environment } = this.session;
    const shadowing = values.size > 0 && environment.addedNames(this.baseEnv, this.env).find((name) => shadows(name, values));
    return shadowing ? [refusal("program", `a configuration with ${shadowing}`)] : [];
  }

  add({ command, state, messages }) {
    const { request, session } = this;
    this.addMessages(messages);
    if (this.wantTrees) this.addGoals(session.elaborator.infoTrees(state));
    if (request.spans === true) this.addSpans(session.syntax.tactics(command));
    const env = session.elaborator.env(state);
    if (request.declarations === true) this.addCommand(command, env);
    session.lean.dec(this.env);
    this.env = session.lean.inc(env);
  }

  addMessages(messages) {
    this.messages.push(...messages.map(wireMessage));
  }

  addGoals(trees) {
    const { infoTrees } = this.session;
    for (const found of infoTrees.sorries(trees)) this.sorries.push({ proofState: null, ...this.placed(found) });
    const { allTactics, infotree } = this.request;
    if (infotree) this.infotree.push(...infoTrees.nested(trees, infotree, (offset) => this.positions.lineColumn(offset)));
    if (allTactics !== true) return;
    for (const found of infoTrees.tactics(trees)) {
      this.tactics.push({ tactic: this.positions.text(found.start, found.end), proofState: null, ...this.placed(found) });
    }
  }

  addSpans(spans) {
    const offset = this.spans.length;
    for (const span of spans) {
      this.spans.push({
        ...this.placed(span),
        start: this.positions.character(span.start),
        end: this.positions.character(span.end),
        parent: span.parent === null ? null : span.parent + offset,
      });
    }
  }

  // Which constants each command brought; commands that stand nowhere in the text (its end) are left out.
  addCommand(command, env) {
    const { syntax, environment } = this.session;
    const { kind, name, start, end } = syntax.command(command);
    if (kind !== "eoi" && start !== undefined && end !== undefined) {
      const signature = this.request.signatures === true ? this.signature(command, start) : {};
      this.commands.push({ kind, name, ...this.placed({ start, end }), declares: environment.addedNames(this.env, env), ...signature });
    }
  }

  // A theorem's parts, their places counted in characters; nothing for other commands, or where the parser broke off.
  signature(command, start) {
    const found = this.session.syntax.signature(command);
    if (!found?.name || !found.type || !found.value) return {};
    const { positions } = this;
    const place = (span) => ({ ...span, start: positions.character(span.start), end: positions.character(span.end) });
    const { name, binders, type, value, doc } = found;
    return {
      signature: {
        start: positions.character(start),
        name: place(name),
        binders: binders.map(place),
        type: place(type),
        value: positions.character(value.start),
        doc: doc ? place(doc) : null,
      },
    };
  }

  placed({ start, end, ...rest }) {
    return { ...rest, pos: this.positions.lineColumn(start), endPos: this.positions.lineColumn(end) };
  }

  // The REPL leaves empty lists out.
  reply() {
    this.session.lean.dec(this.env);
    this.session.lean.dec(this.baseEnv);
    const reply = {};
    for (const key of ["messages", "sorries", "tactics", "infotree"]) if (this[key].length > 0) reply[key] = this[key];
    if (this.ranPrograms) reply.programs = true;
    if (this.refused !== undefined) reply.refused = this.refused;
    if (this.request.spans === true) reply.spans = this.spans;
    if (this.request.declarations === true) reply.commands = this.commands;
    return reply;
  }
}

// A state that requests can start from, with what was found out about it.
function newEntry(state, importedAxioms) {
  return { state, axioms: { imported: importedAxioms, own: new Map() }, limited: new Map() };
}

// The request itself is wrong; the host is fine.
class RequestError extends Error {}

// Lean's JSON of a message, in the REPL's shape.
function wireMessage({ severity, pos, endPos, data, kind }) {
  const tag = kind && kind !== "[anonymous]" ? { kind } : {};
  return { severity: SEVERITY[severity] ?? severity, pos, endPos: endPos ?? null, data: data.trim(), ...tag };
}

// Which tactics a tree shall show; undefined when none is wanted.
function infotreeDetail(wanted) {
  if (wanted === undefined || wanted === null || Object.hasOwn(DETAILS, wanted)) return wanted ?? undefined;
  throw new RequestError(`'infotree' is one of ${Object.keys(DETAILS).join(", ")}, not ${wanted}.`);
}

function natural(value, what) {
  if (!Number.isSafeInteger(value) || value < 0) throw new RequestError(`limits.${what} must be a whole number, not ${value}.`);
  return value;
}

module.exports = { Session, RequestError };
