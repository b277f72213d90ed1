// A crawl's state, a few times a second; buttons that steer it.
const FIGURES = [
  ["pages", "pages"], ["relevant", "relevant"], ["harvest", "harvest rate"], ["window", "last 50 pages"], ["speed", "pages / s"],
  ["elapsed", "elapsed"], ["unique", "new text"], ["bytes", "megabytes"],
  ["hosts", "hosts"], ["queued", "queued"], ["failed", "failed"], ["refused", "refused"],
];
const FORMS = {
  harvest: percent, window: percent, unique: percent, bytes: (count) => number(Math.round(count / 1e5) / 10),
  elapsed: (seconds) => [seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":"),
};

function render({ model, el }) {
  const frame = makeFrame("dashboard", "Crawl", [
    ["p", "pause or resume"], ["↑ ↓", "the next source above, below"], ["n", "the numbers behind the reasons, and back"], ["k", "skip this source"], ["b", "boost this source"],
    ["S", "stop the crawl; what is queued stays for later"], ["?", "this help"],
  ]);
  const { root, tell } = frame;
  root.tabIndex = 0;
  keepKeys(root);
  const status = make("strong", "", { role: "status", "aria-live": "polite" });
  const spark = sparkline("Harvest rate over the crawl");
  const pause = button("Pause", () => act(model.get("state").status === "paused" ? "resume" : "pause"), { "aria-keyshortcuts": "p" });
  const stop = button("Stop", () => act("stop"), { "aria-keyshortcuts": "Shift+S" });
  let withNumbers = false;
  const numbers = button("Numbers", () => {
    withNumbers = !withNumbers;
    numbers.setAttribute("aria-pressed", withNumbers);
    update();
  }, { "aria-pressed": "false", "aria-keyshortcuts": "n", title: "The numbers behind the reasons" });
  const bar = make("progress", "ck-budget", { "aria-label": "Pages of the budget" });
  const figures = make("dl", "ck-figures");
  const values = new Map();
  for (const [name, label] of FIGURES) {
    const value = make("dd");
    values.set(name, value);
    figures.append(make("div", "", {}, make("dt", "", {}, label), value));
  }
  const next = makeRows("Next sources", ["source", "URLs", "why", "steer"]);
  const errors = makeRows("Errors by cause", ["cause", "pages"]);
  const waiting = makeRows("Hosts that ask for a pause", ["host", "seconds"]);
  root.append(
    make("div", "ck-bar", {}, status, make("span", "ck-grow"), spark.svg, numbers, pause, stop, frame.opener), bar, figures,
    make("div", "ck-tables", {}, next.element, make("div", "", {}, errors.element, waiting.element)), frame.status, frame.help,
  );

  function act(what, host) {
    model.send({ op: "do", what, host });
    if (what === "stop") tell("Stopping: what is under way comes in, the rest stays queued.");
  }

  function makeRows(title, columns) {
    const head = make("tr");
    columns.forEach((name) => head.append(make("th", "", { scope: "col" }, name)));
    const body = make("tbody");
    const table = make("table", "", {}, make("caption", "", {}, title), make("thead", "", {}, head), body);
    return { element: table, body };
  }

  function fill(rows, data, makeCells, empty) {
    const focused = rows.body.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    rows.body.replaceChildren(...data.map((item) => {
      const row = make("tr");
      makeCells(item).forEach((cell) => row.append(cell instanceof Node ? make("td", "", {}, cell) : make("td", "", {}, String(cell))));
      return row;
    }));
    rows.element.hidden = !data.length && !empty;
    if (!data.length && empty) rows.body.append(make("tr", "", {}, make("td", "ck-dim", { colspan: "4" }, empty)));
    if (focused) [...rows.body.querySelectorAll("button")].find((one) => one.dataset.key === focused)?.focus();
  }

  function steerButtons(host) {
    const skip = button("skip", () => act("skip", host), { "aria-label": `Skip ${host}` });
    const boost = button("boost", () => act("boost", host), { "aria-label": `Boost ${host}` });
    skip.dataset.key = `skip ${host}`;
    boost.dataset.key = `boost ${host}`;
    return make("span", "ck-steer", {}, skip, boost);
  }

  function update() {
    const state = model.get("state");
    const ended = state.status === "ended";
    const line = ended ? `Ended: ${state.reason}` : state.status === "paused" ? "Paused" : "Running";
    if (status.textContent !== line) status.textContent = line;
    pause.textContent = state.status === "paused" ? "Resume" : "Pause";
    pause.disabled = stop.disabled = ended;
    bar.hidden = !state.budget;
    if (state.budget) { bar.max = state.budget; bar.value = state.pages; }
    for (const [name, value] of values) {
      const shown = state[name] === null ? "–" : (FORMS[name] ?? number)(state[name]);
      if (value.textContent !== shown) value.textContent = shown;
    }
    spark.svg.toggleAttribute("hidden", !state.curve.length);
    spark.draw(state.curve);
    fill(next, state.next, ([host, urls, why, figures]) => [host, number(urls), withNumbers && figures ? make("span", "", { title: why }, figures) : why, ended ? "" : steerButtons(host)], "Nothing is queued.");
    fill(errors, state.errors, ([cause, count]) => [cause, number(count)], "No errors.");
    fill(waiting, state.waiting, ([host, seconds]) => [host, number(Math.max(0, seconds))]);
    root.dataset.updates = Number(root.dataset.updates ?? 0) + 1;
    root.dataset.state = state.status;
  }

  const end = listen(model, {
    done: (message) => message.host && tell(`${message.what} ${message.host}: ${number(message.count)} URLs.`),
    error: (message) => tell(message.message, true),
  });
  const sourceButtons = () => [...next.body.querySelectorAll("button[data-key^='skip']")];
  root.addEventListener("keydown", (event) => {
    if (hasModifier(event) || frame.isHelpOpen()) return;
    if (event.key === "n") { numbers.click(); event.preventDefault(); return; }
    if (model.get("state").status === "ended") return;
    const rows = sourceButtons();
    const at = rows.findIndex((one) => one.closest("tr").contains(document.activeElement));
    const chosen = at < 0 ? null : model.get("state").next[at]?.[0];
    if (event.key === "p") pause.click();
    else if (event.key === "S") stop.click();
    else if (event.key === "ArrowDown") rows[Math.min(rows.length - 1, at + 1)]?.focus();
    else if (event.key === "ArrowUp") rows[Math.max(0, at - 1)]?.focus();
    else if (event.key === "k" || event.key === "b") {
      if (chosen) act(event.key === "k" ? "skip" : "boost", chosen);
      else tell("Choose a source with ↑ ↓ first.");
    } else return;
    event.preventDefault();
  });
  model.on("change:state", update);
  el.append(root);
  update();
  return () => {
    end();
    model.off("change:state", update);
  };
}
export default { render };
