// The map: all documents as points; the list beside it does by keys what the mouse does on it.
const STEP = 0.15; // of the map, for an arrow key
const NEAR = 14; // pixels from a click to a point

function render({ model, el }) {
  const keys = model.get("label_keys");
  const page = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
  const frame = makeFrame("map", "Map of documents", mapHelp(keys));
  const { root, tell } = frame;
  keepKeys(root);

  let places = NO_PLACES, codes = new Uint8Array(0), fine = new Uint16Array(0), flags = new Uint8Array(0), regions = [];
  let chosen = new Uint32Array(0), hits = 0, shownCount = 0, seq = 0, asked = 0, generation = 0, hovered = -1, spotAt = -1, lassoing = false, touched = false, listsChosen = false;
  const unsaved = new Map(), history = [];
  const camera = makeCamera();

  const { canvas, still, layer, line, spot, tip, none, surface, lassoButton, stage } = makeStage(model.get("height"), () => setLasso(!lassoing), zoom, all);

  const search = makeSearch(model, { next: () => ++asked, light: (rows) => light(rows), take: takeHits, leave() { clear(); surface.focus({ preventScroll: true }); } });
  const colour = make("select", "", { "aria-label": "Colour by" });
  model.get("colours").forEach((name) => colour.append(make("option", "", { value: name }, name)));
  const count = make("span", "ck-count", { role: "status", "aria-live": "polite" }), saved = make("span", "ck-saved", { role: "status", "aria-live": "polite" });

  const legend = makeLegend(() => { light(); });
  const regionList = makeRegions(goTo, toggleRegion);
  const list = makeList(model, "Documents", (row, [, title, source]) => {
    row.append(make("span", "", { title }, title), make("span", "ck-dim", { title: source }, source));
  }, (i) => { const row = list.row(i); if (row) ask(row[0], true); });
  const about = makeAbout(openTree, () => alike([about.row()], "the document shown"), () => status());
  const { tabs, tabBar, panels, showTab } = makeTabs(page, [["regions", "Regions", regionList.element], ["documents", "Documents", list.view]]);
  const side = make("div", "ck-side", {}, make("div", "ck-bar", {}, make("label", "ck-by", {}, "Colour by ", colour)), legend.element, tabBar, ...panels);
  const footer = make("div", "ck-bar ck-actions");
  const acts = [];
  const tool = (key, title, act) => {
    footer.append(toolButton(key, title, () => { act(); surface.focus({ preventScroll: true }); }, key === "Esc" ? "Escape" : key));
    return footer.lastChild;
  };
  for (const [key, label] of keys) acts.push(tool(key, label, () => give(label)));
  footer.append(make("span", "ck-grow"));
  const undoButton = tool("z", "undo", undo);
  tool("v", "all seen", chooseSeen).title = "Choose all documents that are seen";
  const likeButton = tool("m", "more like these", likeThese);
  const noneButton = tool("Esc", "none", clear);
  acts.push(likeButton, noneButton);
  likeButton.hidden = about.likeButton.hidden = !model.get("has_similar");
  root.append(make("div", "ck-bar ck-top-bar", {}, ...search.parts, make("span", "ck-grow"), saved, count, frame.opener),
    make("div", "ck-split ck-map-split", {}, stage, side), about.element, footer, frame.status, frame.help);

  const painter = makePainter(canvas);
  const paint = oncePerFrame(() => {
    const n = places.length / 2;
    if (!painter || !camera.view.width || !n) return layer.replaceChildren();
    painter.draw(n, camera.view, sizeOf(n), isLit());
    names.place(camera);
    showSpot();
    tip.hidden = true; // its point has moved
    if (!root.dataset.painted) { // told once, when it is done
      painter.finish();
      root.dataset.painted = performance.now();
    }
    root.dataset.points = n;
  });
  const names = makeNames(layer);
  const isLit = () => chosen.length > 0 || hits > 0;
  const sizeOf = (n) => Math.min(16, Math.max(2.4, Math.min(10, 0.9 * Math.sqrt((camera.view.width * camera.view.height) / n))) * Math.max(1, camera.zoom()) ** 0.35);

  /** The flags of all points anew: chosen, found, out of what the legend shows. */
  function light(rowsFound = null) {
    const found = rowsFound ?? rowsWith(flags, HIT), picked = legend.picked();
    flags = new Uint8Array(places.length / 2);
    if (picked >= 0) for (let i = 0; i < flags.length; i++) if (codes[i] !== picked) flags[i] = FADED;
    found.forEach((i) => { if (i < flags.length) flags[i] = (flags[i] & ~FADED) | HIT; });
    chosen.forEach((i) => { if (i < flags.length) flags[i] = (flags[i] & ~FADED) | CHOSEN; });
    hits = found.length;
    painter?.set("flag", flags);
    paint();
  }

  // -- choosing -------------------------------------------------------------------------------------------------------
  function choose(rows, isTold = true) {
    chosen = rows;
    if (isTold) model.send({ op: "select" }, undefined, [chosen.slice().buffer]);
    light();
    markRegions();
    listDocuments();
    status();
  }
  const both = (rows) => Uint32Array.from(new Set([...chosen, ...rows]));
  function takeHits() {
    if (!hits) return tell("Nothing is lit up: look for a text (/), or for more like some (m).");
    choose(rowsWith(flags, HIT));
  }
  function clear() {
    search.clear();
    hits = 0;
    light(new Uint32Array(0));
    choose(new Uint32Array(0));
  }
  function chooseSeen() {
    const { width, height } = camera.view;
    choose(inside(places, toPlaces(camera, [0, height, width, height, width, 0, 0, 0])));
  }
  const membersOf = (at) => rowsOfRegion(places, fine, regions, at), wholly = () => wholeRegions(chosen, fine, regions);
  const markRegions = () => regionList.choose(wholly());
  function toggleRegion(at) {
    const rows = membersOf(at);
    if (!wholly().has(at)) return choose(both(rows));
    const out = new Set(rows);
    choose(chosen.filter((i) => !out.has(i)));
  }
  function goTo(at) {
    const box = boxOf(places, membersOf(at));
    if (!box) return;
    const [, name, , , documents, x, y, radius] = regions[at], reach = Math.max(2 * radius, 0.01);
    // A region may have stragglers far away: its middle is shown, not all of them.
    camera.fit([Math.max(box[0], x - reach), Math.max(box[1], y - reach), Math.min(box[2], x + reach), Math.min(box[3], y + reach)]);
    touched = true;
    tell(`${name}: ${counted(documents, "document")}. Space chooses ${documents === 1 ? "it" : "them"}.`);
    paint();
  }

  // -- labels ---------------------------------------------------------------------------------------------------------
  function send(message, rows = null) {
    seq += 1;
    unsaved.set(seq, performance.now());
    model.send({ ...message, seq, page }, undefined, rows ? [rows.slice().buffer] : []);
    status();
    return seq;
  }
  function give(label) {
    const rows = chosen.length ? chosen : Uint32Array.from(about.row() >= 0 ? [about.row()] : []); // the document shown, where none are chosen
    if (!rows.length) return tell("Nothing is chosen: click a document, draw a line around some (l), choose regions (Space) or all that are seen (v).");
    history.push({ of: send({ op: "label", label }, rows), label });
    status();
  }
  function undo() {
    const last = history.pop();
    if (!last) return tell("There is no group to take back.");
    send({ op: "undo", of: last.of });
  }

  // -- documents ------------------------------------------------------------------------------------------------------
  function listDocuments() {
    generation += 1;
    listsChosen = chosen.length > 0;
    model.send({ op: "list", generation }, undefined, listsChosen ? [chosen.slice().buffer] : []);
  }
  function ask(row, isShown = false) {
    model.send({ op: "about", row });
    spotAt = row;
    if (isShown && !isSeen(row)) {
      camera.view.x = places[2 * row];
      camera.view.y = places[2 * row + 1];
    }
    paint();
  }
  const isSeen = (row) => { const [left, top] = camera.toPage(places[2 * row], places[2 * row + 1]); return left > 0 && top > 0 && left < camera.view.width && top < camera.view.height; };
  function showSpot() {
    spot.hidden = spotAt < 0 || about.element.hidden || !isSeen(spotAt);
    if (spot.hidden) return;
    const [left, top] = camera.toPage(places[2 * spotAt], places[2 * spotAt + 1]);
    spot.style.transform = `translate(${left}px, ${top}px)`;
  }
  function openTree() {
    if (about.row() < 0) return tell("No document is chosen: click one, or press Enter on the map.");
    model.send({ op: "open", row: about.row() });
    tell("The tree is below the map.");
  }
  function alike(rows, what) {
    if (!model.get("has_similar")) return;
    if (!rows.length || rows[0] < 0) return tell("Choose documents first, or click one: more like these are looked for.");
    model.send({ op: "similar", seq: ++asked }, undefined, [Uint32Array.from(rows).buffer]);
    tell(`Looking for more like ${what} …`);
  }
  function likeThese() { return chosen.length ? alike(chosen, `the ${number(chosen.length)} chosen`) : alike([about.row()], "the document shown"); }

  // -- moving ---------------------------------------------------------------------------------------------------------
  function zoom(factor, left = camera.view.width / 2, top = camera.view.height / 2) { camera.zoomAt(left, top, factor); touched = true; paint(); }
  let fitted = crowdBox;
  function whole() { const box = fitted(places); if (box) camera.fit(box, true); touched = false; paint(); }
  function all() { fitted = boxOf; whole(); }
  function setLasso(isOn) {
    lassoing = isOn;
    lassoButton.setAttribute("aria-pressed", String(isOn));
    surface.classList.toggle("ck-drawing", isOn);
    if (isOn) tell("Draw a line around documents. By keys: choose regions (Space in the list), or move and press v.");
  }
  const pointAt = (left, top) => nearest(places, ...camera.toPlace(left, top), NEAR / camera.view.scale);
  const pointer = makePointer(surface, line, {
    isDrawing: () => lassoing,
    click(left, top) {
      const row = pointAt(left, top);
      if (row >= 0) return ask(row);
      about.hide();
      spotAt = -1;
      paint();
    },
    hover(left, top) {
      const row = left === null ? -1 : pointAt(left, top);
      if (row === hovered) return;
      hovered = row;
      tip.hidden = true;
      if (row >= 0) model.send({ op: "title", row });
    },
    move(dx, dy) { camera.move(dx, dy); touched = true; paint(); },
    draw(path, adds) {
      const rows = inside(places, toPlaces(camera, path));
      choose(adds ? both(rows) : rows);
      setLasso(false);
    },
    // The page scrolls over a map that nobody works in.
    wheel: (event) => root.contains(document.activeElement) || event.ctrlKey || event.metaKey,
    zoom,
  });

  // -- keys -----------------------------------------------------------------------------------------------------------
  const shift = (x, y) => { camera.move(x * camera.view.width * STEP, y * camera.view.height * STEP); touched = true; paint(); };
  const onMap = { ArrowLeft: () => shift(1, 0), ArrowRight: () => shift(-1, 0), ArrowUp: () => shift(0, 1), ArrowDown: () => shift(0, -1),
    Enter: () => { const row = nearest(places, camera.view.x, camera.view.y); if (row >= 0) ask(row); } };
  const anywhere = { "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: all, l: () => setLasso(!lassoing), v: chooseSeen, z: undo,
    m: likeThese, n: () => alike([about.row()], "the document shown"), c: takeHits, t: openTree, "/": search.focus, Escape: () => (lassoing ? setLasso(false) : clear()) };
  root.addEventListener("keydown", (event) => {
    if (hasModifier(event) || isField(event.target) || frame.isHelpOpen()) return;
    const label = keys.find(([key]) => key === event.key)?.[1];
    if (event.target === surface && Object.hasOwn(onMap, event.key)) onMap[event.key]();
    else if (label) { if (!event.repeat) give(label); }
    else if (Object.hasOwn(anywhere, event.key)) anywhere[event.key]();
    else return;
    event.preventDefault();
  });

  // -- what the kernel says -------------------------------------------------------------------------------------------
  function status() {
    count.textContent = chosen.length ? `${number(chosen.length)} chosen` : counted(shownCount, "document");
    saved.textContent = unsaved.size ? `${unsaved.size} unsaved` : seq ? "✓ saved" : "";
    saved.classList.toggle("ck-unsaved", unsaved.size > 0);
    acts.forEach((one) => { one.disabled = !chosen.length && (about.row() < 0 || one === noneButton); });
    undoButton.disabled = !history.length;
    Object.assign(root.dataset, { chosen: chosen.length, unsaved: unsaved.size, hits, given: seq });
  }
  function takeAll() {
    const before = shownCount;
    places = arrayOf(Float32Array, model.get("places"));
    fine = arrayOf(Uint16Array, model.get("fine"));
    regions = model.get("regions");
    shownCount = 0;
    for (let i = 0; i < places.length; i += 2) if (places[i] === places[i]) shownCount += 1;
    painter?.set("place", places);
    names.take(regions);
    regionList.show(regions);
    none.hidden = shownCount > 0;
    none.textContent = "The corpus has no documents yet: what is added or crawled appears here.";
    takeColours();
    if (!touched) whole();
    if (before && shownCount !== before) tell(cameOrWent(shownCount - before));
    if (!listsChosen) listDocuments();
    markRegions();
    status();
  }
  function takeColours() {
    codes = arrayOf(Uint8Array, model.get("codes"));
    if (codes.length !== places.length / 2) return; // the points of these come with the next message
    painter?.set("code", codes);
    colour.value = model.get("colour");
    showTheme();
    light();
  }
  function showTheme() {
    const text = colourOfText(root), colours = model.get("palette")[text[0] + text[1] + text[2] > 382 ? "dark" : "light"];
    painter?.setPalette(colours, text);
    legend.show(model.get("legend"), colours);
    paint();
  }
  const stop = listen(model, {
    rows: list.take,
    listed: (message) => {
      if (message.generation !== generation) return;
      list.setCount(message.n, message.generation);
      tabs.documents.textContent = `${listsChosen ? "Chosen" : "Documents"}: ${number(message.n)}`;
    },
    title: (message) => {
      if (message.row !== hovered || pointer.isDown()) return;
      showTip(tip, message.title, camera.toPage(places[2 * hovered], places[2 * hovered + 1]), camera.view.width);
    },
    about: (message) => { about.show(message); status(); paint(); },
    opened: () => setTimeout(() => showBelow(root), 100), // as soon as the page has made room for it
    choose: (_, buffers) => choose(arrayOf(Uint32Array, buffers[0]), false),
    hits: (message, buffers) => {
      if (message.seq !== asked) return;
      light(arrayOf(Uint32Array, buffers[0]));
      search.show(`${number(message.n)} found`, message.n);
      tell(message.of === "similar" ? `${counted(message.n, "document")} like these ${message.n === 1 ? "is" : "are"} lit up; c chooses them.` : "");
      status();
    },
    saved: (message) => {
      if (!unsaved.has(message.seq)) return;
      (root.acknowledged ??= []).push(performance.now() - unsaved.get(message.seq));
      unsaved.delete(message.seq);
      tell(savedTold(message));
      status();
    },
    picture: (_, buffers) => {
      still.src = URL.createObjectURL(new Blob([buffers[0]], { type: "image/png" })); // our own bytes
      still.hidden = false;
    },
    error: (message) => {
      if (["label", "undo"].includes(message.of)) tell(`NOT SAVED: ${message.message}`, true);
      else tell(message.message, true);
      if (message.of === "search") search.show();
    },
  });
  colour.addEventListener("change", () => { model.set("colour", colour.value); model.save_changes(); });
  let isAll = false;
  const later = oncePerFrame(() => { if (isAll) takeAll(); else takeColours(); isAll = false; if (!painter) model.send({ op: "picture" }); });
  const takeLater = () => { isAll = true; later(); };
  model.on("change:places change:fine change:regions", takeLater);
  model.on("change:codes change:legend change:colour", later);

  const sizes = watchSize(surface, canvas, camera, () => { if (!touched) whole(); paint(); });
  const themes = new MutationObserver(showTheme);
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class"] });
  el.append(root);
  if (!painter) {
    surface.classList.add("ck-flat");
    tell("This browser cannot draw the map (WebGL2 is missing): the picture stands still, the lists beside it do all the rest.");
    model.send({ op: "picture" });
  }
  showTab("regions");
  takeAll();
  if (!regions.length) showTab("documents");
  return () => {
    stop(); list.close(); sizes.disconnect(); themes.disconnect(); search.close(); pointer.close(); painter?.close();
    model.off("change:places change:fine change:regions", takeLater);
    model.off("change:codes change:legend change:colour", later);
  };
}
export default { render };
