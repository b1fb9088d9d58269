// Pan and zoom of an SVG picture, by its viewBox: sharp at any size, and nothing
// but one attribute changes. Sizes are in the units of the picture, points.

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Pixels per point: larger is not worth it, smaller is not readable (the smallest letters, those in
 * states, have 8 points). */
const closest = 4;
const readable = 1.25;
const faintest = 1;
const factor = 1.25;

export class Viewport {
  private picture: SVGSVGElement | null = null;
  private content: Box = { x: 0, y: 0, width: 1, height: 1 };
  private box: Box = { x: 0, y: 0, width: 1, height: 1 };
  private moving = 0;

  constructor(private readonly frame: HTMLElement) {
    frame.addEventListener("wheel", (e) => this.wheeled(e), { passive: false });
    frame.addEventListener("pointerdown", (e) => this.grabbed(e));
    frame.addEventListener("keydown", (e) => this.pressed(e));
    new ResizeObserver(() => this.resized()).observe(frame);
  }

  /** Takes a picture, which is in the frame already. */
  take(picture: SVGSVGElement | null): void {
    this.picture = picture;
    if (picture) this.content = contentOf(picture);
  }

  /** The picture has grown, or shrunk: what is shown stays where it is. */
  grown(): void {
    if (this.picture) this.content = contentOf(this.picture);
  }

  /** Shows everything, but not larger than life. */
  fit(): void {
    this.set(this.fitted());
  }

  /** Shows everything if it can be read then, else what is around an element. */
  open(on: SVGGraphicsElement | null): void {
    const box = this.fitted();
    if (!on || this.frame.clientWidth / box.width >= readable) {
      this.set(box);
      return;
    }
    const target = this.boxOf(on);
    const all = padded(this.content);
    const [width, height] = [this.frame.clientWidth / readable, this.frame.clientHeight / readable];
    this.set({
      x: inside(target.x + target.width / 2 - width / 2, width, all.x, all.width),
      y: inside(target.y + target.height / 2 - height / 2, height, all.y, all.height),
      width,
      height,
    });
  }

  zoom(by: number, at: { x: number; y: number } = { x: 0.5, y: 0.5 }): void {
    const widest = Math.max(this.fitted().width * 2, this.frame.clientWidth);
    const width = Math.min(Math.max(this.box.width / by, this.frame.clientWidth / closest), widest);
    const height = (width * this.box.height) / this.box.width;
    this.set({
      x: this.box.x + (this.box.width - width) * at.x,
      y: this.box.y + (this.box.height - height) * at.y,
      width,
      height,
    });
  }

  zoomIn(): void {
    this.zoom(factor);
  }

  zoomOut(): void {
    this.zoom(1 / factor);
  }

  /** Moves as little as is needed to see elements, with some room around them; what
   * must be seen as a whole is seen from further away where it has to be. */
  reveal(elements: SVGGraphicsElement[], whole = false): void {
    if (!this.picture || elements.length === 0) return;
    const target = union(elements.map((e) => this.boxOf(e)));
    if (whole) {
      const needed = Math.max((target.width * 1.1) / this.box.width, (target.height * 1.1) / this.box.height);
      const furthest = this.frame.clientWidth / faintest / this.box.width;
      const by = Math.min(needed, furthest);
      if (by > 1) {
        this.zoom(1 / by);
        this.set({ ...this.box, x: target.x - (this.box.width - target.width) / 2, y: target.y - this.box.height * 0.05 });
        return;
      }
    }
    const room = { x: this.box.width * 0.12, y: this.box.height * 0.12 };
    const to = {
      ...this.box,
      x: along(this.box.x, this.box.width, target.x - room.x, target.width + 2 * room.x),
      y: along(this.box.y, this.box.height, target.y - room.y, target.height + 2 * room.y),
    };
    if (to.x !== this.box.x || to.y !== this.box.y) this.glide(to);
  }

