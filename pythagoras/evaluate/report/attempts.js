"use strict";
// One problem: its statement, and each attempt with Lean's messages at their places.

/** The runs of a chunk with their attempts as they were drawn: a line an attempt, the last one about the runs. */
function runsOf(lines) {
  const attempts = lines.slice(0, -1).sort((a, b) => a.about.numbers[0] - b.about.numbers[0]);
  return lines[lines.length - 1].map((run) => ({ ...run, attempts: attempts.filter(({ about }) => about.run === run.run) }));
}

/** The body of an opened problem. `wanted` is the class of errors that the reader looks for. */
function problemBody(problem, runs, index, wanted) {
  const statement = (problem.context ? problem.context.trimEnd() + "\n\n" : "") + problem.text;
  const parts = [];
  if (problem.informal) parts.push(make("p", { class: "informal" }, problem.informal));
  parts.push(codeFigure("Statement", statement, [], `Statement of ${problem.name}`));
  for (const run of runs) parts.push(runPart(run, index, wanted));
  return parts;
}

function runPart(run, index, wanted) {
  const part = make("section", { class: "run" });
  part.append(make("h4", {}, index.runs.length > 1 ? index.runs[run.run] : "Attempts"));
  if (run.unfit)
    part.append(make("p", { class: "unfit" }, make("strong", {}, "Lean refuses the statement: "), run.unfit));
  const shown = run.attempts.reduce((sum, attempt) => sum + attempt.about.numbers.length, 0);
  const left = Object.values(run.left).reduce((sum, count) => sum + count, 0);
  const different = `${plural(shown + left, "attempt")}, ${grouped(run.attempts.length)} with different Lean ${left ? "shown" : ""}`.trim();
  part.append(make("p", { class: "note" }, shown + left ? `${different}.` : "No attempts."));
  const first = wanted
    ? Math.max(0, run.attempts.findIndex((attempt) => attempt.rounds.some((round) => className(round) === wanted)))
    : 0;
  run.attempts.forEach((attempt, at) => part.append(attemptPart(attempt, index, at === first)));
  if (left) {
    const kinds = Object.entries(run.left).map(([name, count]) => `${grouped(count)} ${name}`);
    part.append(
      make("p", { class: "note" }, `${plural(left, "attempt")} more in the run's folder, not in this page: ${kinds.join(", ")}.`),
    );
  }
  return part;
}

const className = (round) => (round.judged || { class: "no verdict" }).class;

/** An attempt, folded; what is in it is made when it is opened first. */
function attemptPart(attempt, index, open) {
  const { numbers } = attempt.about;
  const { judged } = attempt.rounds[attempt.rounds.length - 1];
  const outcome = judged ? judged.outcome : "";
  const count = numbers.length;
  const tokens = attempt.rounds.reduce((sum, round) => sum + round.facts.generated, 0);
  const summary = make(
    "summary",
    {},
    make("span", { class: `verdict ${outcome || "none"}` }, make("span", { "aria-hidden": "true" }, MARKS[outcome]), " ", OUTCOMES[outcome]),
    make("span", { class: "which" }, `Attempt ${numbers[0] + 1}`, count > 1 ? make("b", { class: "times" }, `×${grouped(count)}`) : null),
    make("span", { class: "why" }, outcome === "proved" ? "" : (judged && judged.class) || "no verdict"),
    make("span", { class: "tokens" }, attempt.rounds.length > 1 ? `${attempt.rounds.length} rounds, ` : "", plural(tokens, "token")),
  );
  const part = make("details", { class: "attempt" }, summary);
  const fill = () => {
    if (part.childElementCount > 1) return;
    if (count > 1)
      part.append(make("p", { class: "note" }, `The same Lean in attempts ${numbers.map((number) => number + 1).join(", ")}; what the first wrote is here.`));
    attempt.rounds.forEach((round, at) => part.append(roundPart(round, at, attempt, index)));
  };
  part.addEventListener("toggle", () => part.open && fill());
  if (open) {
    fill();
    part.open = true;
  }
  return part;
}

function roundPart(round, at, attempt, index) {
  const { judged } = round;
  const name = `attempt ${attempt.about.numbers[0] + 1}` + (attempt.rounds.length > 1 ? `, round ${at + 1}` : "");
  const part = make("div", { class: "round" });
  if (attempt.rounds.length > 1)
    part.append(make("h5", {}, `Round ${at + 1} of ${attempt.rounds.length}: ${judged ? OUTCOMES[judged.outcome].toLowerCase() : "no verdict"}`));
  part.append(factsOf(round, index));
  if (judged && judged.checked)
    part.append(codeFigure("What Lean was asked", judged.checked, judged.remarks, `Lean of ${name}`, judged.length));
  else part.append(make("p", { class: "note" }, "Lean was not asked."));
  if (judged && judged.more) part.append(make("p", { class: "note" }, `${plural(judged.more, "message")} more of Lean's are not in this page.`));
  part.append(writtenPart(round.written, name));
  return part;
}

/** What the sampler wrote, folded; of a very long text the middle is not there. */
function writtenPart({ text, end, length }, name) {
  const left = end === undefined ? 0 : length - text.length - end.length;
  const gap = left ? `… ${plural(left, "character")} left out …` : "";
  const body = left ? [text, make("span", { class: "gap" }, gap), end] : text;
  return make(
    "details",
    { class: "written" },
    make("summary", {}, `What the sampler wrote (${plural(left ? length : text.length, "character")})`),
    make("div", { class: "row" }, copyButton(left ? `${text}\n\n${gap}\n\n${end}` : text, `Copy what the sampler wrote, ${name}`)),
    text.trim() ? make("pre", { class: "text", tabindex: "0", "aria-label": `What the sampler wrote, ${name}` }, body) : make("p", { class: "note" }, "Nothing."),
    left ? make("p", { class: "note" }, `The beginning and the end; ${grouped(left)} of ${plural(length, "character")} between them are not in this page.`) : null,
  );
}

function factsOf({ facts: spent, written, judged }, index) {
  const facts = [];
  if (!judged) facts.push(["Verdict", "none yet: Lean was not asked, or broke down"]);
  else {
    const reason = index.reasons[judged.reason] || judged.reason;
    facts.push(["Verdict", [OUTCOMES[judged.outcome], reason && judged.outcome !== "proved" ? `: ${reason}` : "", judged.detail ? ` (${judged.detail})` : ""]]);
    if (judged.paper !== null && judged.paper !== (judged.outcome === "proved"))
      facts.push(["Paper's rule", judged.paper ? "passes, against the verdict" : "does not pass, against the verdict"]);
    if (judged.axioms.length) facts.push(["Axioms", judged.axioms.join(", ")]);
    facts.push(["Lean", `${judged.lean || "not asked"}${judged.ms ? `, ${grouped(judged.ms)} ms` : ""}`]);
  }
  const cached = spent.cached ? ` (${grouped(spent.cached)} cached)` : "";
  facts.push(["Tokens", `${grouped(spent.prompt)} in${cached}, ${grouped(spent.generated)} out${written.finish === "length" ? ", cut off at the limit" : ""}`]);
  if (spent.ms) facts.push(["Sampler", `${grouped(spent.ms)} ms`]);
  return make("dl", { class: "facts" }, facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}
