// The documents of a corpus: filtered and sorted in the kernel, the choice shown as code to copy; one opens as a tree.
const HEADS = [["title", "title"], ["host", "host"], ["lang", "lang"], ["words", "words"], ["relevance", "P(rel.)"], ["label", "label"]];
const NUMBERS = new Set([3, 4]); // columns
const LABELS = { j: "relevant", f: "other", u: "withdrawn" };

function render({ model, el }) {
  const frame = makeFrame("browser", "Documents", [
    ["↑ ↓ PgUp PgDn", "documents"], ["Enter", "open as a tree"], ["/", "text in title or address"], ["j f", "label the document relevant, other"], ["u", "take the label back"], ["m", "more like this one; like all of them, where none is chosen"], ["Esc", "back to the filter"], ["c", "copy the query as code"], ["?", "this help"],
  ]);
  const { root, tell } = frame;
  keepKeys(root);
  const text = make("input", "", { type: "search", placeholder: "Title or address  ( / )", "aria-label": "Text in title or address" });
  const says = make("input", "", { type: "search", placeholder: "In the text: words, Enter", "aria-label": "Words in the text: a query as for the concordance" });
  const words = make("input", "", { type: "number", min: "0", step: "100", placeholder: "words ≥", "aria-label": "At least so many words" });
  const choices = model.get("choices");
  const selects = Object.entries(choices).map(([name, values]) => {
    const one = make("select", "", { "aria-label": name });
    one.dataset.name = name;
    one.append(make("option", "", { value: "" }, `any ${name}`));
    values.forEach((value) => one.append(make("option", "", { value }, value)));
    return one;
  });
  const found = make("span", "ck-dim", { "aria-live": "polite" });
  const code = make("code", "", { tabindex: "0", role: "group", "aria-label": "The query as code" });
  const copy = () => navigator.clipboard.writeText(code.textContent).then(() => tell("Copied."), () => tell("The browser refused: select the code and copy it.", true));
  let sort = "", falling = false;
  const heads = make("div", "ck-heads", { role: "group", "aria-label": "Sort documents by" });
  const buttons = HEADS.map(([name, label]) => {
    const head = button(label, () => {
      // Numbers begin with the largest; a second press turns the order round, a third takes it back.
      const first = name === "words" || name === "relevance";
      if (sort !== name) [sort, falling] = [name, first];
      else if (falling === first) falling = !first;
      else sort = "";
      filter();
    });
    head.classList.add("ck-head");
    heads.append(head);
    return head;
  });
  const list = makeList(model, "Documents", (line, cells) => {
    cells.forEach((cell, i) => line.append(make("span", NUMBERS.has(i) ? "ck-number" : i ? "ck-dim" : "", i < 2 ? { title: cell } : {}, cell)));
  }, (i, byKey) => model.send({ op: "open", row: i, focus: byKey }));
  const like = () => {
    model.send({ op: "like", row: list.current() });
    tell("Looking for more like these …");
  };
  const label = (name) => () => {
    if (list.current() < 0) tell("Choose a document first, with ↑ ↓ or a click.");
    else model.send({ op: "label", row: list.current(), generation: model.get("state")[0], label: name });
  };
  root.append(
    make("div", "ck-bar", {}, text, says, ...selects, words, found, make("span", "ck-grow"), toolButton("j", "relevant", label("relevant")), toolButton("f", "other", label("other")), button("More like this", like), frame.opener), heads, list.view,
    make("div", "ck-code", {}, code, button("Copy", copy)), frame.status, frame.help,
  );
  let timer = 0;
  const filter = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const chosen = Object.fromEntries(selects.map((one) => [one.dataset.name, one.value]));
      if (says.value) tell("Looking through the texts …");
      model.send({ op: "filter", text: text.value, says: says.value, words: words.value, sort, falling: falling ? "yes" : "", ...chosen });
    }, 150);
  };
  [text, words].forEach((field) => field.addEventListener("input", filter));
  [...selects, says].forEach((one) => one.addEventListener("change", filter));
  const leave = (event) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    list.view.focus({ preventScroll: true }); // what has changed in a field is asked for with that
    event.preventDefault();
  };
  [text, says].forEach((field) => field.addEventListener("keydown", leave));
  root.addEventListener("keydown", (event) => {
    if (hasModifier(event) || isField(event.target)) return;
    if (event.key === "/") text.focus();
    else if (event.key === "c") copy();
    else if (event.key === "m") like();
    else if (LABELS[event.key]) label(LABELS[event.key])();
    else if (event.key === "Escape") filter();
    else return;
    event.preventDefault();
  });
  const show = () => {
    const [generation, count, total] = model.get("state");
    found.textContent = `${number(count)} of ${counted(total, "document")}`;
    code.textContent = model.get("code");
    buttons.forEach((head, i) => {
      const [name, label] = HEADS[i], isIt = model.get("order")[0] === name, down = model.get("order")[1];
      head.setAttribute("aria-pressed", isIt);
      head.setAttribute("aria-label", isIt ? `${label}, sorted ${down ? "falling" : "rising"}` : label);
      head.textContent = isIt ? `${label} ${down ? "↓" : "↑"}` : label;
      head.title = `Sort by ${label}`;
    });
    list.setCount(count, generation);
    tell("");
    root.dataset.count = count;
  };
  const stop = listen(model, {
    rows: list.take,
    labelled: (message) => tell(message.label === "withdrawn" ? "The label was taken back." : `Saved: ${message.label}.`),
    error: (message) => tell(message.message, true),
  });
  model.on("change:state", show);
  el.append(root);
  show();
  return () => { stop(); list.close(); clearTimeout(timer); model.off("change:state", show); };
}
export default { render };
