// The documents of a corpus: filtered in the kernel, the filter shown as code to copy; one opens as a tree.
const HEADS = ["title", "host", "lang", "words", "P(rel.)", "label"];

function render({ model, el }) {
  const frame = makeFrame("browser", "Documents", [
    ["↑ ↓ PgUp PgDn", "documents"], ["Enter", "open as a tree"], ["/", "text in title or address"], ["m", "more like this one; like all of them, where none is chosen"], ["Esc", "back to the filter"], ["c", "copy the query as code"], ["?", "this help"],
  ]);
  const { root, tell } = frame;
  keepKeys(root);
  const text = make("input", "", { type: "search", placeholder: "Title or address  ( / )", "aria-label": "Text in title or address" });
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
  const code = make("code", "", { tabindex: "0", "aria-label": "The query as code" });
  const copy = () => navigator.clipboard.writeText(code.textContent).then(() => tell("Copied."), () => tell("The browser refused: select the code and copy it.", true));
  const heads = make("div", "ck-heads", { "aria-hidden": "true" });
  HEADS.forEach((name, i) => heads.append(make("span", i === 3 || i === 4 ? "ck-number" : "", {}, name)));
  const list = makeList(model, "Documents", (line, cells) => {
    cells.forEach((cell, i) => line.append(make("span", i === 3 || i === 4 ? "ck-number" : i ? "ck-dim" : "", i < 2 ? { title: cell } : {}, cell)));
  }, (i) => model.send({ op: "open", row: i }));
  const like = () => {
    model.send({ op: "like", row: list.current() });
    tell("Looking for more like these …");
  };
  root.append(
    make("div", "ck-bar", {}, text, ...selects, words, found, make("span", "ck-grow"), button("More like this", like), frame.opener), heads, list.view,
    make("div", "ck-code", {}, code, button("Copy", copy)), frame.status, frame.help,
  );
  let timer = 0;
  const filter = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const chosen = Object.fromEntries(selects.map((one) => [one.dataset.name, one.value]));
      model.send({ op: "filter", text: text.value, words: words.value, ...chosen });
    }, 150);
  };
  [text, words].forEach((field) => field.addEventListener("input", filter));
  selects.forEach((one) => one.addEventListener("change", filter));
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    list.view.focus({ preventScroll: true });
    event.preventDefault();
  });
  root.addEventListener("keydown", (event) => {
    if (hasModifier(event) || isField(event.target)) return;
    if (event.key === "/") text.focus();
    else if (event.key === "c") copy();
    else if (event.key === "m") like();
    else if (event.key === "Escape") filter();
    else return;
    event.preventDefault();
  });
  const show = () => {
    const [generation, count, total] = model.get("state");
    found.textContent = `${number(count)} of ${counted(total, "document")}`;
    code.textContent = model.get("code");
    list.setCount(count, generation);
    tell("");
    root.dataset.count = count;
  };
  const stop = listen(model, { rows: list.take, error: (message) => tell(message.message, true) });
  model.on("change:state", show);
  el.append(root);
  show();
  return () => { stop(); list.close(); clearTimeout(timer); model.off("change:state", show); };
}
export default { render };
