// Key words in context, as the concordance and the explorer have them: the fields of a query, and its lines with the matches below each other.
const SORTS = [["", "as they stand"], ["0", "match"], ["1L", "1st word left"], ["2L", "2nd word left"], ["1R", "1st word right"],
  ["2R", "2nd word right"], ["1R 2R 3R", "1st, 2nd, 3rd right"], ["1L 2L 3L", "1st, 2nd, 3rd left"], ["1L 1R 2R", "1st left, 1st, 2nd right"],
  ["2L 1L 1R", "2nd, 1st left, 1st right"]];
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_\u200c\u200d]*/gu;
const LINE_KEYS = [["↑ ↓ PgUp PgDn", "lines"], ["Enter", "open the document at this line"], ["/", "the query; Enter looks for it"],
  ["c", "copy the lines"], ["?", "this help"]];

// The text with the words marked by which lines are sorted; marks: [how many words from the match, class].
function markWords(text, marks, fromEnd) {
  const words = marks.length ? [...text.matchAll(WORD)] : [], pieces = [];
  let at = 0;
  const wanted = marks.map(([distance, kind]) => [words.at(fromEnd ? -distance : distance - 1), kind, distance])
    .filter(([word, , distance]) => word && distance <= words.length).sort(([a], [b]) => a.index - b.index);
  for (const [word, kind] of wanted) {
    pieces.push(text.slice(at, word.index), make("span", kind, {}, word[0]));
    at = word.index + word[0].length;
  }
  return [...pieces, text.slice(at)];
}

/** Puts these options into a choice, and one more for a value that is not among them. */
function setOptions(select, options, value) {
  const all = options.some(([one]) => one === value) ? options : [...options, [value, value]];
  select.replaceChildren(...all.map(([one, text]) => make("option", "", { value: one }, text)));
  select.value = value;
}

