// Shared by all widgets; shell.py puts this file before each of them. No imports: it works without network.
// What was crawled is hostile: it reaches the page as textContent only.

/** An element with classes, attributes and children; strings become text. */
const make = (tag, classes = "", attributes = {}, ...children) => {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};

/** A button of the widget: a text, and what it does. */
const button = (text, act, attributes = {}) => {
  const element = make("button", "ck-button", { type: "button", ...attributes }, text);
  element.addEventListener("click", act);
  return element;
};

/** A button with the key that does the same. */
const toolButton = (key, text, act, shortcut = key) => {
  const element = button("", act, { "aria-keyshortcuts": shortcut || null });
  element.append(...(key ? [make("kbd", "", {}, key)] : []), ` ${text}`);
  return element;
};

/**
 * JupyterLab runs a notebook's command keys (a inserts a cell, x deletes one) for a focused widget too. One listener in the
 * bubble phase, after the widget's own, keeps plain keys inside; Ctrl+S and its like still reach the notebook.
 */
const keepKeys = (root) => {
  for (const type of ["keydown", "keypress", "keyup"]) {
    root.addEventListener(type, (event) => {
      if (!(event.ctrlKey || event.metaKey || event.altKey)) event.stopPropagation();
    });
  }
};

const hasModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** Keys typed into a field are text. */
const isField = (element) => /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

const number = (value) => (value ?? 0).toLocaleString("en");
/** A number with its noun: 1 line, 2 lines. */
const counted = (value, noun) => `${number(value)} ${noun}${value === 1 ? "" : "s"}`;
const percent = (value) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`);

/** A widget's frame: root, a line for screen readers and errors, and the help behind `?`. */
const makeFrame = (name, label, keys) => {
  const root = make("section", `ck ck-${name}`, { role: "group", "aria-label": label });
  const status = make("div", "ck-status", { role: "status", "aria-live": "polite" });
  const help = make("div", "ck-help", { role: "dialog", "aria-label": `Keys of ${label}`, tabindex: "-1", hidden: "" });
  const list = make("dl");
  for (const [key, meaning] of keys) {
    const names = make("dt");
    key.split(" ").forEach((part) => names.append(make("kbd", "", {}, part), " "));
    list.append(names, make("dd", "", {}, meaning));
  }
  let back = null;
  const close = () => {
    help.hidden = true;
    (back ?? root).focus({ preventScroll: true });
  };
  const toggleHelp = () => {
    if (!help.hidden) return close();
    back = root.contains(document.activeElement) ? document.activeElement : null;
    help.hidden = false;
    help.focus({ preventScroll: true });
  };
  help.append(make("h3", "", {}, "Keys"), list, button("Close", close));
  const opener = button("?", toggleHelp, { "aria-label": "Help: keys", title: "Keys (?)" });
  opener.classList.add("ck-opener");
  root.addEventListener("keydown", (event) => {
    if (hasModifier(event) || isField(event.target)) return;
    if (event.key === "?") toggleHelp();
    else if (event.key === "Escape" && !help.hidden) close();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  });
  const tell = (text, isError = false) => {
    status.textContent = text;
    status.classList.toggle("ck-error", isError);
  };
  return { root, status, help, opener, tell, isHelpOpen: () => !help.hidden };
};

/** Listens to the kernel's messages by their op; gives the function that ends it. */
const listen = (model, handlers) => {
  const on = (message, buffers) => handlers[message?.op]?.(message, buffers ?? []);
  model.on("msg:custom", on);
  return () => model.off("msg:custom", on);
};

/** At most one call a frame. */
const oncePerFrame = (act) => {
  let asked = 0;
  return () => {
    asked ||= requestAnimationFrame(() => {
      asked = 0;
      act();
    });
  };
};

/** A line chart without axes: values from 0 to 1 in a box of 100 by 24. */
const sparkline = (label) => {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const line = document.createElementNS(space, "polyline");
  svg.setAttribute("class", "ck-spark");
  svg.setAttribute("viewBox", "0 -1 100 26");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.append(line);
  const draw = (values) => {
    const step = 100 / Math.max(1, values.length - 1);
    const points = values.map((value, i) => `${(i * step).toFixed(2)},${(24 * (1 - value)).toFixed(2)}`);
    line.setAttribute("points", points.join(" "));
    const last = values.length ? percent(values[values.length - 1]) : "no value yet";
    svg.setAttribute("aria-label", `${label}: ${last}`);
  };
  draw([]);
  return { svg, draw };
};
