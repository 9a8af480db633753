// The corpus: filters, rows by page, statement and proof highlighted. Filters stand in the address behind #corpus.

import { ask } from "./api.js";

const $ = (id) => document.getElementById(id);
const FIELDS = ["text", "tier", "topic", "source", "verified"];
const PAGE = 20;

let corpora = null;
let offset = 0;
let asked = 0;

/** Show the part; `rest` is a corpus's name and filters, as in `train&tier=easy`. */
export async function openCorpus(rest) {
  try {
    if (corpora === null) await start();
    if (corpora.length) await restore(rest);
  } catch (error) {
    tell(error.message);
  }
}

async function start() {
  const found = await ask("/api/corpus");
  corpora = found;
  $("filters").hidden = !corpora.length;
  document.querySelector(".pager").hidden = !corpora.length;
  if (!corpora.length)
    return tell("There is no corpus here. Make one with ", make("code", {}, "pythagoras corpus build embedded -o runs/seed"), ", and start this server with ", make("code", {}, "--corpus runs/seed"), ".");
  $("corpus-name").replaceChildren(...corpora.map(({ name, rows }) => make("option", { value: name }, `${name} (${grouped(rows)})`)));
  let waiting = null;
  for (const field of ["name", ...FIELDS])
    $(`corpus-${field}`).addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => go(0), field === "text" ? 250 : 0);
    });
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    for (const field of FIELDS) $(`corpus-${field}`).value = "";
    go(0);
  });
  $("corpus-before").addEventListener("click", () => go(Math.max(0, offset - PAGE)));
  $("corpus-next").addEventListener("click", () => go(offset + PAGE));
}

/** Change the address: that shows the rows. */
function go(from) {
  const wanted = new URLSearchParams();
  for (const field of FIELDS) if ($(`corpus-${field}`).value) wanted.set(field, $(`corpus-${field}`).value);
  if (from) wanted.set("offset", from);
  const filters = wanted.toString();
  location.hash = `corpus=${encodeURIComponent($("corpus-name").value)}${filters && `&${filters}`}`;
}

async function restore(rest) {
  const [name, ...filters] = rest.split("&");
  const wanted = new URLSearchParams(filters.join("&"));
  const corpus = corpora.find((one) => one.name === decoded(name)) || corpora.reduce((most, one) => (one.rows > most.rows ? one : most));
  $("corpus-name").value = corpus.name;
  fill("tier", corpus.tiers);
  fill("topic", corpus.topics);
  fill("source", corpus.sources);
  $("corpus-verified").disabled = corpus.verified === null;
  for (const field of FIELDS) if ($(`corpus-${field}`).value !== (wanted.get(field) || "")) $(`corpus-${field}`).value = wanted.get(field) || "";
  offset = Math.max(0, Number.parseInt(wanted.get("offset") || "0", 10) || 0);
  if (corpus.error) return tell(corpus.error);
  await rows(corpus);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The values of a field with their counts. */
function fill(field, counts) {
  const options = Object.entries(counts).map(([value, count]) => make("option", { value }, `${value} (${grouped(count)})`));
  $(`corpus-${field}`).replaceChildren(make("option", { value: "" }, "all"), ...options);
}

async function rows(corpus) {
  const wanted = new URLSearchParams({ offset, limit: PAGE });
  for (const field of FIELDS) if ($(`corpus-${field}`).value) wanted.set(field, $(`corpus-${field}`).value);
  const number = ++asked;
  const found = await ask(`/api/corpus/${encodeURIComponent(corpus.name)}/rows?${wanted}`);
  if (number !== asked) return; // the filters have changed since
  $("corpus-count").textContent = `${grouped(found.total)} of ${plural(corpus.rows, "row")}`;
  $("corpus-rows").replaceChildren(...found.rows.map(card));
  const last = Math.min(found.offset + PAGE, found.total);
  $("corpus-page").textContent = found.total ? `${grouped(Math.min(found.offset + 1, last))}–${grouped(last)}` : "";
  $("corpus-before").disabled = found.offset === 0;
  $("corpus-next").disabled = last >= found.total;
}

function card(row) {
  const verified = row.verified === null ? null : make("span", { class: `tag ${row.verified ? "yes" : "no"}` }, row.verified ? "✓ verified" : "not verified");
  const lean = [row.context && `${row.context.trimEnd()}\n`, row.statement && `${row.statement}${row.proof ? ` := ${row.proof}` : ""}`].filter(Boolean).join("\n");
  return make(
    "article",
    { class: "row-card" },
    make("h2", {}, row.name || row.id),
    make("p", { class: "tags" }, [row.tier, row.topic, row.source].filter(Boolean).map((text) => make("span", { class: "tag" }, text)), verified),
    row.informal ? make("p", { class: "informal" }, row.informal) : null,
    lean ? codeFigure(row.proof ? "Statement and proof" : "Statement", lean, [], `Lean of ${row.name}`) : null,
    row.reasoning ? make("details", { class: "written" }, make("summary", {}, "Reasoning"), make("pre", { class: "text", tabindex: "0" }, row.reasoning)) : null,
  );
}

function tell(...children) {
  $("corpus-count").textContent = "";
  $("corpus-page").textContent = "";
  $("corpus-rows").replaceChildren(make("p", { class: "warning-box" }, children));
}
