// A list of equal rows of which only the seen ones exist; the kernel gives them by window. Put behind shell.js.
const LINE = 26; // pixels
const SPARE = 20;

/** `fill(element, row)` draws one row; `open(i, byKey)` is called for Enter or a click. */
function makeList(model, label, fill, open) {
  const id = `ck${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
  const view = make("div", "ck-view ck-list", { role: "listbox", tabindex: "0", "aria-label": label });
  const pad = make("div", "ck-pad", { role: "presentation" });
  view.append(pad);
  let count = 0, current = -1, generation = -1, asked = "";
  const known = new Map(), pool = new Map();

  function makeLine(i) {
    const line = make("div", "ck-line", { role: "option", id: `${id}-${i}`, "aria-posinset": i + 1 });
    line.style.top = `${i * LINE}px`;
    line.dataset.i = i;
    pool.set(i, line);
    pad.append(line);
    return line;
  }

  function paint() {
    const from = Math.max(0, Math.floor(view.scrollTop / LINE) - SPARE);
    const to = Math.min(count, Math.ceil((view.scrollTop + (view.clientHeight || 400)) / LINE) + SPARE);
    for (const [i, line] of pool) {
      if (i < from || i >= to) { line.remove(); pool.delete(i); }
    }
    let first = -1, last = -1;
    for (let i = from; i < to; i++) {
      const line = pool.get(i) ?? makeLine(i);
      line.setAttribute("aria-setsize", count);
      line.setAttribute("aria-selected", i === current);
      if (known.has(i)) {
        if (!line.firstChild) fill(line, known.get(i));
      } else {
        if (first < 0) first = i;
        last = i;
      }
    }
    if (current >= 0 && pool.has(current)) view.setAttribute("aria-activedescendant", `${id}-${current}`);
    else view.removeAttribute("aria-activedescendant");
    const wanted = `${generation} ${first} ${last}`;
    if (first >= 0 && wanted !== asked) {
      asked = wanted;
      model.send({ op: "rows", generation, start: first, end: last + 1 });
    }
  }
  // A hidden list says that it is scrolled to 0: its rows stay as they are until it is seen again.
  const later = oncePerFrame(() => { if (view.clientHeight) paint(); });

  function setCount(n, newGeneration) {
    if (newGeneration !== generation) {
      generation = newGeneration;
      known.clear();
      pool.forEach((line) => line.remove());
      pool.clear();
      current = -1;
      view.scrollTop = 0;
    }
    count = n;
    pad.style.height = `${count * LINE}px`;
    paint();
  }

  function take(message) {
    if (message.generation !== generation) return;
    message.rows.forEach((row, at) => {
      known.set(message.start + at, row);
      pool.get(message.start + at)?.replaceChildren(); // it may have changed
    });
    asked = "";
    later();
  }

  function select(i) {
    if (!count) return;
    current = Math.max(0, Math.min(count - 1, i));
    const top = current * LINE;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + LINE > view.scrollTop + view.clientHeight) view.scrollTop = top + LINE - view.clientHeight;
    later();
  }
  const page = () => Math.max(1, Math.floor(view.clientHeight / LINE) - 1);
  const moves = { ArrowDown: () => current + 1, ArrowUp: () => current - 1, PageDown: () => current + page(),
    PageUp: () => current - page(), Home: () => 0, End: () => count - 1 };
  view.addEventListener("scroll", later, { passive: true });
  view.addEventListener("click", (event) => {
    const line = event.target.closest(".ck-line");
    if (!line) return;
    view.focus({ preventScroll: true });
    select(Number(line.dataset.i));
    open(current, false);
  });
  view.addEventListener("keydown", (event) => {
    if (hasModifier(event)) return;
    if (Object.hasOwn(moves, event.key)) select(moves[event.key]());
    else if (event.key === "Enter" && current >= 0) open(current, true);
    else return;
    event.preventDefault();
  });
  const sizes = new ResizeObserver(later);
  sizes.observe(view);
  return { view, setCount, take, current: () => current, row: (i) => known.get(i), close: () => sizes.disconnect() };
}
