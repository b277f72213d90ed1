// Mouse, pen and finger on the map: drag moves or draws, a click asks, the wheel zooms. `act` says what each does.
const CLICK = 4; // pixels a pointer may move in a click
const REST = 60; // milliseconds over a point

function makePointer(surface, line, act) {
  let drag = null, timer = 0;
  const placeOf = (event) => {
    const box = surface.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  surface.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    surface.setPointerCapture(event.pointerId);
    const [left, top] = placeOf(event);
    drag = { left, top, moved: false, path: act.isDrawing() || event.shiftKey ? [left, top] : null, adds: event.ctrlKey || event.metaKey };
    act.hover(null);
  });
  surface.addEventListener("pointermove", (event) => {
    const [left, top] = placeOf(event);
    if (!drag) {
      clearTimeout(timer);
      timer = setTimeout(() => { if (!drag) act.hover(left, top); }, REST);
      return;
    }
    const dx = left - drag.left, dy = top - drag.top;
    if (!drag.moved && Math.hypot(dx, dy) < CLICK) return;
    drag.moved = true;
    if (drag.path) {
      drag.path.push(left, top);
      line.setAttribute("points", drag.path.join(" "));
    } else {
      act.move(dx, dy);
      [drag.left, drag.top] = [left, top];
    }
  });
  const end = (event) => {
    const done = drag;
    drag = null;
    line.setAttribute("points", "");
    if (!done || event.type === "pointercancel") return;
    if (!done.moved) act.click(done.left, done.top);
    else if (done.path) act.draw(done.path, done.adds);
  };
  surface.addEventListener("pointerup", end);
  surface.addEventListener("pointercancel", end);
  surface.addEventListener("pointerleave", () => { clearTimeout(timer); act.hover(null); });
  surface.addEventListener("wheel", (event) => {
    if (!act.wheel(event)) return;
    event.preventDefault();
    act.zoom(Math.exp(-Math.max(-120, Math.min(120, event.deltaY * (event.deltaMode ? 30 : 1))) / 300), ...placeOf(event));
  }, { passive: false });
  return { isDown: () => drag !== null, close: () => clearTimeout(timer) };
}
