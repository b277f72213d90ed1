// The card of one document: title, where it is from, why it is asked, its text with the words that speak for and against.
const probability = (score) => `P(relevant) = ${score.toFixed(2)}`;

function makeCard() {
  const element = make("div", "ck-card", { role: "region", "aria-label": "The document", tabindex: "0" });
  const show = (card, withScore) => {
    const text = make("div", "ck-card-text");
    let at = 0;
    for (const [start, end, isFor] of card.marks) {
      const mark = make("mark", isFor ? "ck-for" : "ck-against", { title: isFor ? "speaks for relevant" : "speaks against" });
      mark.textContent = card.text.slice(start, end);
      text.append(card.text.slice(at, start), mark);
      at = end;
    }
    text.append(card.text.slice(at));
    const score = withScore && typeof card.score === "number" ? `; ${probability(card.score)}` : "";
    const parts = [
      make("h3", "", {}, card.title),
      make("div", "ck-dim ck-mono", {}, card.uri),
      make("div", "ck-why", {}, `Asked because ${card.why}${score} · ${card.facts}`),
      text,
    ];
    if (card.left_out > 0) parts.push(make("p", "ck-dim", {}, `${number(card.left_out)} more characters`));
    element.replaceChildren(...parts);
    element.scrollTop = 0;
  };
  const say = (text) => element.replaceChildren(make("p", "ck-dim", {}, text));
  return { element, show, say, scroll: (by) => { element.scrollTop += by; } };
}
