// Names of regions over the map: as many as have room without overlap, coarse ones from afar, fine ones from near.
const COARSE = 0;
const CORNER = [180, 40]; // pixels, where the buttons are

/** `place(camera)` puts the names where their regions are seen. */
function makeNames(layer) {
  const measure = document.createElement("canvas").getContext("2d");
  let regions = [], known = new Map(), font = "";

  function widthOf(name, isCoarse) {
    const key = `${isCoarse} ${name}`;
    if (!known.has(key)) {
      measure.font = `${isCoarse ? "600 15px" : "500 12.5px"} ${font}`;
      known.set(key, measure.measureText(name).width + 10);
    }
    return known.get(key);
  }

  function place(camera) {
    const { width, height, scale } = camera.view, taken = [[width - CORNER[0], height - CORNER[1], ...CORNER]], shown = [];
    const isAllInOne = regions.length > 1 && regions.filter((region) => region[3] < 0).length === 1;
    font ||= getComputedStyle(layer).fontFamily;
    for (const [, name, level, parent, documents, x, y, radius] of regions) {
      if (parent < 0 ? isAllInOne : regions[parent][1] === name) continue; // says nothing more
      const reach = radius * scale, isCoarse = level === COARSE;
      // From near its middle says little of a coarse region; a fine one is named once it can be told from its neighbours.
      if (!documents || (isCoarse ? reach > 0.8 * Math.max(width, height) : reach < 26)) continue;
      const [left, top] = camera.toPage(x, y), wide = Math.min(widthOf(name, isCoarse), 240), high = isCoarse ? 21 : 18;
      if (left < 0 || top < 0 || left > width || top > height) continue;
      for (const shift of [0, -high, high, -2 * high, 2 * high]) {
        const box = [Math.max(2, Math.min(width - wide - 2, left - wide / 2)), Math.max(2, Math.min(height - high - 2, top - high / 2 + shift)), wide, high];
        if (Math.abs(shift) > Math.max(high, reach)) continue;
        if (taken.some((one) => box[0] < one[0] + one[2] && one[0] < box[0] + box[2] && box[1] < one[1] + one[3] && one[1] < box[1] + box[3])) continue;
        taken.push(box);
        shown.push([name, isCoarse, box]);
        break;
      }
      if (shown.length >= 60) break;
    }
    layer.replaceChildren(...shown.map(([name, isCoarse, [left, top, wide, high]]) => {
      const one = make("span", isCoarse ? "ck-name ck-coarse" : "ck-name", {}, name);
      one.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
      one.style.width = `${wide}px`;
      one.style.lineHeight = `${high}px`;
      return one;
    }));
  }
  return { place, take: (given) => { regions = given; } };
}
