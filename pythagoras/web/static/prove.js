// Prove: the form, a job followed as it goes, its attempts and what came of it. The job's id stands behind # in the
// address, so a reload goes on with it.

import { Refused, ask, follow } from "./api.js";
import { attemptPart, placeOf, resultPart } from "./attempts.js";

const $ = (id) => document.getElementById(id);
const SYMBOLS = ["ℕ", "ℤ", "ℚ", "∀", "∃", "→", "↔", "∧", "∨", "¬", "≤", "≥", "≠", "∣", "∑", "∈"];
const GROUPS = { easy: "For tactics", search: "For search and model", false: "False", "no Lean": "No Lean" };

let current = null;
let started = false;
let unfolded = false;

/** Show the part; `id` is a job's, or empty. */
export function openProve(id) {
  if (!started) start();
  started = true;
  if (!id && current) history.replaceState(null, "", `#prove=${current.id}`); // a reload shall find it
  else if (id && current?.id !== id) watch(id);
}

function start() {
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  $("theorem").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      $("ask").requestSubmit();
    }
  });
  $("theorem").addEventListener("input", () => ($("fault").hidden = true));
  $("cancel").addEventListener("click", cancel);
  $("unfold").addEventListener("click", () => {
    unfolded = !unfolded;
    $("unfold").setAttribute("aria-pressed", String(unfolded));
    for (const part of $("attempts").children) part.open = unfolded;
  });
  $("symbols").append(
    ...SYMBOLS.map((symbol) => make("button", { type: "button", class: "small symbol", "aria-label": `Insert ${symbol}`, onclick: () => insert(symbol) }, symbol)),
  );
  fillExamples().catch((error) => fault(error.message));
}

function insert(symbol) {
  const area = $("theorem");
  area.setRangeText(symbol, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input"));
  area.focus();
}

async function fillExamples() {
  const examples = await ask("/api/examples");
  const picker = $("example");
  for (const group of new Set(examples.map((one) => one.group))) {
    const options = examples.flatMap((one, at) => (one.group === group ? [make("option", { value: at }, one.title)] : []));
    picker.append(make("optgroup", { label: GROUPS[group] || group }, options));
  }
  picker.addEventListener("input", () => {
    if (picker.value === "") return;
    $("theorem").value = examples[picker.value].theorem;
    $("theorem").dispatchEvent(new Event("input"));
  });
}

// --- asking ---------------------------------------------------------------------------------------

async function submit() {
  const theorem = $("theorem").value;
  if (!theorem.trim()) return fault("Write a theorem, or choose an example.");
  $("fault").hidden = true;
  $("go").disabled = true;
  say("Lean reads the theorem");
  try {
    const body = { theorem, n: $("n").valueAsNumber, timeout: $("timeout").valueAsNumber, all: $("all").checked };
    const { id } = await ask("/api/prove", { method: "POST", body });
    location.hash = `prove=${id}`;
  } catch (error) {
    if (current?.done) $("job").hidden = true; // it is about another theorem
    fault(error.message, error.place, theorem);
  } finally {
    $("go").disabled = false;
  }
}

/** Say what is wrong with the theorem, where it is wrong. */
function fault(message, place = null, theorem = "") {
  const parts = [];
  if (place) {
    parts.push(make("p", {}, "This is no Lean."));
    parts.push(leanBlock(theorem, [["error", place.line, place.column, null, null, place.message]], "The theorem, with Lean's message"));
    const at = placeOf(theorem, place.line, place.column);
    $("theorem").focus();
    $("theorem").setSelectionRange(at, at);
  } else parts.push(make("p", {}, message));
  $("fault").replaceChildren(...parts);
  $("fault").hidden = false;
  say(place ? `This is no Lean, line ${place.line}` : message);
}

async function cancel() {
  if (!current) return;
  $("cancel").disabled = true;
  try {
    await ask(`/api/prove/${encodeURIComponent(current.id)}`, { method: "DELETE" });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}

// --- a job ----------------------------------------------------------------------------------------

class Watched {
  constructor(id) {
    this.id = id;
    this.leaving = new AbortController();
    this.attempts = 0;
    this.rejected = 0;
    this.began = null;
    this.done = false;
    this.ticking = setInterval(() => this.count(), 100);
  }

  leave() {
    clearInterval(this.ticking);
    this.leaving.abort();
  }

  take(name, value) {
    if (name === "running") {
      this.began ??= performance.now();
      state("Running", true);
    } else if (name === "attempt") this.add(value);
    else if (name === "doing") this.doing(value);
    else if (name === "done") this.finish(value);
  }

  add(attempt) {
    this.attempts += 1;
    const isFirst = attempt.outcome !== "proved" && this.rejected++ === 0;
    $("attempts").append(attemptPart(attempt, unfolded || isFirst));
    $("no-attempts").hidden = true;
    $("unfold").hidden = false;
    this.count();
  }

  doing({ doing, ahead }) {
    if (ahead) state(`Waiting: ${plural(ahead, "theorem")} first`, true);
    $("doing").textContent = doing;
  }

  count() {
    const seconds = this.began === null ? 0 : (performance.now() - this.began) / 1000;
    $("counts").textContent = `${plural(this.attempts, "attempt")}, ${seconds.toFixed(1)} s`;
  }

  finish(outcome) {
    this.done = true;
    clearInterval(this.ticking);
    $("cancel").disabled = true;
    $("doing").textContent = "";
    const [words, part] = resultPart(outcome);
    state(words, false);
    $("counts").textContent = `${plural(outcome.attempts, "attempt")} (${grouped(outcome.distinct)} different), ${grouped(outcome.generated_tokens)} tokens, ${outcome.seconds.toFixed(1)} s, of Lean ${outcome.lean_seconds.toFixed(1)} s`;
    $("result").replaceChildren(part);
    $("no-attempts").hidden = this.attempts > 0;
    $("no-attempts").textContent = "None.";
  }
}

function state(words, busy) {
  if ($("state").textContent !== words) $("state").textContent = words;
  $("state").classList.toggle("busy", busy);
}

/** Follow a job from its beginning: it may be under way, or done. */
async function watch(id) {
  current?.leave();
  const watched = (current = new Watched(id));
  const path = `/api/prove/${encodeURIComponent(id)}`;
  $("result").replaceChildren();
  $("attempts").replaceChildren();
  $("no-attempts").hidden = false;
  $("no-attempts").textContent = "None yet.";
  $("unfold").hidden = true;
  $("job").hidden = false;
  state("Waiting", true);
  try {
    const told = await ask(path);
    if (current !== watched) return;
    $("theorem").value = told.theorem;
    $("n").value = told.n;
    $("timeout").value = told.timeout;
    $("all").checked = told.all;
    $("cancel").disabled = told.state === "done";
    if (told.state !== "waiting") watched.began = performance.now() - 1000 * told.seconds;
    const signal = watched.leaving.signal;
    const onBreak = (broken) => ($("doing").textContent = broken ? "the connection broke: trying again" : "");
    await follow(`${path}/events`, (name, value) => current === watched && watched.take(name, value), { signal, onBreak });
  } catch (error) {
    if (current !== watched || error.name === "AbortError") return;
    watched.leave();
    $("cancel").disabled = true;
    $("job").hidden = error.status === 404;
    state("Not known how it goes on", false);
    $("counts").textContent = "";
    fault(error.status === 404 ? "This job is not kept any more: prove the theorem again." : error.message);
  }
}
