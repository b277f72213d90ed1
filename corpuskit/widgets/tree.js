// The tree of a document. The skeleton of all elements is here, 2 bytes an element; rows exist only while they are seen, and
// their text is fetched by window: 100,000 elements paint as fast as 100.
const ROW = 24; // pixels
const MARGIN = 10; // rows beyond either end of the window
const MAIN = 8;
const LEAVES = new Set(["TextBlock"]);
const FILTERS = [
  ["", "all kinds"], ["Section", "sections"], ["TextBlock", "text"], ["List ListItem", "lists"],
  ["Table TableHeader TableCell", "tables"], ["NavigationList", "navigation"], ["!main", "main content"], ["!other", "boilerplate"],
];
const TREE_KEYS = [
  ["↑ ↓", "the row above, below"], ["→ ←", "open, close; to the first child, the parent"], ["Home End", "first, last row"],
  ["PgUp PgDn", "a window up, down"], ["Enter", "open or close"], ["*", "open all under this row"], ["o", "open all; again: close all"],
  ["/", "find"], ["n N", "the next, the last hit"], ["t p s", "text, properties, source of this row"],
  ["m", "only main content; again: all"], ["?", "this help"],
];
const LABEL_KEYS = [["j f", "label the document relevant, other"], ["u", "take the label back"]];

/** Arrays over all elements, from the skeleton. */
function readSkeleton(view) {
  const n = view.byteLength >> 1;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const kind = bytes.subarray(0, n), depth = bytes.subarray(n, 2 * n);
  const end = new Uint32Array(n), place = new Uint32Array(n), siblings = new Uint32Array(n), parent = new Int32Array(n);
  const open = [];
  for (let i = 0; i < n; i++) {
    while (open.length && depth[open[open.length - 1]] >= depth[i]) end[open.pop()] = i;
    parent[i] = open.length ? open[open.length - 1] : -1;
    open.push(i);
  }
  while (open.length) end[open.pop()] = n;
  // place and number of siblings, for screen readers: count, then hand the count to all of the family
  const family = new Uint32Array(n + 1);
  for (let i = 0; i < n; i++) place[i] = ++family[parent[i] + 1];
  for (let i = 0; i < n; i++) siblings[i] = family[parent[i] + 1];
  return { n, kind, depth, end, place, siblings, parent };
}

