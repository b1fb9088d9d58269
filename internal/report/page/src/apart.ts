// Pulling a picture apart, to make room in it. It is cut along horizontal lines, and
// what lies below one is moved down: nothing changes its place beside anything else,
// and no line crosses another that it did not cross before. Positions are given as
// they are in the untouched picture.

export interface Cut {
  y: number;
  room: number;
}

interface Part {
  element: SVGGraphicsElement;
  /** Its place; a line has points of its own, and stays with the nodes at its ends. */
  y: number;
  line: { points: string; from: number | undefined; to: number | undefined } | null;
}

export class Apart {
  private readonly parts: Part[] = [];
  /** The upper and lower ends of all nodes. */
  private readonly spans: [number, number][] = [];
  /** The middles of the states, by name. */
  private readonly middles = new Map<string, number>();

  constructor(graph: SVGGraphicsElement) {
    const groups = [...graph.querySelectorAll<SVGGraphicsElement>(":scope > g")];
    for (const group of groups) if (group.classList.contains("node")) this.node(group);
    for (const group of groups) if (!group.classList.contains("node")) this.edge(group);
  }

  /** A height near y, or below it, at which the picture can be cut without cutting a
   * node. */
  gapBelow(y: number): number {
    let at = y;
    for (let moved = true; moved; ) {
      moved = false;
      for (const [top, bottom] of this.spans) {
        if (top < at && at < bottom) {
          at = bottom;
          moved = true;
        }
      }
    }
    return at;
  }

  /** How far what is at a height is moved by the cuts. */
  static shift(cuts: Cut[], y: number): number {
    return cuts.reduce((sum, cut) => sum + (cut.y < y ? cut.room : 0), 0);
  }

  pull(cuts: Cut[]): void {
    for (const { element, y, line } of this.parts) {
      if (line !== null) {
        element.setAttribute("d", moved(line, cuts));
        continue;
      }
      const by = Apart.shift(cuts, y);
      if (by === 0) element.removeAttribute("transform");
      else element.setAttribute("transform", `translate(0 ${by})`);
    }
  }

  private node(group: SVGGraphicsElement): void {
    const { y, height } = group.getBBox();
    this.parts.push({ element: group, y: y + height / 2, line: null });
    this.spans.push([y, y + height]);
    if (group.id.startsWith("state-")) this.middles.set(group.id.slice("state-".length), y + height / 2);
  }

  private edge(group: SVGGraphicsElement): void {
    const end = (prefix: string): number | undefined => {
      const name = [...group.classList].find((c) => c.startsWith(prefix))?.slice(prefix.length);
      return name === undefined ? undefined : this.middles.get(name);
    };
    const [from, to] = [end("from-"), end("to-")];
    const texts = [...group.querySelectorAll<SVGGraphicsElement>("text")];
    const written = texts.reduce((sum, t) => sum + Number(t.getAttribute("y")), 0) / Math.max(1, texts.length);
    for (const element of texts) this.parts.push({ element, y: written, line: null });
    for (const element of group.querySelectorAll<SVGGraphicsElement>("path")) {
      this.parts.push({ element, y: 0, line: { points: element.getAttribute("d") ?? "", from, to } });
    }
    for (const element of group.querySelectorAll<SVGGraphicsElement>("polygon, polyline, ellipse")) {
      const { y, height } = element.getBBox();
      this.parts.push({ element, y: to ?? y + height / 2, line: null });
    }
  }
}

const point = /(-?[\d.]+),(-?[\d.]+)/g;

/** A line after the cuts: each of its points is moved by its own height, the first
 * and the last one as the nodes that they touch. */
function moved(line: { points: string; from: number | undefined; to: number | undefined }, cuts: Cut[]): string {
  const last = (line.points.match(point)?.length ?? 0) - 1;
  let i = 0;
  return line.points.replace(point, (_, x: string, y: string) => {
    const at = i === 0 ? line.from : i === last ? line.to : undefined;
    i++;
    return `${x},${Number(y) + Apart.shift(cuts, at ?? Number(y))}`;
  });
}
