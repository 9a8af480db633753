"use strict";
// Lean to look at: highlighted, with line numbers and a button that copies, and Lean's messages at their places.

const MARKS = { proved: "✓", rejected: "✗", timeout: "◷", "": "?" };
const OUTCOMES = { proved: "Proved", rejected: "Rejected", timeout: "Timeout", "": "No verdict" };

/** Lean with highlighting, line numbers and remarks. A remark is [severity, line, column, end line, end column, text]. */
function leanBlock(text, remarks, label) {
  const lines = linesOf(leanPieces(text));
  const marks = new Map();
  const below = new Map();
  const outside = [];
  for (const remark of remarks) {
    const [severity, line, column, endLine, endColumn] = remark;
    if (line < 1 || line > lines.length) {
      outside.push(remark);
      continue;
    }
    if (!below.has(line)) below.set(line, []);
    below.get(line).push(remark);
    const last = endLine === null ? line : Math.min(Math.max(endLine, line), lines.length);
    for (let at = line; at <= last; at++) {
      const whole = lineText(lines[at - 1]);
      const start = at === line ? units(whole, column) : whole.length - whole.trimStart().length;
      const end = at === last && endColumn !== null ? units(whole, endColumn) : whole.length;
      if (!marks.has(at)) marks.set(at, []);
      marks.get(at).push([start, Math.max(end, at === line ? start + 1 : start), severity]);
    }
  }
  const block = make("div", { class: "lean", role: "group", "aria-label": label, tabindex: "0" });
  lines.forEach((line, index) => {
    const number = index + 1;
    const touched = marks.get(number) || [];
    const worst = touched.some(([, , severity]) => severity === "error") ? "error" : touched.length ? "warning" : "";
    block.append(
      make(
        "div",
        { class: `line ${worst && `has-${worst}`}`, "data-line": number },
        make("code", {}, marked(line, touched)),
      ),
    );
    for (const remark of below.get(number) || []) block.append(message(remark));
  });
  for (const remark of outside) block.append(message(remark, " (outside of the text)"));
  return block;
}

function message([severity, line, column, , , text], where = "") {
  return make(
    "div",
    { class: `message ${severity}` },
    make("div", { class: "message-place" }, `${severity}, line ${line}, column ${column}${where}`),
    make("pre", {}, text),
  );
}

/** Pieces line by line. */
function linesOf(pieces) {
  const lines = [[]];
  for (const [kind, piece] of pieces)
    piece.split("\n").forEach((part, index) => {
      if (index) lines.push([]);
      if (part) lines[lines.length - 1].push([kind, part]);
    });
  return lines;
}

const lineText = (line) => line.map(([, part]) => part).join("");

/** Lean counts characters, JavaScript halves of some of them. */
const units = (text, column) => Array.from(text).slice(0, Math.max(column, 0)).join("").length;

/** A line's pieces as elements, cut where marks begin and end. */
function marked(line, marks) {
  const cuts = marks.flatMap(([start, end]) => [start, end]);
  const nodes = [];
  let at = 0;
  for (const [kind, part] of line) {
    const end = at + part.length;
    const inside = [...new Set([at, end, ...cuts.filter((cut) => cut > at && cut < end)])].sort((a, b) => a - b);
    for (let index = 0; index + 1 < inside.length; index++) {
      const [from, to] = [inside[index], inside[index + 1]];
      const severities = marks.filter(([start, stop]) => start <= from && to <= stop).map(([, , severity]) => severity);
      const text = part.slice(from - at, to - at);
      const word = kind === "plain" || kind === "sign" ? text : make("span", { class: `lean-${kind}` }, text);
      if (!severities.length) nodes.push(word);
      else nodes.push(make("mark", { class: severities.includes("error") ? "error" : "warning" }, word));
    }
    at = end;
  }
  if (marks.some(([start]) => start >= at)) nodes.push(make("mark", { class: "error" }, " ")); // behind the line's end
  return nodes;
}

/** Lean under a title. `length` is that of the whole text, where it is cut. */
function codeFigure(title, text, remarks, label, length) {
  return make(
    "figure",
    { class: "code" },
    make("figcaption", {}, make("span", {}, title), copyButton(text, `Copy: ${label}`)),
    leanBlock(text, remarks, label),
    length ? make("p", { class: "note" }, `The first ${grouped(text.length)} of ${grouped(length)} characters.`) : null,
  );
}