function saveFile(bytes, name) {
  const address = URL.createObjectURL(new Blob([bytes], { type: "text/csv" })); // our own bytes: nothing is followed
  const link = make("a", "", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** The fields of a query and its lines: `fields` and `tools` are bars, `list` is the list; `close` ends it. */
function makeLines(model, frame) {
  const { root, tell } = frame;
  const pattern = make("input", "ck-pattern", { type: "search", "aria-label": "Pattern: words as regular expressions, or CQL",
    placeholder: "a query: words, or CQL  ( / )" });
  const sort = make("select", "", { "aria-label": "Sort by" });
  const subcorpus = make("select", "", { "aria-label": "Sub-corpus" });
  const sample = make("input", "ck-sample", { type: "number", min: "1", placeholder: "all lines", "aria-label": "Thin to so many lines at random" });
  const seed = make("input", "ck-seed", { type: "number", min: "0", title: "seed of the sample", "aria-label": "Seed of the sample" });
  const saved = make("select", "", { "aria-label": "Saved queries" });
  const found = make("span", "ck-dim", { "aria-live": "polite" });
  const chip = button("", () => search(), { title: "All lines of the query" });
  chip.classList.add("ck-chip");
  const list = makeList(model, "Lines", (line, [left, match, right, where]) => {
    // The end of the left side stays in view: the box runs from right to left, its text does not.
    const marks = (side) => model.get("asked").sort.split(" ").map((place, i) => [Number(place.slice(0, -1)), `ck-sort ck-sort-${i + 1}`, place.slice(-1)])
      .filter((mark) => mark[2] === side);
    line.append(make("span", "ck-left", {}, make("bdi", "", {}, ...markWords(left, marks("L"), true))), make("span", "ck-match", {}, match),
      make("span", "", {}, ...markWords(right, marks("R"), false)), make("span", "ck-where", { title: where }, where));
  }, (i) => model.send({ op: "open", row: i }));

  function search() {
    root.dataset.asked = performance.now();
    model.send({ op: "search", query: pattern.value, sort: sort.value, subcorpus: subcorpus.value,
      sample: Number(sample.value) || 0, seed: Number(seed.value) || 0 });
  }
  const same = () => model.get("saved").find((one) => ["query", "sort", "subcorpus", "sample", "seed"].every((name) => one[name] === model.get("asked")[name]));
  const keep = button("Save", () => {
    const known = same();
    if (model.get("asked").query) model.send({ op: "save", name: known ? known.name : model.get("asked").query, forget: !!known });
  }, { title: "Keep this query with the corpus" });
  const copy = button("Copy", () => model.send({ op: "take", as: "text" }), { title: "Copy the lines, parted by tabs (c)" });
  const csv = button("CSV", () => model.send({ op: "take", as: "csv" }), { title: "Save the lines as a CSV file" });

  function showAsked() {
    const asked = model.get("asked"), names = model.get("subcorpora");
    pattern.value = asked.query ?? "";
    setOptions(sort, SORTS, asked.sort ?? "");
    setOptions(subcorpus, [["", "all documents"], ...names.map((name) => [name, name])], asked.subcorpus ?? "");
    subcorpus.hidden = !names.length && !asked.subcorpus;
    sample.value = asked.sample || "";
    seed.value = asked.seed ?? 0;
    seed.hidden = !asked.sample && !sample.value;
    showSaved();
  }
  function showSaved() {
    const all = model.get("saved");
    setOptions(saved, [["", "saved queries"], ...all.map(({ name }) => [name, name])], "");
    saved.hidden = !all.length;
    keep.textContent = same() ? "Forget" : "Save";
  }
  function showState() {
    const [generation, count, done, documents] = model.get("state");
    const note = model.get("note"), only = model.get("only"), wrong = model.get("wrong");
    if (wrong) found.textContent = wrong;
    else if (!model.get("asked").query) found.textContent = "";
    else if (generation) found.textContent = done ? `${counted(count, "line")} in ${counted(documents, "document")}` : `${counted(count, "line")} so far …`;
    found.classList.toggle("ck-wrong", !!wrong);
    found.title = wrong || note;
    if (done && note && !wrong) found.textContent += `; ${note}`;
    chip.textContent = `${only} ✕`;
    chip.hidden = !only;
    list.setCount(count, generation);
    root.dataset.count = count;
    if (done) root.dataset.answered = performance.now();
    tell("");
  }
  pattern.addEventListener("keydown", (event) => {
    if (event.key === "Enter") search();
    else if (event.key === "Escape") list.view.focus({ preventScroll: true });
    else return;
    event.preventDefault();
  });
  [sort, subcorpus, sample, seed].forEach((field) => field.addEventListener("change", () => { seed.hidden = !sample.value; search(); }));
  saved.addEventListener("change", () => {
    const one = model.get("saved").find(({ name }) => name === saved.value);
    if (one) model.send({ op: "search", ...one });
  });
  root.addEventListener("keydown", (event) => {
    if (hasModifier(event) || isField(event.target)) return;
    if (event.key === "/") {
      pattern.select();
      pattern.focus();
    } else if (event.key === "c") copy.click();
    else return;
    event.preventDefault();
  });
  const taken = (message, [bytes]) => {
    const told = `${counted(message.count, "line")} ${message.as === "csv" ? "saved" : "copied"}${message.left ? `; ${number(message.left)} more are in .frame` : ""}.`;
    if (message.as === "csv") { saveFile(bytes, "concordance.csv"); return tell(told); }
    const refused = () => tell("The browser does not let the page copy: save the lines as CSV.", true);
    if (!navigator.clipboard) return refused();
    navigator.clipboard.writeText(new TextDecoder().decode(bytes)).then(() => tell(told), refused);
  };
  const watched = { "change:state": showState, "change:asked": showAsked, "change:saved": showSaved, "change:wrong": showState };
  Object.entries(watched).forEach(([name, act]) => model.on(name, act));
  return {
    list, search, pattern, handlers: { rows: list.take, taken },
    fields: make("div", "ck-bar", {}, pattern, sort, subcorpus, found, chip, make("span", "ck-grow"), frame.opener),
    tools: make("div", "ck-bar ck-tools", {}, sample, seed, make("span", "ck-grow"), saved, keep, copy, csv),
    start: () => { showAsked(); showState(); },
    close: () => { list.close(); Object.entries(watched).forEach(([name, act]) => model.off(name, act)); },
  };
}
