// How far an audit is, and what it says at its end.
function makeAuditLine() {
  const bar = make("progress", "", { max: "1", value: "0" }), text = make("span", "ck-dim");
  const element = make("span", "ck-audit", {}, bar, " ", text);
  let known = {};
  const take = (progress) => {
    known = progress;
    const { given, most, done, below } = progress;
    const isBelow = done && below;
    bar.max = isBelow ? below.of : most;
    bar.value = isBelow ? below.of - below.left : done ? most : given;
    text.textContent = isBelow
      ? below.left ? `claimed; ${number(below.left)} labels until it is known what is missed` : "claimed, and measured what is missed"
      : done ? "no claim" : `${number(given)} of at most ${number(most)} labels for a claim`;
    bar.hidden = done && !below;
    bar.setAttribute("aria-label", text.textContent);
  };
  const end = () => {
    const lines = [make("h3", "", {}, known.below ? "The audit is over" : "The audit is over: no claim"), make("p", "ck-claim", {}, known.claim)];
    if (known.missed) lines.push(make("p", "ck-claim", {}, `${known.missed.charAt(0).toUpperCase()}${known.missed.slice(1)}.`));
    return lines;
  };
  return { element, take, end };
}
