// The card of one document: title, where it is from, why it is asked, and its structure with the words that speak for and
// against. Everything reaches the page as text: no HTML of a document becomes HTML here.
const probability = (score) => `P(relevant) = ${score.toFixed(2)}`;

/** An element with a text in which words are marked. */
const marked = (tag, classes, block) => {
  const element = make(tag, classes);
  let at = 0;
  for (const [start, end, isFor] of block.marks) {
    const mark = make("mark", isFor ? "ck-for" : "ck-against", { title: isFor ? "speaks for relevant" : "speaks against" });
    mark.textContent = block.text.slice(start, end);
    element.append(block.text.slice(at, start), mark);
    at = end;
  }
  element.append(block.text.slice(at));
  return element;
};

const tableOf = (block) => {
  const body = make("tbody");
  for (const row of block.rows) {
    const line = make("tr");
    for (const cell of row) {
      const one = marked(cell.head ? "th" : "td", "", cell);
      if (cell.rows > 1) one.rowSpan = cell.rows;
      if (cell.columns > 1) one.colSpan = cell.columns;
      line.append(one);
    }
    body.append(line);
  }
  return make("div", "ck-table", {}, make("table", "", {}, body));
};

/** Blocks as headings, paragraphs, lists and tables; items that follow each other make a list. */
const structureOf = (blocks) => {
  const root = make("div", "ck-card-text");
  let lists = []; // the open lists, the outermost first
  for (const block of blocks) {
    if (block.kind === "item") {
      lists.length = Math.min(lists.length, block.depth);
      while (lists.length < block.depth) {
        const list = make("ul");
        (lists.at(-1)?.lastElementChild ?? lists.at(-1) ?? root).append(list);
        lists.push(list);
      }
      lists.at(-1).append(marked("li", "", block));
      continue;
    }
    lists = [];
    if (block.kind === "table") root.append(tableOf(block));
    // The card's title is of level 3.
    else if (block.kind === "heading") root.append(marked(`h${Math.min(6, block.depth + 2)}`, "", block));
    else root.append(marked("p", block.kind === "title" ? "ck-block-title" : "", block));
  }
  return root;
};

function makeCard(openRest) {
  const element = make("div", "ck-card", { role: "region", "aria-label": "The document", tabindex: "0" });
  let shown = "";
  const textOf = (card) => {
    const [first] = card.blocks;
    const isTitle = first?.kind === "heading" && first.text === card.title; // it stands above already
    const parts = [structureOf(isTitle ? card.blocks.slice(1) : card.blocks)];
    if (card.left_out > 0) {
      const more = button(`${number(card.left_out)} more characters`, () => openRest(card.id));
      parts.push(make("p", "ck-more", {}, more));
    }
    return make("div", "", {}, ...parts);
  };
  const show = (card, withScore) => {
    const key = `${card.id} ${card.blocks.length} ${card.left_out} ${withScore} ${card.score} ${card.why}`;
    if (key === shown) return; // it stays where it was scrolled to
    const isOther = !shown.startsWith(`${card.id} `);
    shown = key;
    const score = withScore && typeof card.score === "number" ? `; ${probability(card.score)}` : "";
    const why = card.why ? `Asked because ${card.why}${score} · ${card.facts}` : card.facts;
    const at = element.scrollTop;
    element.replaceChildren(
      make("h3", "", {}, card.title), make("div", "ck-dim ck-mono", {}, card.uri), make("div", "ck-why", {}, why), textOf(card),
    );
    element.scrollTop = isOther ? 0 : at;
  };
  const say = (...content) => {
    shown = "";
    element.replaceChildren(...content.map((part) => (typeof part === "string" ? make("p", "ck-dim", {}, part) : part)));
  };
  return { element, show, say, scroll: (by) => { element.scrollTop += by; } };
}

const nameOf = (key) => (key === " " ? "space" : key);

/** What the keys of the labeller do. */
function labelerHelp(keys, isAudit, isSelection, hasSimilar) {
  return [
    ...keys.map(([key, label]) => [nameOf(key), label]), ["u", "undo"],
    ...(isAudit ? [] : [["s", "skip: not asked in this session"], ["n", "note, saved with the next label"]]),
    ...(isSelection ? [["b", "one label for all that is left of the selection"]] : []),
    ...(hasSimilar ? [["m", "more like this: such documents are asked next"]] : []),
    ["o", "open the tree of the document, and close it"],
    ...(isAudit ? [] : [["h", "history; a click judges again"], ["p", "show or hide what the model thinks"]]),
    ["↑ ↓ PgUp PgDn", "scroll the text"], ["?", "this help"],
  ];
}
