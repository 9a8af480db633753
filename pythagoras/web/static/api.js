// Talking to the server: the key, one-line refusals, and streams of events that go on where they broke off.

const KEY = "pythagoras-key";
const WAIT_MS = [500, 1000, 2000, 4000, 8000];

/** Why the server said no: one line, and where a theorem is no Lean, its place. */
export class Refused extends Error {
  constructor(status, detail) {
    super(lineOf(detail) || `the server answered with ${status}`);
    this.status = status;
    this.place = detail && typeof detail === "object" && !Array.isArray(detail) ? detail : null;
  }
}

function lineOf(detail) {
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) return detail.map(({ loc, msg }) => `${loc[loc.length - 1]}: ${msg}`).join("; ");
  return detail ? detail.message : "";
}

/** The server's answer as a value; asks for the key where one is needed. Raises Refused. */
export async function ask(path, { method = "GET", body } = {}) {
  const response = await send(path, { method, body });
  return response.status === 204 ? null : response.json();
}

async function send(path, { method = "GET", body, headers = {}, signal } = {}) {
  for (;;) {
    const key = sessionStorage.getItem(KEY);
    const all = { ...headers, ...(key && { Authorization: `Bearer ${key}` }), ...(body && { "Content-Type": "application/json" }) };
    const response = await fetch(path, { method, headers: all, body: body && JSON.stringify(body), signal });
    if (response.ok) return response;
    if (response.status === 401) {
      await askKey(key !== null);
      continue;
    }
    const told = await response.json().catch(() => ({}));
    throw new Refused(response.status, told.detail);
  }
}

let asking = null;

/** Show the dialog; several requests may wait for one key. */
function askKey(wasWrong) {
  asking ??= new Promise((resolve) => {
    const dialog = document.getElementById("key");
    const value = document.getElementById("key-value");
    const note = document.getElementById("key-note");
    note.textContent = wasWrong ? "That is not the key." : "It is kept until this tab is closed, and sent nowhere else.";
    note.classList.toggle("wrong", wasWrong);
    value.value = "";
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    document.getElementById("key-form").addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        sessionStorage.setItem(KEY, value.value);
        dialog.close();
        asking = null;
        resolve();
      },
      { once: true },
    );
    dialog.showModal();
  });
  return asking;
}

/**
 * Read a stream of server-sent events until one of them is `done`; where the connection breaks, go on behind the last
 * event. `onEvent` is called with name and value, `onBreak` with whether the connection is broken.
 */
export async function follow(path, onEvent, { signal, onBreak = () => {} }) {
  let last = "";
  for (let tries = 0; ; tries++) {
    try {
      const response = await send(path, { headers: last && { "Last-Event-ID": last }, signal });
      for await (const event of eventsOf(response.body)) {
        if (tries) onBreak(false);
        tries = 0;
        last = event.id || last;
        onEvent(event.name, JSON.parse(event.data));
        if (event.name === "done") return;
      }
    } catch (error) {
      if (error instanceof Refused || error.name === "AbortError" || tries >= WAIT_MS.length) throw error;
    }
    if (tries >= WAIT_MS.length) throw new Error("the server does not answer any more");
    onBreak(true);
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS[tries]));
  }
}

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const event = { id: "", name: "message", data: "" };
        for (const line of block.split("\n")) {
          const [, field, text] = /^(\w*): ?(.*)$/s.exec(line) || [];
          if (field === "id") event.id = text;
          else if (field === "event") event.name = text;
          else if (field === "data") event.data += text;
        }
        if (event.data) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