  private glide(to: Box): void {
    cancelAnimationFrame(this.moving);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) {
      this.set(to);
      return;
    }
    const [from, began, takes] = [this.box, performance.now(), 180];
    const step = (now: number): void => {
      const t = Math.min(1, Math.max(0, (now - began) / takes));
      const eased = t * (2 - t);
      this.place({ ...to, x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased });
      if (t < 1) this.moving = requestAnimationFrame(step);
    };
    this.moving = requestAnimationFrame(step);
  }

  private set(box: Box): void {
    cancelAnimationFrame(this.moving);
    this.place(box);
  }

  private place(box: Box): void {
    this.box = box;
    this.picture?.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  }

  private boxOf(element: SVGGraphicsElement): Box {
    return this.picture ? within(this.picture, element) : this.content;
  }

  /** The content in the shape of the frame. */
  private fitted(): Box {
    const { x, y, width: w, height: h } = padded(this.content);
    const [across, down] = [Math.max(1, this.frame.clientWidth), Math.max(1, this.frame.clientHeight)];
    const points = Math.max(w / across, h / down, 1 / 1.6);
    const [width, height] = [across * points, down * points];
    return { x: x - (width - w) / 2, y: y - (height - h) / 2, width, height };
  }

  private resized(): void {
    const [across, down] = [this.frame.clientWidth, this.frame.clientHeight];
    if (!across || !down) return;
    const { x, y, width, height } = this.box;
    const taller = (width * down) / across;
    this.set({ x, y: y + (height - taller) / 2, width, height: taller });
  }

  /** Over a picture that nobody has chosen the wheel scrolls the page, as it does everywhere else: the
   * picture zooms once it has the focus, and always with Ctrl, which is how a pinch arrives, too. */
  private wheeled(event: WheelEvent): void {
    const chosen = event.ctrlKey || event.metaKey || this.frame.contains(document.activeElement);
    if (!this.picture || !chosen) return;
    event.preventDefault();
    const frame = this.frame.getBoundingClientRect();
    const at = { x: (event.clientX - frame.left) / frame.width, y: (event.clientY - frame.top) / frame.height };
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1;
    this.zoom(Math.exp((-event.deltaY * lines) / 400), at);
  }

  private grabbed(event: PointerEvent): void {
    if (event.button !== 0 || !this.picture) return;
    const from = { ...this.box };
    const points = this.box.width / Math.max(1, this.frame.clientWidth);
    let dragged = false;
    const move = (e: PointerEvent): void => {
      const [dx, dy] = [e.clientX - event.clientX, e.clientY - event.clientY];
      // A click with a shaky hand is still a click.
      if (!dragged && Math.hypot(dx, dy) < 4) return;
      if (!dragged) this.frame.setPointerCapture(event.pointerId);
      dragged = true;
      this.frame.classList.add("dragging");
      this.set({ ...from, x: from.x - dx * points, y: from.y - dy * points });
    };
    const end = (): void => {
      this.frame.classList.remove("dragging");
      this.frame.removeEventListener("pointermove", move);
      this.frame.removeEventListener("pointerup", end);
      this.frame.removeEventListener("pointercancel", end);
    };
    this.frame.addEventListener("pointermove", move);
    this.frame.addEventListener("pointerup", end);
    this.frame.addEventListener("pointercancel", end);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { x: this.box.width / 8, y: this.box.height / 8 };
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [-by.x, 0],
      ArrowRight: [by.x, 0],
      ArrowUp: [0, -by.y],
      ArrowDown: [0, by.y],
    };
    const move = moves[event.key];
    if (move) this.set({ ...this.box, x: this.box.x + move[0], y: this.box.y + move[1] });
    else if (event.key === "+" || event.key === "=") this.zoomIn();
    else if (event.key === "-") this.zoomOut();
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Shows everything, as print wants it; the returned function goes back. */
  whole(): () => void {
    const before = this.box;
    const { x, y, width, height } = this.content;
    this.picture?.setAttribute("viewBox", `${x - 4} ${y - 4} ${width + 8} ${height + 8}`);
    return () => this.place(before);
  }
}

/** What is drawn, without a caption and a legend that the style sheet hides. */
function contentOf(picture: SVGSVGElement): Box {
  const graph = picture.querySelector<SVGGraphicsElement>("g");
  return graph ? within(picture, graph) : { x: 0, y: 0, width: 1, height: 1 };
}

/** The box of an element in the units of the picture's viewBox. */
function within(picture: SVGSVGElement, element: SVGGraphicsElement): Box {
  const b = element.getBBox();
  const own = element.getScreenCTM();
  const outer = picture.getScreenCTM();
  if (!own || !outer) return b;
  const matrix = outer.inverse().multiply(own);
  const corners = [
    [b.x, b.y],
    [b.x + b.width, b.y],
    [b.x, b.y + b.height],
    [b.x + b.width, b.y + b.height],
  ].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
  const [xs, ys] = [corners.map((p) => p.x), corners.map((p) => p.y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}

function union(boxes: Box[]): Box {
  const x = Math.min(...boxes.map((b) => b.x));
  const y = Math.min(...boxes.map((b) => b.y));
  const right = Math.max(...boxes.map((b) => b.x + b.width));
  const bottom = Math.max(...boxes.map((b) => b.y + b.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** With some room around it. */
function padded(box: Box): Box {
  const pad = 14;
  return { x: box.x - pad, y: box.y - pad, width: box.width + 2 * pad, height: box.height + 2 * pad };
}

/** Where a window along one axis begins, moved so that it shows no more emptiness
 * beside the content than it must. */
function inside(begins: number, length: number, content: number, extent: number): number {
  if (length >= extent) return content + extent / 2 - length / 2;
  return Math.min(Math.max(begins, content), content + extent - length);
}

/** Where a window along one axis must begin to show a stretch of it. */
function along(begins: number, length: number, target: number, needed: number): number {
  if (needed >= length) return target + needed / 2 - length / 2;
  if (target < begins) return target;
  return Math.max(begins, target + needed - length);
}
