"use strict";
// Elements and texts. Texts become text nodes and nothing else, so that no text can be markup; what would not show, or
// would turn the direction of what stands around it, is shown by its number. shown/visible.py has the same list.

const HIDDEN =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffc\ufffe\uffff]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** An element; children are elements, lists of them, or texts. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  put(element, children);
  return element;
}

function put(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === "") continue;
    if (child instanceof Node) element.append(child);
    else element.append(...visible(String(child)));
  }
}

/** A text as nodes: plain text, and a marked number for each character that would not show. */
function visible(text) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(HIDDEN)) {
    if (found.index > at) nodes.push(document.createTextNode(text.slice(at, found.index)));
    const sign = document.createElement("span");
    sign.className = "hidden-character";
    sign.textContent = "U+" + found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    sign.title = "a character that does not show";
    nodes.push(sign);
    at = found.index + found[0].length;
  }
  if (at < text.length) nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}

const grouped = (number) => number.toLocaleString("en-GB");
const plural = (count, word) => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

/** What embed.py packed: base64 of compressed lines of JSON. */
async function unpack(text) {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser has no DecompressionStream");
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const lines = (await new Response(stream).text()).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** A button that copies a text, and says so. */
function copyButton(text, label) {
  const button = make("button", { type: "button", class: "small", "aria-label": label }, "Copy");
  button.addEventListener("click", async () => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { "aria-hidden": "true", class: "off-screen" });
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = done ? "Copied" : "Not copied";
    say(done ? "Copied" : "It could not be copied");
    setTimeout(() => (button.textContent = "Copy"), 1600);
  });
  return button;
}

/** Tell screen readers. */
function say(text) {
  document.getElementById("said").textContent = text;
}
