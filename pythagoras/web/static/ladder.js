// The ladder: a picture and a table of what provers solve at which cost; what others report stands apart.

import { ask } from "./api.js";

const SVG = "http://www.w3.org/2000/svg";

export async function openLadder() {
  const place = document.getElementById("ladder-body");
  try {
    const { ladder, reported } = await ask("/api/ladder");
    const benchmarks = [...new Set(ladder.rungs.map((rung) => rung.benchmark))];
    place.replaceChildren(
      make("p", { class: "note" }, `${ladder.title}. pass@N: the share of problems that one of the first N attempts solves, with 95 % intervals.`),
      ...benchmarks.flatMap((name) => benchmarkPart(name, ladder.rungs.filter((rung) => rung.benchmark === name))),
      ...(reported.length ? [reportedPart(reported, new Set(benchmarks))] : []),
      ...(ladder.made.length ? [make("h2", {}, "How it was made"), make("pre", { class: "text made", tabindex: "0" }, ladder.made.join("\n"))] : []),
    );
  } catch (error) {
    place.replaceChildren(make("p", { class: "warning-box" }, error.status === 404 ? how() : error.message));
  }
}

function how() {
  return ["There is no ladder yet. Make one of runs with ", make("code", {}, "pythagoras eval ladder RUN... -o FILE"), ", and start this server with ", make("code", {}, "--ladder FILE"), "."];
}

function benchmarkPart(name, rungs) {
  return [make("h2", {}, name), make("figure", { class: "picture" }, picture(name, rungs), make("figcaption", {}, "A dot for each N, the last one filled, with its interval.")), table(name, rungs)];
}

// --- the picture ----------------------------------------------------------------------------------

function drawn(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) element.append(child);
  return element;
}

/** Rows of dots over a scale of percent. */
function picture(name, rungs) {
  const [left, right, row, top] = [190, 40, 46, 12];
  const width = 860;
  const height = top + row * rungs.length + 34;
  const most = Math.max(0.05, ...rungs.flatMap(({ steps }) => steps.map(({ high }) => high)));
  const step = [0.01, 0.02, 0.05, 0.1, 0.2].find((one) => most / one <= 8) || 0.25;
  const end = Math.min(1, Math.ceil(most / step) * step);
  const x = (share) => left + ((width - left - right) * share) / end;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "img", "aria-label": `pass@N on ${name}; the table below has the numbers` });
  for (let share = 0; share <= end + 1e-9; share += step) {
    svg.append(drawn("line", { x1: x(share), x2: x(share), y1: top, y2: height - 26, class: "grid" }));
    svg.append(drawn("text", { x: x(share), y: height - 8, "text-anchor": "middle", class: "quiet" }, `${Math.round(100 * share)} %`));
  }
  rungs.forEach((rung, at) => {
    const y = top + row * (at + 0.55);
    svg.append(drawn("text", { x: left - 12, y: y + 4, "text-anchor": "end" }, ...visible(shortened(rung.name))));
    const points = rung.steps.filter(({ problems }) => problems);
    if (!points.length) return;
    const shares = points.map(({ solved, problems }) => solved / problems);
    svg.append(drawn("line", { x1: x(Math.min(...shares)), x2: x(Math.max(...shares)), y1: y, y2: y, class: "track" }));
    const last = points[points.length - 1];
    svg.append(drawn("line", { x1: x(last.low), x2: x(last.high), y1: y, y2: y, class: "span" }));
    let free = -Infinity;
    points.forEach((point, index) => {
      const isLast = index === points.length - 1;
      const place = x(shares[index]);
      svg.append(drawn("circle", { cx: place, cy: y, r: isLast ? 6 : 4, class: isLast ? "dot" : "dot small" }));
      if (isLast || place - free > 26) svg.append(drawn("text", { x: place, y: isLast ? y + 20 : y - 10, "text-anchor": "middle", class: "quiet" }, isLast ? `N = ${grouped(point.n)}` : grouped(point.n)));
      if (!isLast && place - free > 26) free = place;
    });
  });
  return svg;
}

const shortened = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text);

// --- tables ---------------------------------------------------------------------------------------

function table(name, rungs) {
  const budgets = [...new Set(rungs.flatMap(({ steps }) => steps.map(({ n }) => n)))].sort((a, b) => a - b);
  const costs = [
    ["Tokens", ({ generated_tokens }) => generated_tokens || null],
    ["ETC a problem", ({ etc }) => etc],
    ["Lean s", ({ lean_seconds }) => lean_seconds],
    ["All s", ({ wall_seconds }) => wall_seconds],
    ["S", ({ score }) => score],
  ];
  const head = ["Rung", "Problems", ...budgets.map((n) => `pass@${grouped(n)}`), ...costs.map(([title]) => title)];
  const body = rungs.map((rung) => {
    const steps = new Map(rung.steps.map((one) => [one.n, one]));
    const problems = rung.steps.length ? grouped(rung.steps[0].problems) : "–";
    return [
      rung.name + (rung.chosen ? ` (${rung.chosen})` : ""),
      problems,
      ...budgets.map((n) => passed(steps.get(n))),
      ...costs.map(([, value]) => number(value(rung))),
    ];
  });
  return tableOf(`What they solve of ${name}, and at which cost`, head, body);
}

function passed(step) {
  if (!step || !step.problems) return "–";
  const share = (100 * step.solved) / step.problems;
  return `${step.short ? "≥ " : ""}${share.toFixed(1)} % (${grouped(step.solved)})`;
}

function number(value) {
  if (value === null || value === undefined) return "–";
  if (value >= 1e6) return value.toExponential(2).replace("e+", "e");
  return value >= 100 ? grouped(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function reportedPart(reported, ours) {
  const elsewhere = reported.some(({ benchmark }) => !ours.has(benchmark));
  const body = reported.map(({ system, benchmark, n, share, table, copied }) => [
    ...[system, benchmark, grouped(n), `${(100 * share).toFixed(1)} %`],
    `${table}${copied ? ", copied there from others" : ", measured there"}`,
  ]);
  return make(
    "section",
    { class: "theirs", "aria-labelledby": "reported-title" },
    make("h2", { id: "reported-title" }, "Reported by others"),
    make("p", { class: "note" }, "As the Pythagoras-Prover paper prints it. Nothing here was measured by us.", elsewhere ? " It is of another benchmark than ours: the numbers can't be compared, they show how far up ladders go." : ""),
    tableOf("Reported by others", ["Prover", "Benchmark", "N", "Solved", "Where in the paper"], body, new Set([0, 1, 4])),
  );
}

function tableOf(caption, head, body, words = new Set([0])) {
  const kind = (at) => ({ class: words.has(at) ? null : "number" });
  return make(
    "div",
    { class: "table" },
    make(
      "table",
      {},
      make("caption", { class: "off-screen" }, caption),
      make("thead", {}, make("tr", {}, head.map((text, at) => make("th", { scope: "col", ...kind(at) }, text)))),
      make("tbody", {}, body.map((cells) => make("tr", {}, cells.map((text, at) => make(at ? "td" : "th", { scope: at ? null : "row", ...kind(at) }, text))))),
    ),
  );
}
