// The points of a map: one buffer, drawn by WebGL2; moved and zoomed; found by a click and by a line around them.
// Own code and not jupyter-scatter, for reasons that CONTRIBUTING.md tells with figures.
const CHOSEN = 1, HIT = 2, FADED = 4;
const VERTEX = `#version 300 es
in vec2 place; in uint code; in uint flag;
uniform vec2 middle, scale; uniform float size; uniform int turn; uniform bool lit;
uniform sampler2D palette;
out vec4 colour; flat out uint shape; flat out float ring; flat out float width;
void main() {
  bool chosen = (flag & 1u) != 0u, hit = (flag & 2u) != 0u, plain = code >= 254u;
  bool dim = (flag & 4u) != 0u || (lit && !chosen && !hit);
  int mine = chosen || hit ? 2 : dim || plain ? 0 : 1;
  gl_Position = vec4((place - middle) * scale, 0.0, 1.0);
  if (mine != turn || isnan(place.x)) gl_Position = vec4(9.0, 9.0, 9.0, 1.0);
  colour = vec4(texelFetch(palette, ivec2(int(code), 0), 0).rgb, dim ? 0.22 : plain ? 0.65 : 0.9);
  shape = code < 28u ? code / 7u : 0u;
  ring = chosen ? 1.0 : 0.0;
  width = (chosen || hit ? size + 2.0 : size) + (shape == 2u ? 1.0 : 0.0);
  gl_PointSize = width;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 colour; flat in uint shape; flat in float ring; flat in float width;
uniform vec3 text;
out vec4 drawn;
void main() {
  vec2 p = gl_PointCoord * 2.0 - 1.0;
  float far = shape == 1u ? max(abs(p.x), abs(p.y)) + 0.12 : shape == 2u ? max(abs(p.x) * 0.9 + (1.0 - p.y) * 0.45 - 0.1, p.y) + 0.05
    : shape == 3u ? abs(p.x) + abs(p.y) : length(p);
  float edge = 2.0 / width;
  float inside = 1.0 - smoothstep(1.0 - edge, 1.0, far);
  if (inside <= 0.0) discard;
  vec3 tone = ring > 0.0 && width > 6.0 && far > 1.0 - 2.0 * edge ? text : colour.rgb;
  drawn = vec4(tone, 1.0) * colour.a * inside;
}`;

const parseColour = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** Draws on `canvas`; null where there is no WebGL2. */
function makePainter(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, premultipliedAlpha: true });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  gl.useProgram(program);
  const at = (name) => gl.getUniformLocation(program, name);
  const uniforms = Object.fromEntries(["middle", "scale", "size", "turn", "lit", "text"].map((name) => [name, at(name)]));
  const buffers = {};
  for (const [name, size, isWhole] of [["place", 2, false], ["code", 1, true], ["flag", 1, true]]) {
    const place = gl.getAttribLocation(program, name);
    buffers[name] = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name]);
    gl.enableVertexAttribArray(place);
    if (isWhole) gl.vertexAttribIPointer(place, size, gl.UNSIGNED_BYTE, 0, 0);
    else gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
  }
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  return {
    set(name, values) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name]);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    },
    setPalette(colours, text) {
      const pixels = new Uint8Array(1024).fill(128);
      for (const [code, hex] of Object.entries(colours)) pixels.set([...parseColour(hex), 255], 4 * Number(code));
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      gl.uniform3f(uniforms.text, ...text.map((one) => one / 255));
    },
    draw(count, view, size, isLit) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniform2f(uniforms.middle, view.x, view.y);
      gl.uniform2f(uniforms.scale, (2 * view.scale) / view.width, (2 * view.scale) / view.height);
      gl.uniform1f(uniforms.size, size * (canvas.width / view.width));
      gl.uniform1i(uniforms.lit, isLit ? 1 : 0);
      for (let turn = 0; turn < 3; turn++) {
        gl.uniform1i(uniforms.turn, turn);
        gl.drawArrays(gl.POINTS, 0, count);
      }
    },
    finish: () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)), // gl.finish() comes back before
    close: () => gl.getExtension("WEBGL_lose_context")?.loseContext(),
  };
}

const NO_PLACES = new Float32Array(0);
const arrayOf = (Kind, view) => (view?.byteLength ? new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength)) : new Kind(0));

