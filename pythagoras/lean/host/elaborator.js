"use strict";
// Lean's front end, one command at a time on the calling thread: parse, elaborate, collect.
//
// The states are Lean's own `Command.State` objects. Nothing here reads the wording of a message.

const { LeanError } = require("./runtime.js");

// Fields of Lean 4.28's structures, by position.
const MESSAGE = { data: 4 };
const STATE = { env: 0, messages: 1, scopes: 2, maxRecDepth: 5, infoState: 8 };
const SCOPE = { opts: 1, currNamespace: 2, openDecls: 3 };
const INPUT = { fileName: 1, fileMap: 2 };
const FIRST_MACRO_SCOPE = 1;
const FILE_NAME = "<input>";

class Elaborator {
  constructor(runtime) {
    this.lean = runtime;
    // `debug.skipKernelTC` puts declarations into the environment that the kernel has not seen; `Elab.async` lets errors
    // come after the command, when nobody waits for them any more.
    this.makeInert("l_Lean_debug_skipKernelTC", ["debug", "skipKernelTC"]);
    this.makeInert("l_Lean_Elab_async", ["Elab", "async"]);
    this.cancelToken = 0; // a `Bool` in a reference cell; watchdog.js sets it from another thread
  }

  // An option is known by the name in its record; under another name, whoever sets it sets nothing.
  makeInert(symbol, parts) {
    const r = this.lean;
    const option = r.constant(symbol);
    const name = r.name([...parts, "isOffHere"]);
    r.call("lean_mark_persistent", name);
    r.refreshViews();
    r.words[(option + 8) >>> 2] = name;
  }

  // --- environments ----------------------------------------------------------------------------

  // A fresh state with these modules imported. Throws Lean's IO error when one is missing.
  importState(modules, mainModule = "Main") {
    const r = this.lean;
    const imports = modules.map((module) => r.ctor(0, [r.name(module.split("."))], [0, 1, 0]));
    const trust = 1024; // the installed library is ours: its theorems are not checked again
    const level = 2; // as an ordinary file sees its imports: plain names, own definitions unfold
    const imported = r.io(
      r.call("l_Lean_importModules", r.array(imports), this.noOptions(), trust, r.array([]), 1, 1, level, r.box(1)),
    );
    const env = r.owned("l_Lean_Environment_setMainModule", imported, r.name([mainModule]));
    r.call("lean_mark_persistent", env);
    const noMessages = r.inc(r.constant("l_Lean_MessageLog_empty"));
    const state = r.call("l_Lean_Elab_Command_mkState", env, noMessages, this.noOptions());
    // The library came without the code that the compiler wants, so an honest `def` that uses, say, `++` on lists would
    // fail to compile. Proofs need no compiled code; here definitions are compiled where it works, and fine where not.
    return this.run("noncomputable section", state, {}).state;
  }

  // Write what `state` (borrowed) declares as a module that can be imported later.
  writeModule(state, fileName) {
    const r = this.lean;
    const writeIR = r.box(1);
    r.dec(r.io(r.owned("l_Lean_writeModule", r.inc(this.env(state)), r.string(fileName), writeIR)));
  }

  // The modules that the text's leading `import` lines name, and where the commands begin.
  parseImports(text) {
    const r = this.lean;
    const input = this.input(text);
    const parsed = r.io(r.owned("l_Lean_Parser_parseHeader", input));
    const rest = r.field(parsed, 1);
    const parserState = r.inc(r.field(rest, 0));
    const messages = this.messages(r.field(rest, 1));
    const imports = r.owned("l_Lean_Elab_headerToImports", r.inc(r.field(parsed, 0)), r.box(1));
    const modules = r.arrayItems(imports).map((entry) => r.readName(r.field(entry, 0)));
    r.dec(imports);
    r.dec(parsed);
    return { modules: [...new Set(modules)], parserState, messages };
  }

  // Where the first command of a text without imports begins: behind blanks and comments, which no command may start with.
  skipSpace(text) {
    const { modules, parserState, messages } = this.parseImports(text);
    if (modules.join() === "Init" && messages.length === 0) return parserState;
    this.lean.dec(parserState);
    return undefined;
  }

  noOptions() {
    return this.lean.inc(this.lean.constant("l_Lean_Options_empty"));
  }

  input(text) {
    const r = this.lean;
    const bytes = Buffer.byteLength(text);
    return r.owned("l_Lean_Parser_mkInputContext___redArg", r.string(text), r.string(FILE_NAME), r.box(0), r.box(bytes));
  }

  // --- running ---------------------------------------------------------------------------------

  // Run the commands of `text` on top of `state` (taken). `visit` sees each command's syntax and the state behind it,
  // borrowed, and its messages; `admit` sees the syntax before that, and ends the run where it says no.
  // `rewrite` makes of a command's syntax (taken) what is elaborated. With `untilError` the run ends behind the first
  // command with an error, and what Lean's elaborator says is not put into words.
  // Returns {state, interrupted}: the state behind the last command, owned by the caller.
  run(text, state, { parserState, admit, visit, wantTrees, untilError = false, rewrite = (command) => command }) {
    const r = this.lean;
    const input = this.input(text);
    parserState ??= r.inc(r.constant("l_Lean_Parser_instInhabitedModuleParserState_default"));
    state = this.cleared(state, wantTrees);
    let interrupted = false;
    for (let done = false; !done && !interrupted; ) {
      const start = r.unbox(r.field(parserState, 0));
      const { command, next, messages } = this.parse(input, state, parserState);
      parserState = next;
      if (admit && !admit(command)) {
        r.dec(command);
        break;
      }
      const fails = () => untilError && hasError(messages);
      if (!fails()) { // else it would be elaborated as far as it was read
        const cell = r.makeRef(state);
        const failure = this.elaborate(rewrite(r.inc(command)), input, start, cell);
        state = r.refGet(cell);
        r.dec(cell);
        interrupted = failure !== 0;
        r.dec(failure || r.box(0));
        messages.push(...this.messages(r.field(state, STATE.messages), { inWords: !untilError }));
      }
      done = r.unbox(r.owned("l_Lean_Parser_isTerminalCommand", r.inc(command))) === 1 || fails();
      visit?.({ command, state, messages });
      r.dec(command);
      state = this.cleared(state, wantTrees);
    }
    r.dec(parserState);
    r.dec(input);
    return { state, interrupted };
  }

