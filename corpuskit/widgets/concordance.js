// Key words in context: lines with the matches below each other; the document of a line opens as a tree.
const SORTS = [["", "as they stand"], ["0", "match"], ["1L", "1st word left"], ["2L", "2nd word left"], ["1R", "1st word right"],
  ["2R", "2nd word right"], ["1R 2R 3R", "1st, 2nd, 3rd right"], ["1L 2L 3L", "1st, 2nd, 3rd left"], ["1L 1R 2R", "1st left, 1st, 2nd right"],
  ["2L 1L 1R", "2nd, 1st left, 1st right"]];
const WORD = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_\u200c\u200d]*/gu;

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

function render({ model, el }) {
  const frame = makeFrame("concordance", "Concordance", [
    ["↑ ↓ PgUp PgDn", "lines"], ["Enter", "open the document at this line"], ["/", "the pattern; Enter looks for it"], ["?", "this help"],
  ]);
  const { root, tell } = frame;
  keepKeys(root);
  const pattern = make("input", "", { type: "search", "aria-label": "Pattern: words as regular expressions, or CQL" });
  pattern.value = model.get("pattern");
  const sort = make("select", "", { "aria-label": "Sort by" });
  const sorts = SORTS.some(([value]) => value === model.get("sort")) ? SORTS : [...SORTS, [model.get("sort"), model.get("sort")]];
  sorts.forEach(([value, text]) => sort.append(make("option", "", { value }, text)));
  sort.value = model.get("sort");
  const found = make("span", "ck-dim", { "aria-live": "polite" });
  const list = makeList(model, "Lines", (line, [left, match, right, where]) => {
    // The end of the left side stays in view: the box runs from right to left, its text does not.
    const marks = (side) => model.get("sort").split(" ").map((place, i) => [Number(place.slice(0, -1)), `ck-sort ck-sort-${i + 1}`, place.slice(-1)])
      .filter((mark) => mark[2] === side);
    line.append(make("span", "ck-left", {}, make("bdi", "", {}, ...markWords(left, marks("L"), true))), make("span", "ck-match", {}, match),
      make("span", "", {}, ...markWords(right, marks("R"), false)), make("span", "ck-where", { title: where }, where));
  }, (i) => model.send({ op: "open", row: i }));
  root.append(make("div", "ck-bar", {}, pattern, sort, found, make("span", "ck-grow"), frame.opener), list.view, frame.status, frame.help);
  const search = () => {
    root.dataset.asked = performance.now();
    model.send({ op: "search", pattern: pattern.value, sort: sort.value });
  };
  pattern.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && pattern.value) search();
    else if (event.key === "Escape") list.view.focus({ preventScroll: true });
    else return;
    event.preventDefault();
  });
  sort.addEventListener("change", search);
  root.addEventListener("keydown", (event) => {
    if (event.key !== "/" || hasModifier(event) || isField(event.target)) return;
    pattern.select();
    pattern.focus();
    event.preventDefault();
  });
  const show = ([generation, count, done, documents]) => {
    found.textContent = done ? `${number(count)} lines in ${number(documents)} documents` : `${number(count)} lines so far …`;
    found.title = model.get("note");
    if (done && model.get("note")) found.textContent += `; ${model.get("note")}`;
    list.setCount(count, generation);
    root.dataset.count = count;
    if (done) root.dataset.answered = performance.now();
    tell("");
  };
  const stop = listen(model, { rows: list.take, error: (message) => tell(message.message, true) });
  const onState = () => show(model.get("state"));
  model.on("change:state", onState);
  el.append(root);
  onState();
  return () => { stop(); list.close(); model.off("change:state", onState); };
}
export default { render };
