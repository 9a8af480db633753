// Runs of evaluations: a table, and a link to the report on each.

import { ask } from "./api.js";

/** Look again each time the part is opened: runs come and grow. */
export async function openRuns() {
  const place = document.getElementById("run-list");
  place.replaceChildren(make("p", { class: "note" }, "Reading the runs …"));
  try {
    const runs = await ask("/api/runs");
    place.replaceChildren(runs.length ? table(runs) : none());
  } catch (error) {
    place.replaceChildren(make("p", { class: "warning-box" }, error.message));
  }
}

function none() {
  return make(
    "p",
    { class: "warning-box" },
    "There are no runs here. Make one with ",
    make("code", {}, "pythagoras eval run corebench -o runs/NAME"),
    ", and start this server with ",
    make("code", {}, "--runs runs"),
    ".",
  );
}

function table(runs) {
  const head = ["Run", "Benchmark", "Solved", "%", "N", "Attempts", "Begun", "Report"];
  const numbers = new Set(["Solved", "%", "N", "Attempts"]);
  return make(
    "div",
    { class: "table" },
    make(
      "table",
      {},
      make("caption", { class: "off-screen" }, "Runs"),
      make("thead", {}, make("tr", {}, head.map((name) => make("th", { scope: "col", class: numbers.has(name) && "number" }, name)))),
      make("tbody", {}, runs.map(row)),
    ),
  );
}

function row(run) {
  const label = make("th", { scope: "row" }, run.label);
  if (run.error) return make("tr", {}, label, make("td", { colspan: 7 }, run.error));
  const share = run.problems ? (100 * run.solved) / run.problems : 0;
  return make(
    "tr",
    {},
    label,
    make("td", {}, run.benchmark, run.chosen ? ` (${run.chosen})` : ""),
    make("td", { class: "number" }, `${grouped(run.solved)}/${grouped(run.problems)}`),
    make("td", { class: "number" }, share.toFixed(1)),
    make("td", { class: "number" }, grouped(run.n)),
    make("td", { class: "number" }, grouped(run.attempts), run.missing ? ` (${grouped(run.missing)} lacking)` : ""),
    make("td", {}, run.started.slice(0, 16).replace("T", " ")),
    make("td", {}, make("a", { href: run.report, "aria-label": `Report on ${run.label}` }, "Report")),
  );
}
