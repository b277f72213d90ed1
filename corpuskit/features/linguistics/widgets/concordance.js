// Key words in context; the document of a line opens as a tree.
function render({ model, el }) {
  const frame = makeFrame("concordance", "Concordance", LINE_KEYS);
  const { root, tell } = frame;
  keepKeys(root);
  const lines = makeLines(model, frame);
  root.append(lines.fields, lines.list.view, lines.tools, frame.status, frame.help);
  const stop = listen(model, { ...lines.handlers, error: (message) => tell(message.message, true) });
  el.append(root);
  lines.start();
  return () => { stop(); lines.close(); };
}
export default { render };
