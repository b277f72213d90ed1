// Beside the tree: the full text of the chosen element, its properties, and its place in the original. Put behind tree.js.
function makePanes(model, id, frame) {
  let chosen = -1, tab = "text", seq = 0, full = null, pictureUrl = null;
  const body = make("div", "ck-pane-body", { role: "tabpanel", tabindex: "0", id: `${id}-pane` });
  const tabs = make("div", "ck-tabs", { role: "tablist", "aria-label": "About the chosen row" });
  const names = ["text", "properties", ...(model.get("has_original") ? ["source"] : [])];
  const buttons = new Map(names.map((name) => [name, button(name, () => choose(name), { role: "tab", "aria-controls": `${id}-pane` })]));
  tabs.append(...buttons.values());
  tabs.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || hasModifier(event)) return;
    const to = names[(names.indexOf(tab) + step + names.length) % names.length];
    choose(to);
    buttons.get(to).focus();
    event.preventDefault();
  });
  const element = make("div", "ck-pane", {}, tabs, body);

  const facts = (rows) => {
    const list = make("dl", "ck-facts");
    for (const [name, value] of rows) list.append(make("dt", "", {}, name), make("dd", "", {}, value));
    return list;
  };

  function showText() {
    if (!full) return body.replaceChildren(make("p", "ck-dim", {}, chosen < 0 ? "Choose a row to read it." : "…"));
    const text = make("div", "ck-full", {}, full.text || "(no text)");
    body.replaceChildren(text);
    if (full.left_out) body.append(make("p", "ck-dim", {}, `${number(full.left_out)} more characters: element.text has all`));
  }

  function showProperties() {
    body.replaceChildren();
    if (full) body.append(make("h4", "", {}, "This element"), facts(full.facts));
    body.append(make("h4", "", {}, "The document"), facts(model.get("properties")));
  }

  function draw() {
    for (const [name, one] of buttons) {
      one.setAttribute("aria-selected", name === tab);
      one.tabIndex = name === tab ? 0 : -1;
    }
    if (tab === "text") showText();
    else if (tab === "properties") showProperties();
    else if (chosen < 0) body.replaceChildren(make("p", "ck-dim", {}, "Choose a row to see where it stands in the original."));
    else {
      body.replaceChildren(make("p", "ck-dim", {}, "…"));
      model.send({ op: "source", seq: ++seq, id: chosen });
    }
  }

  function choose(name) {
    if (!buttons.has(name)) return frame.tell("The original is not at hand: corpus.view(doc_id) has it.");
    tab = name;
    draw();
  }

  function show(i) {
    chosen = i;
    model.send({ op: "full", seq: ++seq, id: i });
    if (tab === "source") draw();
  }

  function onFull(message) {
    if (message.id !== chosen) return;
    full = message;
    if (tab !== "source") draw();
    body.scrollTop = 0;
  }

  function onSource(message, [picture]) {
    if (message.id !== chosen || tab !== "source") return;
    body.replaceChildren(make("p", "ck-dim ck-mono", {}, message.note));
    if (message.text) body.append(make("pre", "ck-source", {}, message.text));
    if (pictureUrl) URL.revokeObjectURL(pictureUrl);
    pictureUrl = null;
    if (!picture) return;
    pictureUrl = URL.createObjectURL(new Blob([picture], { type: "image/png" }));
    const image = make("img", "", { src: pictureUrl, alt: `Picture of ${message.note} of the original` });
    const sheet = make("div", "ck-sheet", {}, image);
    for (const [left, top, width, height] of message.boxes) {
      const box = make("div", "ck-box");
      Object.assign(box.style, { left: `${100 * left}%`, top: `${100 * top}%`, width: `${100 * width}%`, height: `${100 * height}%` });
      sheet.append(box);
    }
    body.append(sheet);
    image.addEventListener("load", () => {
      const box = sheet.querySelector(".ck-box");
      if (box) body.scrollTop = Math.max(0, sheet.offsetTop + box.offsetTop - body.clientHeight / 3);
    });
  }

  function reset() {
    chosen = -1;
    full = null;
    draw();
  }
  return { element, show, choose, onFull, onSource, reset };
}
