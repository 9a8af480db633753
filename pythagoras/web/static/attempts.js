// One attempt, and what came of a job, as elements. Every text of Lean's or of a prover's becomes a text node.

/** Where a line and a column (in characters) stand in a text, as JavaScript counts. */
export function placeOf(text, line, column) {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return before + Array.from(lines[line - 1] || "").slice(0, column).join("").length;
}

/** An attempt, folded or not; what is in it is made when it is opened first. */
export function attemptPart(attempt, open) {
  const outcome = attempt.outcome || "";
  const part = make(
    "details",
    { class: `attempt ${outcome}` },
    make(
      "summary",
      {},
      make("span", { class: `verdict ${outcome || "none"}` }, make("span", { "aria-hidden": "true" }, MARKS[outcome]), " ", OUTCOMES[outcome]),
      make("span", { class: "which", title: attempt.by }, attempt.by),
      make("span", { class: "why" }, make("code", {}, firstLine(attempt.proof) || "–"), outcome === "proved" ? null : make("span", {}, reasonOf(attempt))),
      make("span", { class: "tokens" }, attempt.generated_tokens ? `${plural(attempt.generated_tokens, "token")}, ` : "", `${attempt.seconds.toFixed(1)} s`),
    ),
  );
  const fill = () => part.childElementCount > 1 || part.append(...bodyOf(attempt));
  part.addEventListener("toggle", () => part.open && fill());
  if (open) {
    fill();
    part.open = true;
  }
  return part;
}

function reasonOf(attempt) {
  return attempt.detail ? `${attempt.why}: ${attempt.detail}` : attempt.why;
}

function firstLine(proof) {
  const lines = proof.trim().split("\n").map((line) => line.trim());
  const shown = lines[0] === "by" && lines.length > 1 ? `by ${lines[1]}` : lines[0];
  return lines.length > (lines[0] === "by" ? 2 : 1) ? `${shown} …` : shown;
}

function bodyOf(attempt) {
  const name = `attempt ${attempt.number + 1}`;
  const parts = [];
  if (attempt.checked !== null) {
    const remarks = attempt.messages.map((one) => [one.severity, one.line, one.column, one.end_line, one.end_column, one.text]);
    parts.push(codeFigure(`What Lean was asked, ${name}`, attempt.checked, remarks, `Lean of ${name}`));
  } else if (attempt.proof) parts.push(codeFigure(`The proof, ${name}; Lean was not asked`, attempt.proof, [], `Proof of ${name}`));
  if (attempt.outcome !== "proved" && !attempt.messages.length) parts.push(make("p", { class: "note" }, `${reasonOf(attempt)}.`));
  if (attempt.left_out) parts.push(make("p", { class: "note" }, "Some of it is too long to be shown."));
  return parts;
}

// --- the end --------------------------------------------------------------------------------------

const ENDS = {
  proved: ["Proved", "good"],
  refuted: ["False", "bad"],
  exhausted: ["Not proved", ""],
  "out of time": ["Out of time", ""],
  cancelled: ["Cancelled", ""],
  refused: ["Lean refuses the statement", "bad"],
  failed: ["It could not be tried", "bad"],
};

/** What came of a job: in two words, and as an element. */
export function resultPart(outcome) {
  const [words, mood] = ENDS[outcome.ended];
  const part = make("section", { class: `banner ${mood}`, "aria-label": "What came of it" });
  const tell = (text) => part.append(make("p", {}, text));
  if (outcome.theorem) {
    part.append(make("h2", {}, "✓ Proved, and Lean has taken it"));
    tell(`By ${outcome.by}, attempt ${outcome.number + 1}.${outcome.ended === "cancelled" ? " Then it was cancelled." : ""}`);
    part.append(codeFigure("Theorem and proof", outcome.theorem, [], "The proof"));
  } else if (outcome.ended === "refuted") {
    part.append(make("h2", {}, "✗ It is false"));
    tell(`A counterexample, which Lean has confirmed: ${valuesOf(outcome.counterexample)}.`);
    if (outcome.disproof) part.append(codeFigure("The opposite, proved", outcome.disproof, [], "The disproof"));
  } else {
    part.append(make("h2", {}, words));
    if (outcome.detail) tell(outcome.detail);
    else if (outcome.ended === "exhausted") tell("All attempts were made, and none holds. That does not say that the theorem is false.");
    else if (outcome.ended === "out of time") tell("None of the attempts so far holds. Give it more seconds, or more attempts.");
    else if (outcome.ended === "cancelled") tell("It was ended before a proof was found.");
    if (outcome.counterexample) tell(`By calculation it is false for ${valuesOf(outcome.counterexample)}; Lean has not confirmed that.`);
  }
  for (const complaint of outcome.complaints) tell(complaint);
  return [words, part];
}

const valuesOf = (values) => Object.entries(values || {}).map(([name, value]) => `${name} = ${value}`).join(", ");
