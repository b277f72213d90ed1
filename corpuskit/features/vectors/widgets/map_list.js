// Beside the map: the legend, the regions and the documents, all of the map's acts by keys too.
const SHAPES = ["circle", "square", "triangle", "diamond"];
const MOST_REGIONS = 400;

/** Colours in words: a button for each, which lights its documents up. */
function makeLegend(pick) {
  const element = make("ul", "ck-legend", { "aria-label": "Legend" });
  let current = -1;
  return {
    element,
    picked: () => current,
    show(rows, colours) {
      if (!rows.some(([code]) => code === current)) current = -1;
      element.replaceChildren(...rows.map(([code, name, count]) => {
        const mark = make("span", `ck-mark ck-${SHAPES[code < 28 ? Math.floor(code / 7) : 0]}`, { "aria-hidden": "true" });
        mark.style.background = colours[code] ?? "none";
        const one = button("", () => {
          current = current === code ? -1 : code;
          pick(current);
          [...element.querySelectorAll("button")].forEach((other, i) => other.setAttribute("aria-pressed", String(rows[i][0] === current)));
        }, { "aria-pressed": String(code === current), title: name });
        one.append(mark, make("span", "ck-what", {}, name), make("span", "ck-number", {}, number(count)));
        return make("li", "", {}, one);
      }));
    },
  };
}

/** The regions: Enter goes there, Space chooses. `go(i)` and `toggle(i)` get the place in the list of regions. */
function makeRegions(go, toggle) {
  const id = `ckr${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
  const element = make("div", "ck-regions", { role: "listbox", tabindex: "0", "aria-label": "Regions", "aria-multiselectable": "true" });
  let rows = [], current = -1, chosen = new Set();

  function paint() {
    rows.forEach(({ line, at }, i) => {
      line.setAttribute("aria-selected", String(chosen.has(at)));
      line.classList.toggle("ck-current", i === current);
    });
    if (current >= 0) element.setAttribute("aria-activedescendant", `${id}-${current}`);
    else element.removeAttribute("aria-activedescendant");
  }
  function select(i) {
    if (!rows.length) return;
    current = Math.max(0, Math.min(rows.length - 1, i));
    rows[current].line.scrollIntoView({ block: "nearest" });
    paint();
  }
  const page = () => Math.max(1, Math.floor(element.clientHeight / 26) - 1);
  const moves = { ArrowDown: () => current + 1, ArrowUp: () => current - 1, PageDown: () => current + page(), PageUp: () => current - page(), Home: () => 0, End: () => rows.length - 1 };
  element.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    if (Object.hasOwn(moves, event.key)) select(moves[event.key]());
    else if (event.key === "Enter" && current >= 0) go(rows[current].at);
    else if (event.key === " " && current >= 0) toggle(rows[current].at);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  element.addEventListener("click", (event) => {
    const line = event.target.closest(".ck-region");
    if (!line) return;
    element.focus({ preventScroll: true });
    select(Number(line.dataset.i));
    if (event.target.closest(".ck-tick")) toggle(rows[current].at);
    else go(rows[current].at);
  });
  return {
    element,
    show(regions) {
      const below = new Map();
      regions.forEach((region, at) => below.set(region[3], [...(below.get(region[3]) ?? []), at]));
      const order = (below.get(-1) ?? []).flatMap((at) => [at, ...(below.get(at) ?? [])]).slice(0, MOST_REGIONS);
      rows = order.map((at, i) => {
        const [label, name, , parent, documents, , , , words] = regions[at];
        const line = make("div", parent < 0 ? "ck-region ck-top" : "ck-region", { role: "option", id: `${id}-${i}`, title: words || name });
        line.append(make("span", "ck-tick", { "aria-hidden": "true", title: "Choose its documents" }), make("span", "ck-dim ck-place", {}, label),
          make("span", "ck-what", {}, name), make("span", "ck-number", {}, number(documents)));
        line.dataset.i = i;
        return { line, at };
      });
      current = Math.min(current, rows.length - 1);
      element.replaceChildren(...(rows.length ? rows.map((row) => row.line) : [make("div", "ck-none", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "There are no topics yet.")]));
      paint();
    },
    choose(these) { chosen = these; paint(); },
  };
}

/** What the map tells of one document. */
function makeAbout(open, like, changed) {
  const title = make("h4"), uri = make("p", "ck-mono ck-dim"), facts = make("p", "ck-dim"), text = make("p", "ck-snippet");
  const likeButton = button("", like);
  likeButton.append(make("kbd", "", {}, "n"), " more like this");
  const openButton = button("", open);
  openButton.append(make("kbd", "", {}, "t"), " open the tree");
  const closer = button("×", () => hide(), { "aria-label": "Close" });
  const element = make("div", "ck-about", { role: "region", "aria-label": "Document", "aria-live": "polite", hidden: "" },
    make("div", "ck-about-head", {}, title, openButton, likeButton, closer), facts, uri, text);
  let shown = -1;
  const hide = () => { element.hidden = true; shown = -1; changed(); };
  return {
    element, hide, likeButton,
    row: () => shown,
    show(message) {
      shown = message.row;
      title.textContent = message.title;
      uri.textContent = message.uri;
      facts.textContent = message.facts.join(" · ");
      text.textContent = message.text;
      element.hidden = false;
    },
  };
}
