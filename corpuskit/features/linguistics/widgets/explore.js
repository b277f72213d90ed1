// One query seen from all sides; a row of a table leads to its lines.
const EVERYWHERE = [["lines", "Concordance"], ["collocates", "Collocates"], ["clusters", "Clusters"], ["keywords", "Key words"], ["plot", "Plot"], ["words", "Words"]];
const ABOUT = {
  collocates: "words near the matches", clusters: "runs of words with a match in them", keywords: "words that documents with a match have more of than the others",
  plot: "where in each document the matches stand", words: "all words of the documents",
  sketch: "what stands in which relation to a word, by parts of speech",
};
const NAMES = { reference_count: "elsewhere", per_million: "per million", log_dice: "logDice", mi: "MI", log_likelihood: "log-likelihood", log_ratio: "log ratio" };
const WIDTHS = { word: "minmax(0, 2fr)", cluster: "minmax(0, 3fr)", document: "minmax(0, 2fr)", relation: "minmax(0, 2fr)", where: "minmax(0, 4fr)" };
const STROKES = 300;

/** Where matches stand in a document, from left to right. */
function strokes(places) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
  svg.setAttribute("class", "ck-strokes");
  svg.setAttribute("viewBox", `0 0 ${STROKES} 10`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", places.split(" ").map((place) => `M${Number(place) + 0.5} 0V10`).join(""));
  svg.append(path);
  return svg;
}

/** A table of the kernel: its heads sort, its rows lead on. */
function makeTable(model, tab, label, lead) {
  let heads = [], sort = "", made = "", shown = "", generation = 0;
  const bar = make("div", "ck-heads", { role: "group", "aria-label": `Sort ${label} by` });
  const count = make("span", "ck-dim", { "aria-live": "polite" });
  const sender = { send: (message) => model.send({ ...message, op: "table_rows", tab }) };
  const list = makeList(sender, label, (line, cells) => {
    line.style.gridTemplateColumns = bar.style.gridTemplateColumns;
    cells.forEach((cell, i) => line.append(heads[i] === "where" ? strokes(cell)
      : make("span", i ? "ck-number" : "", i ? {} : { title: cell }, i ? cell : make("bdi", "", {}, cell))));
  }, (i) => lead(tab, i, generation));
  function ask(options) {
    const wanted = JSON.stringify([options, sort]);
    if (wanted === made) return;
    made = wanted;
    if (JSON.stringify(options) !== shown) { list.setCount(0, -1); bar.replaceChildren(); } // no old rows under a new question
    shown = JSON.stringify(options);
    say("counting …");
    model.send({ op: "table", tab, sort, ...options });
  }
  function take(message) {
    if (message.generation < generation) return;
    ({ heads, generation } = message);
    bar.style.gridTemplateColumns = heads.map((name) => WIDTHS[name] ?? "minmax(0, 1fr)").join(" ");
    bar.replaceChildren(...heads.map((name) => {
      if (name === "where") return make("span", "", {}, name);
      const head = button(NAMES[name] ?? name, () => { sort = name; made = ""; again(); }, { "aria-pressed": name === sort, title: `Sort by ${NAMES[name] ?? name}` });
      head.classList.add("ck-head");
      return head;
    }));
    say(message.count < message.of ? `the first ${number(message.count)} of ${number(message.of)} rows` : counted(message.count, "row"));
    list.setCount(message.count, generation);
  }
  function fail(message) {
    if (message.generation < generation) return;
    ({ generation } = message);
    made = "";
    list.setCount(0, -1);
    say(message.message, true);
  }
  function say(text, isWrong = false) {
    count.textContent = text;
    count.classList.toggle("ck-wrong", isWrong);
  }
  let again = () => {};
  return { bar, list, count, ask, take, fail, onSort: (act) => { again = act; } };
}