/** Which part of the map is seen: the middle, and pixels for a unit. y grows upwards. */
function makeCamera() {
  const view = { x: 0, y: 0, scale: 1, width: 0, height: 0 }; // until it is on the page
  let whole = 1;
  const toPlace = (left, top) => [view.x + (left - view.width / 2) / view.scale, view.y - (top - view.height / 2) / view.scale];
  const toPage = (x, y) => [(x - view.x) * view.scale + view.width / 2, view.height / 2 - (y - view.y) * view.scale];
  return {
    view, toPlace, toPage,
    zoom: () => view.scale / whole,
    move(dx, dy) { view.x -= dx / view.scale; view.y += dy / view.scale; },
    zoomAt(left, top, factor) {
      const [x, y] = toPlace(left, top);
      view.scale = Math.max(whole / 4, Math.min(whole * 5000, view.scale * factor));
      view.x = x - (left - view.width / 2) / view.scale;
      view.y = y + (top - view.height / 2) / view.scale;
    },
    /** Shows a rectangle: all of it, with room around. */
    fit([x0, y0, x1, y1], isWhole = false) {
      if (!view.width || !view.height) return;
      view.x = (x0 + x1) / 2;
      view.y = (y0 + y1) / 2;
      const room = 0.9, least = 1e-4;
      const scale = room * Math.min(view.width / Math.max(x1 - x0, least), view.height / Math.max(y1 - y0, least));
      if (isWhole) whole = scale;
      view.scale = Math.min(scale, whole * 5000);
    },
  };
}

/** The box around all points, or around some; null where there are none. */
function boxOf(places, rows = null) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  const grow = (i) => {
    const x = places[2 * i], y = places[2 * i + 1];
    if (x !== x) return;
    if (x < box[0]) box[0] = x;
    if (y < box[1]) box[1] = y;
    if (x > box[2]) box[2] = x;
    if (y > box[3]) box[3] = y;
  };
  if (rows) rows.forEach(grow);
  else for (let i = 0; i < places.length / 2; i++) grow(i);
  return box[0] === Infinity ? null : box;
}

/** The box around all points but a few (2 in 100 on each side) that stand so far off that the others would be half as large. */
function crowdBox(places) {
  const box = boxOf(places);
  if (!box) return null;
  const crowd = [...box];
  for (const axis of [0, 1]) {
    const values = places.filter((value, i) => i % 2 === axis && value === value).sort(), few = Math.ceil(0.02 * values.length);
    const low = values[Math.min(few, values.length - 1)], high = values[Math.max(0, values.length - 1 - few)], room = 0.1 * (high - low);
    crowd[axis] = Math.max(box[axis], low - room);
    crowd[axis + 2] = Math.min(box[axis + 2], high + room);
  }
  const isFar = [0, 1].some((axis) => 2 * (crowd[axis + 2] - crowd[axis]) < box[axis + 2] - box[axis] && crowd[axis + 2] > crowd[axis]);
  return isFar ? crowd : box;
}

/** The point nearest to a place, -1 where none is within `most`. */
function nearest(places, x, y, most = Infinity) {
  let best = most * most, found = -1;
  for (let i = 0; i < places.length / 2; i++) {
    const dx = places[2 * i] - x, dy = places[2 * i + 1] - y, far = dx * dx + dy * dy;
    if (far < best) { best = far; found = i; }
  }
  return found;
}

/** The points inside a line that is closed: a ray from each crosses it an odd number of times. */
function inside(places, line) {
  const n = line.length / 2, box = boxOf(line), found = [];
  if (n < 3 || !box) return new Uint32Array(0);
  for (let i = 0; i < places.length / 2; i++) {
    const x = places[2 * i], y = places[2 * i + 1];
    if (!(x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3])) continue;
    let isIn = false;
    for (let a = 0, b = n - 1; a < n; b = a++) {
      const ya = line[2 * a + 1], yb = line[2 * b + 1];
      if ((ya > y) !== (yb > y) && x < ((line[2 * b] - line[2 * a]) * (y - ya)) / (yb - ya) + line[2 * a]) isIn = !isIn;
    }
    if (isIn) found.push(i);
  }
  return Uint32Array.from(found);
}

function rowsWith(flags, flag) {
  const rows = [];
  for (let i = 0; i < flags.length; i++) if (flags[i] & flag) rows.push(i);
  return Uint32Array.from(rows);
}

/** The points of a region: of a coarse one those of its fine ones too. */
function rowsOfRegion(places, fine, regions, at) {
  const mine = new Set([at, ...regions.flatMap((region, i) => (region[3] === at ? [i] : []))]), rows = [];
  for (let i = 0; i < fine.length; i++) if (mine.has(fine[i]) && places[2 * i] === places[2 * i]) rows.push(i);
  return rows;
}

/** The regions all of whose documents are among the chosen. */
function wholeRegions(chosen, fine, regions) {
  const counts = new Uint32Array(regions.length);
  for (const i of chosen) {
    const at = fine[i];
    if (at >= regions.length) continue;
    counts[at] += 1;
    if (regions[at][3] >= 0) counts[regions[at][3]] += 1;
  }
  return new Set(regions.flatMap((region, at) => (region[4] && counts[at] === region[4] ? [at] : [])));
}
