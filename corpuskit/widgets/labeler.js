// Labelling. A key labels the card on the page at once and goes to the kernel, which answers when the label is on the disk.
// Cards are fetched ahead; a key typed while the next card is on its way waits for it, so that none is lost.
const PATIENCE = 3000; // milliseconds without a card; then keys are refused, since nobody knows what they would label
const HISTORY = 50;
const SKIPPED = "skipped";
const WINDOW = 20; // labels of the agreement line

function render({ model, el }) {
  const keys = model.get("label_keys"), prefetch = model.get("prefetch"), isAudit = model.get("is_audit");
  const isSelection = !isAudit && model.get("is_selection");
  const page = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
  // A label of one's own may be on this key; then there is the button.
  const hasSimilar = !isAudit && model.get("has_similar"), likeKey = keys.some(([key]) => key === "m") ? "" : "m";
  const frame = makeFrame("labeler", isAudit ? "Audit" : "Labelling", labelerHelp(keys, isAudit, isSelection, hasSimilar));
  const { root, tell } = frame;
  root.tabIndex = 0;
  keepKeys(root);

  let agreement = model.get("agreement") ?? [], cards = model.get("cards").slice(), counts = { ...model.get("counts") }, history = [], waiting = [];
  const labelled = new Set(); // in this session, until undone: late messages must not bring them back
  let seq = 0, showsScores = !isAudit && model.get("show_scores"), ended = false, asked = false, note = "", emptySince = 0;
  const unsaved = new Map(), agreed = [];

  const spark = sparkline(`The model agreed with you, of the last ${WINDOW}`);
  const agreedLine = make("span", "ck-dim"), othersLine = make("span", "ck-dim"), countLine = make("span", "ck-dim"), saved = make("span", "ck-saved", { role: "status", "aria-live": "polite" });
  const placeLine = make("strong", "ck-place"), audit = isAudit ? makeAuditLine() : null;
  const header = make("div", "ck-bar ck-head", {}, make("span", "ck-question", {}, model.get("question")), make("span", "ck-grow"), placeLine, ...(audit ? [audit.element] : []), spark.svg, agreedLine, countLine, saved, frame.opener);
  const card = makeCard((id) => {
    model.send({ op: "rest", id });
    root.focus({ preventScroll: true }); // the button goes away
  });
  const tree = makeTreePane(model, closeTree);
  const seeds = makeSeeds((words) => {
    model.send({ op: "seeds", words });
    seeds.show(false);
    root.focus({ preventScroll: true });
  });
  const noteField = make("input", "ck-note", { type: "text", "aria-label": "Note", placeholder: "Note, saved with the next label; Enter", maxlength: "500", hidden: "" });
  const bulk = make("div", "ck-bar ck-bulk", { role: "group", "aria-label": "One label for all", hidden: "" });
  const list = make("ol", "ck-history", { "aria-label": "History", hidden: "" });
  const tool = (key, text, what) => toolButton(key, text, () => act(what));
  const undoButton = toolButton("u", "undo", () => act(undo));
  const footer = make("div", "ck-bar ck-actions", {}, ...keys.map(([key, label]) => tool(nameOf(key), label, () => give(label))));
  const scoreButton = tool("p", "model", toggleScores);
  if (!isAudit) footer.append(tool("s", "skip", skip));
  footer.append(make("span", "ck-grow"), othersLine, undoButton, tool("o", "tree", openTree));
  if (!isAudit) footer.append(scoreButton, tool("n", "note", openNote), tool("h", "history", toggleHistory));
  if (isSelection) footer.append(tool("b", "all", openBulk));
  if (hasSimilar) footer.append(tool(likeKey, "more like this", moreLike));
  root.append(header, seeds.element, card.element, tree.element, noteField, bulk, list, footer, frame.status, frame.help);

  function act(what) {
    what();
    if (!noteField.hidden) noteField.focus();
    else if (tree.isOpen()) return;
    else if (bulk.hidden) root.focus({ preventScroll: true });
  }

  function send(message) {
    seq += 1;
    unsaved.set(seq, performance.now());
    model.send({ ...message, seq, page });
    return seq;
  }

  /** Asks for more cards, once at a time. */
  function refill() {
    if (asked || ended || cards.length > prefetch / 2) return;
    asked = true;
    model.send({ op: "more", n: prefetch - cards.length });
  }

  /** Labels the first card; without one, the key waits. */
  function give(label) {
    if (tree.isOpen()) closeTree();
    const shown = cards.shift();
    if (!shown) {
      if (ended) return tell("Nothing is left to label.");
      if (emptySince && performance.now() - emptySince > PATIENCE) return tell("The kernel is busy: no card, so the key was not taken.", true);
      waiting.push(label);
      refill();
      return status();
    }
    const of = send({ op: "label", id: shown.id, label, note });
    labelled.add(shown.id);
    refill();
    history.push({ of, card: shown, label, wasAgreed: agree(shown, label) });
    counts[label] = (counts[label] ?? 0) + 1;
    seeds.show(false);
    if (!isAudit && !showsScores && typeof shown.score === "number") tell(`${label}. The model had said ${probability(shown.score)}.`);
    note = noteField.value = "";
    show();
  }

  /** The model's guess, made before the label was known, against the label. */
  function agree(shown, label) {
    if (isAudit || typeof shown.score !== "number" || !["relevant", "other"].includes(label)) return false;
    agreed.push((shown.score >= 0.5) === (label === "relevant") ? 1 : 0);
    return true;
  }

  function undo() {
    const last = history.pop();
    if (!last) return tell("Nothing to undo.");
    if (last.card) labelled.delete(last.card.id);
    if (last.label === SKIPPED) {
      cards.unshift(last.card);
      tell("Asked again.");
      return show();
    }
    send({ op: "undo", of: last.of });
    if (last.wasAgreed) agreed.pop();
    if (last.card) {
      cards.unshift(last.card);
      counts[last.label] = Math.max(0, (counts[last.label] ?? 0) - 1);
    } else ended = false;
    tell(last.card ? `Taken back: ${last.label}.` : "The labels of the selection were taken back.");
    show();
  }

  function skip() {
    const shown = cards.shift();
    if (!shown) return;
    model.send({ op: "skip", id: shown.id });
    labelled.add(shown.id);
    history.push({ of: 0, card: shown, label: SKIPPED });
    refill();
    tell("Skipped: not asked again in this session.");
    show();
  }

  function moreLike() {
    if (!cards.length) return tell("There is no card to find more like.");
    model.send({ op: "similar", id: cards[0].id });
    tell("Looking for more like this …");
  }

  function openTree() {
    if (tree.isOpen()) return closeTree();
    if (cards.length) model.send({ op: "tree", id: cards[0].id });
  }

  function closeTree() {
    tree.hide();
    card.element.hidden = false;
    root.focus({ preventScroll: true });
  }

  function toggleScores() {
    showsScores = !showsScores;
    tell(showsScores ? "Each card tells what the model thinks." : "What the model thinks is told after the key.");
    show();
  }

  function openNote() {
    noteField.hidden = false;
    noteField.focus();
  }

  function openBulk() {
    const left = model.get("total") - history.filter((item) => item.card && item.label !== SKIPPED).length;
    bulk.replaceChildren(make("span", "", {}, `Label all ${number(left)} that are left:`));
    for (const [, label] of keys) bulk.append(button(label, () => giveAll(label)));
    bulk.append(button("cancel", () => { bulk.hidden = true; root.focus({ preventScroll: true }); }));
    bulk.hidden = false;
    bulk.querySelector("button").focus();
  }

  function giveAll(label) {
    const of = send({ op: "bulk", ids: cards.map((one) => one.id), label });
    history.push({ of, card: null, label });
    cards = [];
    ended = bulk.hidden = true;
    root.focus({ preventScroll: true });
    show();
  }

  function toggleHistory() {
    list.hidden = !list.hidden;
    showHistory();
  }

  function showHistory() {
    if (list.hidden) return;
    const items = history.slice(-HISTORY).reverse().map((item) => {
      const open = () => { model.send({ op: "again", id: item.card.id }); root.focus({ preventScroll: true }); };
      const text = item.card ? button(item.card.title, open) : make("span", "", {}, "a selection");
      return make("li", "", {}, make("span", "ck-badge", {}, item.label), " ", text);
    });
    list.replaceChildren(...(items.length ? items : [make("li", "ck-dim", {}, "No label in this session yet.")]));
  }

  function show() {
    const [shown] = cards;
    root.dataset.id = shown?.id ?? "";
    emptySince = shown || ended ? 0 : emptySince || performance.now();
    scoreButton.setAttribute("aria-pressed", String(showsScores));
    if (shown) card.show(shown, showsScores);
    else if (!ended) card.say("The next card is on its way …");
    else card.say(...(audit ? audit.end() : ["Nothing is left to label here."]));
    showHistory();
    status();
  }
  function status() {
    const total = Object.values(counts).reduce((sum, one) => sum + one, 0);
    const done = history.filter((item) => item.card).length;
    placeLine.textContent = isSelection && cards.length ? `${number(done + 1)} of ${number(model.get("total"))}` : "";
    countLine.textContent = isAudit ? "" : `${keys.map(([, label]) => `${label} ${number(counts[label] ?? 0)}`).join(" · ")} · ${number(total)} in all`;
    saved.textContent = unsaved.size ? `${unsaved.size} unsaved` : seq ? "✓ saved" : "";
    saved.classList.toggle("ck-unsaved", unsaved.size > 0);
    undoButton.disabled = !history.length;
    const last = agreed.slice(-WINDOW);
    spark.svg.toggleAttribute("hidden", !agreed.length);
    agreedLine.textContent = last.length ? `model agreed ${last.filter(Boolean).length}/${last.length}` : "";
    othersLine.textContent = agreement.filter((one) => one.kappa !== null).slice(0, 1).map(withOther).join("");
    spark.draw(agreed.map((_, i) => {
      const part = agreed.slice(Math.max(0, i + 1 - WINDOW), i + 1);
      return part.reduce((sum, one) => sum + one, 0) / part.length;
    }));
    Object.assign(root.dataset, { unsaved: unsaved.size, given: history.length, ahead: cards.length, waiting: waiting.length });
  }

  /** Cohen's kappa with another annotator, and its interval of 95 %. */
  function withOther(one) {
    return `with ${one.with}: κ ${one.kappa.toFixed(2)} (${one.low.toFixed(2)} to ${one.high.toFixed(2)}) on ${number(one.documents)}`;
  }

  function take(more, atFront = false) {
    const known = new Set(cards.map((one) => one.id));
    const fresh = more.filter((one) => !known.has(one.id) && !labelled.has(one.id));
    cards = atFront ? [...fresh, ...cards] : [...cards, ...fresh];
    if (fresh.length) emptySince = 0;
    while (waiting.length && cards.length) give(waiting.shift());
    show();
  }

  const stop = listen(model, {
    saved: (message) => {
      (root.acknowledged ??= []).push(performance.now() - unsaved.get(message.seq));
      unsaved.delete(message.seq);
      if (!unsaved.size) counts = { ...message.counts };
      agreement = message.agreement ?? [];
      if (audit && message.audit) audit.take(message.audit);
      // The end of an audit is shown with the progress after its last label, whichever message comes first.
      if (audit && ended && !cards.length) show();
      else status();
    },
    cards: (message) => {
      asked = false;
      if (message.end) { ended = true; waiting = []; }
      take(message.cards);
      if (message.cards.length) refill();
    },
    again: (message) => {
      cards = [];
      ended = false;
      message.cards.forEach((one) => labelled.delete(one.id));
      take(message.cards);
    },
    back: (message) => {
      message.cards.forEach((one) => labelled.delete(one.id));
      take(message.cards, true);
    },
    // The card that is being read stays; then those like the one that was asked with.
    like: (message) => {
      const next = message.cards.filter((one) => !labelled.has(one.id) && one.id !== cards[0]?.id), ids = new Set(next.map((one) => one.id));
      cards = [...cards.slice(0, 1), ...next, ...cards.slice(1).filter((one) => !ids.has(one.id))];
      if (next.length) ended = false;
      tell(next.length ? `${number(next.length)} documents like it come next.` : "No document without a label is like it.");
      show();
    },
    // What the model has learnt makes another choice, and other reasons; the card that is being read stays.
    learnt: (message) => {
      cards = cards.slice(0, 1);
      if (message.cards.length) ended = false;
      take(message.cards);
      refill();
      tell(`The model has learnt from ${number(message.labels)} labels.${message.hint ? ` ${message.hint}` : ""}`);
      root.dataset.learnt = message.labels;
    },
    rest: (message) => {
      const one = cards.find((other) => other.id === message.id);
      if (one) Object.assign(one, { blocks: message.blocks, left_out: message.left_out });
      show();
    },
    tree: async (message) => {
      if (cards[0]?.id !== message.id) return;
      card.element.hidden = true;
      await tree.show(message.model);
      tree.element.querySelector(".ck-tree")?.focus({ preventScroll: true });
    },
    fresh: (message) => {
      cards = [];
      ended = !message.cards.length;
      take(message.cards);
      const found = message.near ? "Most documents are near your words; between them are ones from all over the corpus." : "No document is near these words: the first ones are from all over the corpus.";
      const nowhere = message.nowhere ?? [];
      tell(nowhere.length ? `${found} In no document: ${nowhere.join(", ")}.` : found);
    },
    bulked: (message) => tell(`${number(message.n)} documents were labelled; u takes all of them back.`),
    error: (message) => {
      if (["label", "bulk", "undo"].includes(message.of)) tell(`NOT SAVED: ${message.message}`, true);
      else tell(message.message, true);
    },
  });

  noteField.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    note = event.key === "Enter" ? noteField.value.trim() : "";
    noteField.hidden = true;
    root.focus({ preventScroll: true });
    tell(note ? "The note goes with the next label." : "");
    event.preventDefault();
  });
  const others = { u: undo, o: openTree, ...(isAudit ? {} : { s: skip, n: openNote, h: toggleHistory, p: toggleScores }), ArrowDown: () => card.scroll(60), ArrowUp: () => card.scroll(-60),
    PageDown: () => card.scroll(300), PageUp: () => card.scroll(-300), ...(isSelection ? { b: openBulk } : {}), ...(hasSimilar && likeKey ? { m: moreLike } : {}) };
  root.addEventListener("keydown", (event) => {
    if (hasModifier(event) || isField(event.target) || frame.isHelpOpen()) return;
    if (tree.isOpen()) {
      if (event.key === "o" || (event.key === "Escape" && !event.defaultPrevented)) { closeTree(); event.preventDefault(); }
      return;
    }
    if (event.key === "Escape" && !bulk.hidden) { bulk.hidden = true; root.focus({ preventScroll: true }); return; }
    // A key held down repeats: one press is one label.
    const label = keys.find(([key]) => key === event.key)?.[1];
    if (label && event.target === card.element) root.focus({ preventScroll: true });
    const isOnButton = event.target.tagName === "BUTTON" && event.key === " ";
    if (label && !isOnButton && bulk.hidden) { if (!event.repeat) give(label); }
    else if (Object.hasOwn(others, event.key)) others[event.key]();
    else return;
    event.preventDefault();
  });
  ended = !cards.length;
  audit?.take(model.get("progress"));
  seeds.show(!isAudit && model.get("asks_seeds"));
  show();
  const left = model.get("left_to_others") ?? 0, copies = model.get("copies");
  if (left) tell(`${number(left)} documents that others have labelled are left to them.`);
  if (copies) tell(`${number(copies)} copies are not asked: the label of one counts for all.`);
  el.append(root);
  return stop;
}
export default { render };
