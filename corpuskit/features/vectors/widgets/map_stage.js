// What the map is made of: the stage with its points, the tabs beside it, and what its keys do.

function mapHelp(keys) {
  return [
    ["← ↑ → ↓", "move (drag)"], ["+ - 0", "nearer, farther, all (wheel)"], ["Enter", "the document in the middle (click)"],
    ["l", "draw a line around documents (Shift + drag; with Ctrl it adds)"], ["v", "choose all that are seen"], ["Esc", "choose none"],
    ...keys.map(([key, label]) => [key, `${label}: all that are chosen; if none are, the document shown`]), ["z", "take the last group back"],
    ["/", "look for a text"], ["c", "choose what is lit up"], ["m", "more like those chosen"], ["n", "more like the document shown"], ["t", "open the document as a tree"], ["Tab", "to the legend, the regions, the documents"],
    ["?", "this help"],
  ];
}

/** The points, the names over them, the line that is drawn around some, and the buttons in the corner. */
function makeStage(height, lasso, zoom, whole) {
  const canvas = make("canvas", "", { "aria-hidden": "true" }), still = make("img", "ck-still", { alt: "", hidden: "" });
  const layer = make("div", "ck-names", { "aria-hidden": "true" });
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg"), line = document.createElementNS(space, "polygon");
  drawing.setAttribute("class", "ck-lasso");
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(line);
  const spot = make("span", "ck-spot", { hidden: "", "aria-hidden": "true" }), tip = make("div", "ck-tip", { hidden: "", "aria-hidden": "true" });
  const cross = make("span", "ck-cross", { "aria-hidden": "true" }), none = make("p", "ck-empty ck-dim", { hidden: "" });
  const surface = make("div", "ck-surface", { role: "application", tabindex: "0", "aria-label": "Map: arrow keys move, plus and minus zoom, Enter tells of the document in the middle" }, canvas, still, layer, drawing, spot, cross, none);
  const lassoButton = button("", lasso, { "aria-pressed": "false", title: "Draw a line around documents (l, or Shift + drag)" });
  lassoButton.append(make("kbd", "", {}, "l"), " lasso");
  const controls = make("div", "ck-controls", {}, lassoButton, button("+", () => zoom(1.5), { "aria-label": "Nearer (+)" }), button("−", () => zoom(1 / 1.5), { "aria-label": "Farther (-)" }), button("all", whole, { "aria-label": "All of the map (0)" }));
  const stage = make("div", "ck-stage", {}, surface, controls, tip);
  stage.style.height = `${height}px`;
  return { canvas, still, layer, line, spot, tip, none, surface, lassoButton, stage };
}

/** Tabs with their panels; the arrow keys go from one to the next. */
function makeTabs(page, parts) {
  const tabs = {}, panels = {}, names = parts.map(([name]) => name);
  const tabBar = make("div", "ck-tabs", { role: "tablist", "aria-label": "Regions and documents" });
  for (const [name, title, element] of parts) {
    const id = `ckm-${page}-${name}`;
    panels[name] = make("div", "ck-panel", { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id }, element);
    tabs[name] = button(title, () => showTab(name), { role: "tab", id, "aria-controls": `${id}-panel` });
    tabBar.append(tabs[name]);
  }
  function showTab(name) {
    for (const one of names) {
      tabs[one].setAttribute("aria-selected", String(one === name));
      tabs[one].tabIndex = one === name ? 0 : -1;
      panels[one].hidden = one !== name;
    }
  }
  tabBar.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const at = names.findIndex((name) => tabs[name].getAttribute("aria-selected") === "true");
    const other = names[(at + step + names.length) % names.length];
    showTab(other);
    tabs[other].focus();
    event.preventDefault();
  });
  return { tabs, tabBar, panels: Object.values(panels), showTab };
}

/** A title beside a point, within the map. */
function showTip(tip, title, [left, top], width) {
  tip.textContent = title;
  tip.hidden = false;
  tip.style.left = `${Math.max(4, Math.min(left + 10, width - tip.offsetWidth - 4))}px`;
  tip.style.top = `${top > 40 ? top - tip.offsetHeight - 8 : top + 12}px`;
}

/** Brings the tree below a widget into the window. */
function showBelow(root) {
  let box = root;
  while (box && !box.querySelector(".ck-tree")) box = box.parentElement?.closest(".widget-vbox, .jp-OutputArea-output");
  box?.querySelector(".ck-tree").scrollIntoView({ block: "nearest" });
}

/** A path of the page (x, y, x, y ...) as one of the map. */
function toPlaces(camera, path) {
  const found = new Float64Array(path.length);
  for (let i = 0; i < found.length; i += 2) [found[i], found[i + 1]] = camera.toPlace(path[i], path[i + 1]);
  return found;
}

/** Keeps the canvas and the camera as large as the surface is. */
function watchSize(surface, canvas, camera, act) {
  const sizes = new ResizeObserver(() => {
    const wide = surface.clientWidth, high = surface.clientHeight, ratio = window.devicePixelRatio || 1;
    if (!wide || !high || (wide === camera.view.width && high === camera.view.height)) return;
    Object.assign(camera.view, { width: wide, height: high });
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
    act();
  });
  sizes.observe(surface);
  return sizes;
}

const colourOfText = (element) => getComputedStyle(element).color.match(/[\d.]+/g)?.slice(0, 3).map(Number) ?? [0, 0, 0];

function cameOrWent(n) {
  if (n < 0) return `${number(-n)} removed.`;
  return n === 1 ? "1 document came." : `${number(n)} documents came.`;
}

function savedTold({ n, label, kept }) {
  if (!label) return `${counted(n, "label")} ${n === 1 ? "was" : "were"} taken back.`;
  return `${counted(n, "document")} ${n === 1 ? "is" : "are"} labelled ${label}; z takes ${n === 1 ? "it" : "them all"} back.${kept ? ` ${number(kept)} keep the label that you gave them by themselves.` : ""}`;
}