  parse(input, state, parserState) {
    const r = this.lean;
    const scope = r.field(r.field(state, STATE.scopes), 0);
    const context = r.ctor(0, [
      r.inc(r.field(state, STATE.env)),
      r.inc(r.field(scope, SCOPE.opts)),
      r.inc(r.field(scope, SCOPE.currNamespace)),
      r.inc(r.field(scope, SCOPE.openDecls)),
    ]);
    const noMessages = r.inc(r.constant("l_Lean_MessageLog_empty"));
    const parsed = r.owned("l_Lean_Parser_parseCommand", r.inc(input), context, parserState, noMessages);
    const rest = r.field(parsed, 1);
    const result = {
      command: r.inc(r.field(parsed, 0)),
      next: r.inc(r.field(rest, 0)),
      messages: this.messages(r.field(rest, 1)),
    };
    r.dec(parsed);
    return result;
  }

  // Elaborate one command (taken); what Lean throws out of it (an interruption) is returned, not thrown.
  elaborate(command, input, start, cell) {
    const r = this.lean;
    const none = r.box(0);
    const context = r.ctor(
      0,
      [
        r.inc(r.field(input, INPUT.fileName)),
        r.inc(r.field(input, INPUT.fileMap)),
        r.box(0), // recursion depth
        r.box(start),
        none, // macro stack
        none, // quotation context
        r.box(FIRST_MACRO_SCOPE),
        none, // reference: Syntax.missing
        none, // snapshot
        this.cancelToken ? r.some(r.inc(this.cancelToken)) : none,
      ],
      [0],
    );
    try {
      r.dec(r.io(r.owned("l_Lean_Elab_Command_elabCommandTopLevel", command, context, r.inc(cell))));
      return 0;
    } catch (error) {
      if (error instanceof LeanError) return error.object;
      throw error;
    }
  }

  // The state without messages and info trees, those of the next command to be recorded or not. Takes the state.
  cleared(state, wantTrees) {
    const r = this.lean;
    if (!this.noTrees) {
      const pristine = r.field(state, STATE.infoState); // the first state seen is one that nothing was elaborated in
      this.noTrees = [0, 1].map((enabled) => r.withFields(pristine, {}, [enabled]));
      for (const info of this.noTrees) r.call("lean_mark_persistent", info);
    }
    const cleared = r.withFields(state, {
      [STATE.messages]: r.inc(r.constant("l_Lean_MessageLog_empty")),
      [STATE.infoState]: r.inc(this.noTrees[wantTrees ? 1 : 0]),
    });
    r.dec(state);
    return cleared;
  }

  // The state (taken) with `base`'s options instead of `limited`'s, unless the code has set options itself.
  withoutLimits(state, limited, base) {
    const r = this.lean;
    if (limited === base) return state;
    const options = (of) => r.field(r.field(r.field(of, STATE.scopes), 0), SCOPE.opts);
    if (options(state) !== options(limited)) return state;
    const scopes = r.field(state, STATE.scopes);
    const scope = r.withFields(r.field(scopes, 0), { [SCOPE.opts]: r.inc(options(base)) });
    const result = r.withFields(state, {
      [STATE.scopes]: r.withFields(scopes, { 0: scope }),
      [STATE.maxRecDepth]: r.inc(r.field(base, STATE.maxRecDepth)),
    });
    r.dec(state);
    return result;
  }

  // --- what a state holds ----------------------------------------------------------------------

  env(state) {
    return this.lean.field(state, STATE.env);
  }

  // The messages of a log (borrowed), as Lean's own JSON has them, in the order of their appearance. Putting them into
  // words takes Lean time, much of it where `grind` tells what it tried; without, there is their severity and Lean's place.
  messages(log, { inWords } = { inWords: true }) {
    const r = this.lean;
    const list = r.owned("l_Lean_MessageLog_toList", r.inc(log));
    const nothing = r.constant("l_Lean_MessageData_nil");
    const messages = r.listItems(list).map((message) => {
      const told = inWords ? r.inc(message) : r.withFields(message, { [MESSAGE.data]: r.inc(nothing) });
      const json = r.owned("l_Lean_Json_compress", r.owned("l_Lean_Message_toJson", told));
      const text = r.readString(json);
      r.dec(json);
      return JSON.parse(text);
    });
    r.dec(list);
    return messages;
  }

  // The info trees of the last command, borrowed.
  infoTrees(state) {
    const r = this.lean;
    const info = r.field(state, STATE.infoState);
    return r.field(info, r.fieldCount(info) - 1);
  }
}

function hasError(messages) {
  return messages.some(({ severity }) => severity === "error");
}

module.exports = { Elaborator };
