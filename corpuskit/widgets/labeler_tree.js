// The tree of the document on the card, in the card's place: a widget of its own, made by the kernel when it is asked for.
function makeTreePane(model, back) {
  const place = make("div", "ck-tree-place");
  const element = make("div", "ck-tree-pane", { hidden: "" }, make("div", "ck-bar", {}, button("Back to the card (o)", () => back()), make("span", "ck-dim", {}, "Keys move in the tree; they label nothing here.")), place);
  let known = "";
  const show = async (id) => {
    element.hidden = false;
    if (known === id) return;
    const tree = await model.widget_manager.get_model(id);
    const view = await model.widget_manager.create_view(tree);
    place.replaceChildren(view.el);
    known = id;
  };
  return { element, show, hide: () => { element.hidden = true; }, isOpen: () => !element.hidden };
}
