// The field above the map: what is found lights up, and can be chosen.

/** `act` says what is done: next() numbers a question, light(rows), take() chooses what is lit up, leave() goes back to the map. */
function makeSearch(model, act) {
  const text = make("input", "", { type: "search", placeholder: "Title or address; Enter: in texts  ( / )", "aria-label": "Look for a text; Enter looks in the texts too" });
  const found = make("span", "ck-dim", { "aria-live": "polite" });
  const take = toolButton("c", "choose these", act.take);
  take.hidden = true;
  let timer = 0;
  function search(inTexts) {
    clearTimeout(timer);
    if (!text.value.trim()) { show(); return act.light(new Uint32Array(0)); }
    const ask = () => model.send({ op: "search", text: text.value, in_texts: inTexts, seq: act.next() });
    if (inTexts) { show("looking in the texts …"); ask(); } else timer = setTimeout(ask, 200);
  }
  function show(told = "", n = 0) {
    found.textContent = told;
    take.hidden = !n;
  }
  text.addEventListener("input", () => search(false));
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter") search(true);
    else if (event.key === "Escape") act.leave();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { parts: [text, found, take], show, focus: () => text.focus(), clear: () => { text.value = ""; show(); }, close: () => clearTimeout(timer) };
}
