// The texts, fields and lines of a page that cannot be seen well enough, one a line; "" if there are
// none. A text needs a contrast of 4.5 with what is behind it (3 if it is large), and the border of a
// field, the outline of a state and an arrow need 3: the Web Content Accessibility Guidelines, level AA.
(() => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = (colour) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = colour;
    pixel.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data;
    return { channels: [red, green, blue], alpha: alpha / 255 };
  };
  const over = (top, below) => ({ channels: top.channels.map((c, i) => c * top.alpha + below.channels[i] * (1 - top.alpha)), alpha: 1 });
  const luminance = ({ channels }) => {
    const [red, green, blue] = channels.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const ancestors = (element) => (element ? [...ancestors(element.parentElement), element] : []);
  const opacity = (element) => ancestors(element).reduce((all, e) => all * Number(getComputedStyle(e).opacity), 1);
  const paper = { channels: [255, 255, 255], alpha: 1 };
  const behind = (element) => ancestors(element).reduce((below, e) => over(parse(getComputedStyle(e).backgroundColor), below), paper);
  // What is behind a point of a picture: the shapes that are drawn before an element.
  const drawnBehind = (element, x, y) => {
    const picture = element.closest("svg");
    let below = behind(picture.parentElement);
    for (const shape of picture.querySelectorAll("polygon, ellipse, path")) {
      const isAfter = shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING;
      const { fill } = getComputedStyle(shape);
      const matrix = shape.getScreenCTM();
      if (shape === element || isAfter || fill === "none" || !matrix || !shape.checkVisibility()) continue;
      if (!shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()))) continue;
      const colour = parse(fill);
      below = over({ ...colour, alpha: colour.alpha * opacity(shape) }, below);
    }
    return below;
  };
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest(".hidden, .skip, title, noscript, option, [aria-disabled=true], :disabled");
  const faint = new Set();
  const compare = (colour, element, below, least, what) => {
    const seen = over({ ...colour, alpha: colour.alpha * opacity(element) }, below);
    const found = contrast(seen, below);
    if (found < least) faint.add(`${what}: contrast ${found.toFixed(2)}, at least ${least}`);
  };

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() === "" || !isSeen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) continue;
    const style = getComputedStyle(element);
    const picture = element.closest("svg");
    const size = parseFloat(style.fontSize) * (picture ? element.getScreenCTM().a : 1);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const below = picture ? drawnBehind(element, box.left + box.width / 2, box.top + box.height / 2) : behind(element);
    compare(parse(picture ? style.fill : style.color), element, below, isLarge ? 3 : 4.5, `the text ${node.data.trim().slice(0, 60)}`);
  }
  for (const field of document.querySelectorAll("input:not([type=checkbox], [type=radio]), select, textarea")) {
    if (!isSeen(field) || field.getBoundingClientRect().width < 1) continue;
    compare(parse(getComputedStyle(field).borderTopColor), field, behind(field.parentElement), 3, `the border of ${field.id || field.outerHTML.slice(0, 60)}`);
  }
  for (const line of document.querySelectorAll("svg .node :is(polygon, ellipse, path), svg .edge path")) {
    const { stroke } = getComputedStyle(line);
    if (!isSeen(line) || stroke === "none") continue;
    const below = behind(line.closest("svg").parentElement);
    compare(parse(stroke), line, below, 3, `a line of ${line.closest("[class]").getAttribute("class")}`);
  }
  return [...faint].join("\n");
})()