function render({ model, el }) {
  const kinds = model.get("kinds");
  const canLabel = model.get("labels");
  const frame = makeFrame("tree", "Document tree", canLabel ? [...LABEL_KEYS, ...TREE_KEYS] : TREE_KEYS);
  const { root, tell } = frame;
  const id = `ck${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
  const title = make("strong"), size = make("span", "ck-dim"), hitCount = make("span", "ck-dim ck-hits", { "aria-live": "polite" });
  const find = make("input", "", { type: "search", placeholder: "Find  ( / )", "aria-label": "Find in the document" });
  const filter = make("select", "", { "aria-label": "Show only" });
  FILTERS.forEach(([value, text]) => filter.append(make("option", "", { value }, text)));
  const previous = button("‹", () => nextHit(-1), { "aria-label": "Previous hit" });
  const next = button("›", () => nextHit(1), { "aria-label": "Next hit" });
  const openAll = button("Open all", () => setAll(!allOpen), { "aria-pressed": "false" });
  const view = make("div", "ck-view", { role: "tree", tabindex: "0" });
  const pad = make("div", "ck-pad", { role: "presentation" });
  const panes = makePanes(model, id, frame);
  const bar = make("div", "ck-bar", {}, title, size, find, previous, next, hitCount, filter, openAll);
  if (canLabel) {
    const label = (name) => () => model.send({ op: "label", seq: ++seq, label: name });
    for (const [key, name] of [["j", "relevant"], ["f", "other"]]) {
      const one = button("", label(name), { "aria-keyshortcuts": key });
      one.append(make("kbd", "", {}, key), ` ${name}`);
      bar.append(one);
    }
  }
  bar.append(frame.opener);
  view.append(pad);
  root.append(bar, make("div", "ck-split", {}, view, panes.element), frame.status, frame.help);
  keepKeys(root);

  let s, text, isOpen, shown, visible, count, current, hits, hitSet, allOpen;
  let seq = 0, asked = 0, timer = 0;
  const pool = new Map();

  function reset() {
    s = readSkeleton(model.get("skeleton"));
    text = new Map(model.get("first").map((row) => [row[0], row]));
    isOpen = new Uint8Array(s.n);
    for (let i = 0; i < s.n; i++) isOpen[i] = s.depth[i] < 2 ? 1 : 0;
    visible = new Uint32Array(s.n);
    shown = hits = hitSet = null;
    current = -1;
    asked = 0;
    allOpen = false;
    filter.value = find.value = hitCount.textContent = "";
    next.disabled = previous.disabled = true;
    pool.forEach((row) => row.remove());
    pool.clear();
    title.textContent = title.title = model.get("title");
    size.textContent = `${number(s.n)} elements`;
    view.setAttribute("aria-label", `Tree of ${model.get("title")}`);
    view.style.height = `${Math.min(model.get("height"), Math.max(4, s.n) * ROW)}px`;
    panes.reset();
    layout();
    view.scrollTop = 0;
    paint();
    const [target] = model.get("revealed");
    if (model.get("selected") >= 0 && target >= 0) reveal(target);
  }

  const hasChildren = (i) => s.end[i] > i + 1;

  function layout() {
    count = 0;
    for (let i = 0; i < s.n; ) {
      if (shown && !shown[i]) { i = s.end[i]; continue; }
      visible[count++] = i;
      i = isOpen[i] ? i + 1 : s.end[i];
    }
    pad.style.height = `${count * ROW}px`;
  }

  function makeRow(i) {
    const row = make("div", "ck-row", {
      role: "treeitem", id: `${id}-${i}`, "aria-level": s.depth[i], "aria-setsize": s.siblings[i], "aria-posinset": s.place[i],
    });
    const name = kinds[s.kind[i] & 7];
    row.append(make("span", "ck-twist", { "aria-hidden": "true" }), make("span", "ck-badge"), make("span", "ck-text"));
    row.children[1].textContent = name;
    row.style.paddingLeft = `${4 + Math.min(s.depth[i] - 1, 30) * 16}px`;
    row.classList.toggle("ck-group", hasChildren(i));
    row.classList.toggle("ck-plain", LEAVES.has(name));
    row.classList.toggle("ck-other", !(s.kind[i] & MAIN));
    if (!(s.kind[i] & MAIN)) row.title = "boilerplate: not part of the main content";
    row.dataset.i = i;
    pool.set(i, row);
    pad.append(row);
    return row;
  }

  function paint() {
    const from = Math.max(0, Math.floor(view.scrollTop / ROW) - MARGIN);
    const to = Math.min(count, Math.ceil((view.scrollTop + (view.clientHeight || model.get("height"))) / ROW) + MARGIN);
    const missing = [], kept = new Set();
    for (let r = from; r < to; r++) {
      const i = visible[r];
      kept.add(i);
      const row = pool.get(i) ?? makeRow(i);
      row.style.top = `${r * ROW}px`;
      if (hasChildren(i)) {
        row.setAttribute("aria-expanded", Boolean(isOpen[i]));
        row.firstChild.textContent = isOpen[i] ? "▾" : "▸";
      }
      row.setAttribute("aria-selected", i === current);
      row.classList.toggle("ck-hit", Boolean(hitSet?.has(i)));
      const known = text.get(i);
      if (!known) missing.push(i);
      else fill(row, i, known);
    }
    for (const [i, row] of pool) {
      if (!kept.has(i)) { row.remove(); pool.delete(i); }
    }
    if (current >= 0 && pool.has(current)) view.setAttribute("aria-activedescendant", `${id}-${current}`);
    else view.removeAttribute("aria-activedescendant");
    if (missing.length && !asked) model.send({ op: "text", seq: (asked = ++seq), ids: missing });
  }
  // A hidden tree says that it is scrolled to 0: its rows stay as they are until it is seen again.
  const later = oncePerFrame(() => { if (view.clientHeight) paint(); });

  function fill(row, i, [, line, role, preview]) {
    const usesPreview = !line && preview && !(isOpen[i] && kinds[s.kind[i] & 7] !== "Table");
    const content = line || (usesPreview ? preview : "");
    if (row.children[2].textContent !== content) row.children[2].textContent = content;
    row.classList.toggle("ck-preview", Boolean(usesPreview));
    const badge = role && LEAVES.has(kinds[s.kind[i] & 7]) ? role : kinds[s.kind[i] & 7];
    row.children[1].textContent = badge;
    row.children[1].hidden = badge === "TextBlock" || badge === "paragraph";
  }

  function rowOf(i) {
    let low = 0, high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (visible[middle] < i) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function select(i) {
    if (i === undefined || i < 0) return;
    current = i;
    const top = rowOf(i) * ROW;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = top + ROW - view.clientHeight;
    later();
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (model.get("selected") !== i) { model.set("selected", i); model.save_changes(); }
      panes.show(i);
    }, 100);
  }

  function reveal(i) {
    if (shown && !shown[i]) { filter.value = ""; shown = null; }
    for (let p = s.parent[i]; p >= 0; p = s.parent[p]) isOpen[p] = 1;
    layout();
    const top = rowOf(i) * ROW;
    if (top < view.scrollTop || top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = Math.max(0, top - view.clientHeight / 3);
    select(i);
  }

  function toggle(i, to) {
    if (i < 0 || !hasChildren(i)) return;
    isOpen[i] = to ?? !isOpen[i];
    layout();
    paint();
  }

  function setAll(to, from = 0, until = s.n) {
    if (from === 0) { allOpen = to; openAll.setAttribute("aria-pressed", to); openAll.textContent = to ? "Close all" : "Open all"; }
    isOpen.fill(to ? 1 : 0, from, until);
    layout();
    if (current >= 0) { while (!to && s.parent[current] >= 0) current = s.parent[current]; select(current); }
    paint();
  }

  function setFilter(value) {
    filter.value = value;
    shown = null;
    if (value) {
      const names = new Set(value.split(" "));
      shown = new Uint8Array(s.n);
      for (let i = s.n - 1; i >= 0; i--) {
        const isMain = Boolean(s.kind[i] & MAIN);
        if (value === "!main" ? isMain : value === "!other" ? !isMain : names.has(kinds[s.kind[i] & 7])) shown[i] = 1;
        if (shown[i] && s.parent[i] >= 0) { shown[s.parent[i]] = 1; isOpen[s.parent[i]] = 1; }
      }
    }
    layout();
    const left = shown ? shown.reduce((sum, one) => sum + one, 0) : s.n;
    size.textContent = shown ? `${number(left)} of ${number(s.n)} elements` : `${number(s.n)} elements`;
    paint();
  }

  function nextHit(step) {
    if (!hits?.length) return;
    let at = hits.findIndex((hit) => hit >= current);
    if (at < 0) at = hits.length;
    if (step > 0 && hits[at] === current) at += 1;
    if (step < 0) at -= 1;
    at = (at + hits.length) % hits.length;
    reveal(hits[at]);
    hitCount.textContent = `${number(at + 1)} / ${number(hits.length)}`;
  }

  // What was hidden until now has no height in this moment.
  const whenSeen = (act, frames = 100) => (view.clientHeight || !frames ? act() : requestAnimationFrame(() => whenSeen(act, frames - 1)));

  const stop = listen(model, {
    text: (message) => {
      if (message.seq !== asked) return;
      asked = 0;
      message.rows.forEach((row) => text.set(row[0], row));
      paint();
    },
    find: (message, [buffer]) => {
      if (message.seq !== seq && message.seq < (find.seq ?? 0)) return;
      hits = Array.from(new Uint32Array(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength)));
      hitSet = new Set(hits);
      next.disabled = previous.disabled = !hits.length;
      hitCount.textContent = hits.length ? "" : "no hits";
      root.dataset.hits = hits.length;
      if (hits.length) { current -= 1; nextHit(1); } else later();
    },
    focus: () => whenSeen(() => {
      root.scrollIntoView({ block: "nearest" });
      view.focus({ preventScroll: true });
      if (current < 0 && count) select(visible[0]);
    }),
    full: panes.onFull,
    source: panes.onSource,
    labelled: (message) => tell(message.label === "withdrawn" ? "The label was taken back." : `Saved: ${message.label}.`),
    error: (message) => tell(message.message, true),
  });

  view.addEventListener("scroll", later, { passive: true });
  view.addEventListener("click", (event) => {
    const row = event.target.closest(".ck-row");
    if (!row) return;
    view.focus({ preventScroll: true });
    if (event.target.classList.contains("ck-twist") || event.detail === 2) toggle(Number(row.dataset.i));
    select(Number(row.dataset.i));
  });
  filter.addEventListener("change", () => setFilter(filter.value));
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && find.value) {
      if (find.value === find.last && hits) nextHit(event.shiftKey ? -1 : 1);
      else model.send({ op: "find", seq: (find.seq = ++seq), query: (find.last = find.value) });
    } else if (event.key === "Escape") {
      hits = hitSet = null;
      find.value = hitCount.textContent = "";
      next.disabled = previous.disabled = true;
      view.focus({ preventScroll: true });
      later();
    } else return;
    event.preventDefault();
  });
  const page = () => Math.max(1, Math.floor(view.clientHeight / ROW) - 1);
  const moves = {
    ArrowDown: (r) => select(visible[current < 0 ? 0 : Math.min(count - 1, r + 1)]),
    ArrowUp: (r) => select(visible[Math.max(0, r - 1)]),
    PageDown: (r) => select(visible[Math.min(count - 1, r + page())]),
    PageUp: (r) => select(visible[Math.max(0, r - page())]),
    Home: () => select(visible[0]),
    End: () => select(visible[count - 1]),
    ArrowRight: () => (hasChildren(current) ? (isOpen[current] ? select(visible[rowOf(current) + 1]) : toggle(current, 1)) : null),
    ArrowLeft: () => (hasChildren(current) && isOpen[current] ? toggle(current, 0) : select(s.parent[current])),
    Enter: () => toggle(current),
    " ": () => toggle(current),
    "*": () => (current >= 0 ? setAll(true, current, s.end[current]) : null),
    o: () => setAll(!allOpen),
    n: () => nextHit(1),
    N: () => nextHit(-1),
    m: () => setFilter(filter.value === "!main" ? "" : "!main"),
    t: () => panes.choose("text"),
    p: () => panes.choose("properties"),
    s: () => panes.choose("source"),
    "/": () => find.select() ?? find.focus(),
  };
  const labelKeys = { j: "relevant", f: "other", u: "withdrawn" };
  view.addEventListener("keydown", (event) => {
    if (hasModifier(event) || !s.n || frame.isHelpOpen()) return;
    if (canLabel && labelKeys[event.key]) model.send({ op: "label", seq: ++seq, label: labelKeys[event.key] });
    else if (Object.hasOwn(moves, event.key)) moves[event.key](current < 0 ? 0 : rowOf(current));
    else return;
    event.preventDefault();
  });

  const onReveal = () => reveal(model.get("revealed")[0]);
  model.on("change:skeleton", reset);
  model.on("change:revealed", onReveal);
  reset();
  el.append(root);
  const sizes = new ResizeObserver(later);
  sizes.observe(view);
  requestAnimationFrame(() => requestAnimationFrame(() => { root.dataset.painted = performance.now().toFixed(1); }));
  return () => {
    stop();
    sizes.disconnect();
    model.off("change:skeleton", reset);
    model.off("change:revealed", onReveal);
  };
}
export default { render };