function render({ model, el }) {
  // Without parts of speech there is nothing to make a sketch of.
  const TABS = model.get("attributes").includes("pos") ? [...EVERYWHERE, ["sketch", "Word sketch"]] : EVERYWHERE;
  const frame = makeFrame("explore", "Explorer", [[`1 … ${TABS.length}`, "the tabs"], ["↑ ↓ PgUp PgDn", "rows"], ["Enter", "a row's lines; a line's document"],
    ["/", "the query; Enter looks for it"], ["c", "copy the lines"], ["?", "this help"]]);
  const { root, tell } = frame;
  root.classList.add("ck-concordance");
  keepKeys(root);
  const lines = makeLines(model, frame);
  const id = `ck${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
  const attribute = make("select", "", { "aria-label": "What is counted" });
  const names = { lower: "words", word: "words as written" };
  model.get("attributes").forEach((name) => attribute.append(make("option", "", { value: name }, names[name] ?? name)));
  const choice = (label, values, value, unit) => {
    const select = make("select", "", { "aria-label": label });
    values.forEach((one) => select.append(make("option", "", { value: one }, `${one} ${unit}`)));
    select.value = value;
    return select;
  };
  const near = choice("Words on each side", [1, 2, 3, 4, 5, 7, 10], 5, "words each side");
  const size = choice("Words of a cluster", [2, 3, 4, 5, 6], 3, "words");
  const options = make("div", "ck-bar", {}, attribute, near, size);
  const about = make("span", "ck-dim");
  options.append(about, make("span", "ck-grow"));
  let current = "lines";

  const lead = (tab, row, generation) => {
    model.send({ op: "lead", tab, row, generation });
    show("lines");
    lines.list.view.focus({ preventScroll: true });
  };
  const tables = Object.fromEntries(TABS.slice(1).map(([tab, label]) => [tab, makeTable(model, tab, label, lead)]));
  const bar = make("div", "ck-bar ck-tabs", { role: "tablist", "aria-label": "Views of the query" });
  const panels = {}, buttons = {};
  for (const [tab, label] of TABS) {
    const parts = tab === "lines" ? [lines.list.view, lines.tools] : [tables[tab].bar, tables[tab].list.view];
    panels[tab] = make("div", "", { role: "tabpanel", id: `${id}-${tab}-panel`, "aria-labelledby": `${id}-${tab}` }, ...parts);
    buttons[tab] = button(label, () => show(tab), { role: "tab", id: `${id}-${tab}`, "aria-controls": `${id}-${tab}-panel` });
    bar.append(buttons[tab]);
    tables[tab]?.onSort(() => refresh());
  }
  function refresh() {
    const table = tables[current], { query, subcorpus } = model.get("asked");
    options.hidden = !table;
    if (!table) return;
    near.hidden = current !== "collocates";
    size.hidden = current !== "clusters";
    attribute.hidden = current === "plot";
    about.replaceChildren(`${ABOUT[current]}: `, table.count);
    const of = current === "words" ? "" : query;
    table.ask({ of, subcorpus, attribute: attribute.value, window: Number(near.value), size: Number(size.value) });
  }
  function show(tab) {
    current = tab;
    for (const [name] of TABS) {
      panels[name].hidden = name !== tab;
      buttons[name].setAttribute("aria-selected", name === tab);
      buttons[name].tabIndex = name === tab ? 0 : -1;
    }
    tell("");
    refresh();
  }
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || hasModifier(event)) return;
    const at = TABS.findIndex(([tab]) => tab === current), [tab] = TABS[(at + step + TABS.length) % TABS.length];
    show(tab);
    buttons[tab].focus();
    event.preventDefault();
  });
  root.addEventListener("keydown", (event) => {
    const tab = TABS[Number(event.key) - 1]?.[0];
    if (hasModifier(event) || isField(event.target) || !tab) return;
    show(tab);
    (tables[tab]?.list ?? lines.list).view.focus({ preventScroll: true });
    event.preventDefault();
  });
  [attribute, near, size].forEach((field) => field.addEventListener("change", refresh));
  root.append(lines.fields, bar, options, ...Object.values(panels), frame.status, frame.help);
  const stop = listen(model, {
    ...lines.handlers, table: (message) => { tell(""); tables[message.tab].take(message); }, table_rows: (message) => tables[message.tab].list.take(message),
    error: (message) => (tables[message.tab] ? tables[message.tab].fail(message) : tell(message.message, true)),
  });
  model.on("change:asked", refresh);
  el.append(root);
  lines.start();
  show(model.get("asked").query ? "lines" : "words");
  return () => { stop(); lines.close(); Object.values(tables).forEach(({ list }) => list.close()); model.off("change:asked", refresh); };
}
export default { render };
