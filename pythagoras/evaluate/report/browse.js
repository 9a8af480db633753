"use strict";
// The page at work: list of problems, filters, and the address (#problem=NAME) of the one that is open.

const $ = (id) => document.getElementById(id);
const SIGNS = { solved: "✓", unsolved: "✗", unfit: "⊘", "not tried": "–" };

class Browser {
  constructor(index) {
    this.index = index;
    this.byKey = new Map(index.problems.map((problem, at) => [problem.key, at]));
    this.list = $("problem-list");
    this.detail = $("problem-detail");
    this.empty = [...this.detail.childNodes];
    this.rows = index.problems.map((problem, at) => this.row(problem, at));
    this.words = index.problems.map((problem) => `${problem.name}\n${problem.text}\n${problem.informal}\n${problem.context}`.toLowerCase());
    this.shown = index.problems.map((_, at) => at);
    this.active = 0;
    this.opened = null;
    this.list.replaceChildren(...this.rows);
    this.fillChoices();
    for (const id of ["search", "outcome", "domain", "class", "run", "sort"]) $(id).addEventListener("input", () => this.filter());
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("filters").addEventListener("reset", () => setTimeout(() => this.filter()));
    this.list.addEventListener("keydown", (event) => this.keys(event));
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.opened !== null && !event.defaultPrevented) this.close();
    });
    addEventListener("hashchange", () => this.follow());
    this.filter();
    this.follow();
  }

  // --- the list ---

  row(problem, at) {
    const told = problem.runs.filter(Boolean);
    const rates = problem.runs.map((run, number) =>
      run &&
      make(
        "span",
        { class: "rate", title: this.index.runs[number] },
        make("span", { class: `sign ${run.outcome.replace(" ", "-")}`, "aria-hidden": "true" }, SIGNS[run.outcome]),
        make("span", { class: "off-screen" }, `${this.index.runs.length > 1 ? this.index.runs[number] + ": " : ""}${run.outcome}, `),
        run.outcome === "unfit" ? "unfit" : run.outcome === "not tried" ? "not tried" : `${grouped(run.proved)}/${grouped(run.drawn)}`,
      ),
    );
    const link = make(
      "a",
      { href: "#problem=" + encodeURIComponent(problem.key), tabindex: "-1" },
      make("span", { class: "name" }, problem.key),
      make("span", { class: "domain" }, problem.domain),
      make("span", { class: "rates" }, rates),
    );
    link.addEventListener("focus", () => this.activate(at, false));
    return make("li", { class: told.some((run) => run.outcome === "solved") ? "any-solved" : "" }, link);
  }

  fillChoices() {
    const { problems, runs } = this.index;
    const count = (values) => values.reduce((map, value) => map.set(value, (map.get(value) || 0) + 1), new Map());
    const domains = count(problems.map((problem) => problem.domain));
    const classes = count(problems.flatMap((problem) => [...new Set(problem.runs.filter(Boolean).flatMap((run) => run.classes))]));
    const choices = (select, entries) =>
      $(select).append(...entries.map(([value, text]) => make("option", { value }, text)));
    const sorted = (map) => [...map].sort((a, b) => b[1] - a[1]).map(([name, number]) => [name, `${name || "(none)"} (${grouped(number)})`]);
    choices("domain", sorted(domains));
    choices("class", sorted(classes));
    choices("run", runs.map((label, at) => [String(at), label]));
    $("run").closest("label").hidden = runs.length < 2;
    for (const option of $("outcome").querySelectorAll("[data-several]")) if (runs.length < 2) option.remove();
  }

  filter() {
    const terms = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const [outcome, domain, error, run] = ["outcome", "domain", "class", "run"].map((id) => $(id).value);
    const { problems } = this.index;
    const fits = (problem, at) => {
      const runs = (run === "" ? problem.runs : [problem.runs[Number(run)]]).filter(Boolean);
      return (
        runs.length > 0 &&
        (domain === "" || problem.domain === domain) &&
        (error === "" || runs.some((told) => told.classes.includes(error))) &&
        hasOutcome(runs, outcome) &&
        terms.every((term) => this.words[at].includes(term))
      );
    };
    this.shown = problems.map((_, at) => at).filter((at) => fits(problems[at], at));
    const share = (problem) => {
      const runs = problem.runs.filter(Boolean);
      return runs.reduce((sum, told) => sum + told.proved, 0) / Math.max(1, runs.reduce((sum, told) => sum + told.drawn, 0));
    };
    if ($("sort").value === "hardest") this.shown.sort((a, b) => share(problems[a]) - share(problems[b]) || a - b);
    if ($("sort").value === "name") this.shown.sort((a, b) => (problems[a].key < problems[b].key ? -1 : 1));
    this.list.replaceChildren(...this.shown.map((at) => this.rows[at]));
    $("problem-count").textContent = `${grouped(this.shown.length)} of ${plural(problems.length, "problem")}`;
    $("no-problems").hidden = this.shown.length > 0;
    if (this.shown.length) this.activate(this.shown.includes(this.opened) ? this.opened : this.shown[0], false);
    this.steps();
  }

  /** Make a row the one that Tab comes to. */
  activate(at, focus) {
    this.link(this.active).tabIndex = -1;
    this.active = at;
    this.link(at).tabIndex = 0;
    if (focus) this.link(at).focus();
  }

  link(at) {
    return this.rows[at].firstChild;
  }

  keys(event) {
    const place = this.shown.indexOf(this.active);
    const last = this.shown.length - 1;
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: last, PageDown: place + 10, PageUp: place - 10 }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.activate(this.shown[Math.min(Math.max(to, 0), last)], true);
  }

  // --- the open problem ---

  /** Open what the address names. */
  follow() {
    const found = /^#problem=(.*)$/.exec(location.hash);
    if (!found) {
      if (this.opened !== null) this.clear();
      return;
    }
    let key = found[1];
    try {
      key = decodeURIComponent(key);
    } catch {
      // as it stands there, then
    }
    if (this.byKey.has(key)) this.open(this.byKey.get(key));
    else {
      this.clear();
      say("");
      this.detail.replaceChildren(make("p", { class: "note" }, "There is no problem ", make("strong", {}, key), " in this report."));
      this.detail.scrollIntoView({ block: "nearest" });
    }
  }

  async open(at) {
    const problem = this.index.problems[at];
    if (this.opened !== null) this.link(this.opened).removeAttribute("aria-current");
    this.opened = at;
    this.link(at).setAttribute("aria-current", "true");
    this.activate(at, false);
    $("browser").classList.add("opened");
    const title = make("h3", { id: "problem-title", tabindex: "-1" }, problem.name);
    const tags = [problem.domain, problem.source, problem.header && `header ${problem.header}`, problem.key !== problem.name && problem.key];
    const body = make("div", { class: "body", "aria-busy": "true" });
    this.detail.replaceChildren(
      make(
        "div",
        { class: "detail-head" },
        title,
        make(
          "div",
          { class: "buttons" },
          make("button", { type: "button", class: "small", id: "previous", onclick: () => this.step(-1) }, "Previous"),
          make("button", { type: "button", class: "small", id: "next", onclick: () => this.step(1) }, "Next"),
          make("button", { type: "button", class: "small", id: "close", onclick: () => this.close() }, "Close"),
        ),
      ),
      make("p", { class: "tags" }, tags.filter(Boolean).map((tag) => make("span", { class: "tag" }, tag)), this.origin(problem)),
      body,
    );
    this.steps();
    this.rows[at].scrollIntoView({ block: "nearest" });
    title.focus({ preventScroll: true });
    try {
      const runs = runsOf(await unpack($(`chunk-${at}`).textContent));
      if (this.opened === at) body.replaceChildren(...problemBody(problem, runs, this.index, $("class").value));
    } catch (error) {
      body.replaceChildren(make("p", { class: "note" }, `Its attempts can't be shown: ${error.message}.`));
    }
    if (this.opened !== at) return;
    body.removeAttribute("aria-busy");
    const top = $("browser").getBoundingClientRect().top;
    const narrow = matchMedia("(max-width: 56rem)").matches;
    if (narrow || top < 0 || top > innerHeight / 2) $("browser").scrollIntoView({ block: "start" });
  }

  origin(problem) {
    if (!problem.parent) return null;
    const known = this.byKey.has(problem.parent);
    const name = known ? make("a", { href: "#problem=" + encodeURIComponent(problem.parent) }, problem.parent) : problem.parent;
    return make("span", { class: "tag" }, `${problem.operator || "mutation"} of `, name);
  }

  steps() {
    if (this.opened === null) return;
    const place = this.shown.indexOf(this.opened);
    for (const [id, by] of [["previous", -1], ["next", 1]])
      if ($(id)) $(id).disabled = place < 0 || place + by < 0 || place + by >= this.shown.length;
  }

  step(by) {
    const at = this.shown[this.shown.indexOf(this.opened) + by];
    if (at !== undefined) location.hash = "#problem=" + encodeURIComponent(this.index.problems[at].key);
  }

  close() {
    const at = this.opened;
    history.replaceState(null, "", "#problems");
    this.clear();
    if (this.shown.includes(at)) this.activate(at, true);
    else $("search").focus();
  }

  clear() {
    if (this.opened !== null) this.link(this.opened).removeAttribute("aria-current");
    this.opened = null;
    $("browser").classList.remove("opened");
    this.detail.replaceChildren(...this.empty);
  }
}

function hasOutcome(runs, outcome) {
  switch (outcome) {
    case "":
      return true;
    case "solved":
      return runs.some((told) => told.outcome === "solved");
    case "unsolved": // by none of them, and by one at least it could have been
      return runs.every((told) => told.outcome !== "solved") && runs.some((told) => told.outcome === "unsolved");
    case "differ":
      return new Set(runs.map((told) => told.outcome)).size > 1;
    case "disputed":
      return runs.some((told) => told.disputed);
    default:
      return runs.some((told) => told.outcome === outcome);
  }
}

startTheme();
unpack($("index").textContent).then(
  ([index]) => new Browser(index),
  (error) => ($("problem-count").textContent = `The problems can't be shown: ${error.message}.`),
);
