// Where nobody has labelled anything yet: a line that asks for words of the domain, by which the first documents are chosen.
function makeSeeds(begin) {
  const field = make("input", "", { type: "text", maxlength: "500", "aria-label": "Words of the documents you look for", placeholder: "premium, claim, policyholder" });
  const send = () => { if (field.value.trim()) begin(field.value); };
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") send(); });
  const element = make("div", "ck-bar ck-seeds", { role: "group", "aria-label": "Seed words", hidden: "" },
    make("span", "", {}, "No labels yet. Words of the documents you look for show those first:"), field, button("Begin with them", send));
  return { element, show: (isShown) => { element.hidden = !isShown; } };
}
