// The page: which part is shown, by the address behind #. Each part is a module, started when it is first opened.

import { ask } from "./api.js";
import { openCorpus } from "./corpus.js";
import { openLadder } from "./ladder.js";
import { openProve } from "./prove.js";
import { openRuns } from "./runs.js";

const PARTS = { prove: openProve, runs: openRuns, corpus: openCorpus, ladder: openLadder };
const TITLES = { prove: "Prove", runs: "Runs", corpus: "Corpus", ladder: "Ladder" };

/** `#prove=ID` and `#corpus=train&tier=easy` as a part's name and the rest. */
function place() {
  const [name, ...rest] = location.hash.slice(1).split("=");
  return Object.hasOwn(PARTS, name) ? [name, rest.join("=")] : ["prove", ""];
}

function show() {
  if (location.hash === "#main") return; // the link over the navigation
  const [part, rest] = place();
  for (const name of Object.keys(PARTS)) document.getElementById(name).hidden = name !== part;
  for (const link of document.querySelectorAll("nav [data-part]"))
    if (link.dataset.part === part) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  document.title = `${TITLES[part]} · Pythagoras`;
  PARTS[part](rest);
}

async function tellAbout() {
  const about = await ask("/api/about");
  const lean = about.lean ? `Lean ${about.lean.split(",")[0]}, ${grouped(about.hosts)} ${about.hosts === 1 ? "process" : "processes"}. ` : "";
  document.getElementById("about").replaceChildren(...visible(`Pythagoras ${about.version}. ${lean}${about.notes.map((note) => `${note}. `).join("")}`));
  document.getElementById("n").max = about.most_attempts;
  document.getElementById("timeout").max = about.longest_seconds;
  document.getElementById("theorem").maxLength = about.most_characters;
}

startTheme();
addEventListener("hashchange", show);
show();
tellAbout().catch(() => {}); // what matters is said where it is asked for
