// What grows out of a stub ("… 4 more"): the transitions that the picture leaves
// out, as a tree in the looks of the picture. Texts become text, as in elements.ts.

import { brief, printable } from "./elements.js";
import { kindWords, type Class, type Kind, type State } from "./explanation.js";

/** A transition of the tree, seen from its root: where it leads to, or for a stub of
 * transitions that come in where it comes from. */
export interface Twig {
  label: string;
  state: State;
  class: Class | undefined;
}

/** The dashes of the line of a transition, as in the pictures. */
function dashes(of: Class | undefined): Record<string, string> {
  switch (of) {
    case "incorrect":
      return { "stroke-dasharray": "5,2" };
    case "excluded":
      return { "stroke-dasharray": "1,4" };
  }
  return {};
}

/** What hangs at a stub or at a state of the tree. */
export interface Branch {
  root: State;
  inward: boolean;
  twigs: Twig[];
  /** Twigs that are shown. */
  shown: number;
  /** Transitions that the page does not have. */
  missing: number;
  /** Branches that hang at a twig, by its number. */
  open: Map<number, Branch>;
}

/** What the tree has to know of the states in it. */
export interface Forester {
  kindOf: (state: State) => Kind | undefined;
  /** How many transitions leave a state, undefined where the page does not know. */
  leaving: (state: State) => number | undefined;
  /** Whether the picture shows a state elsewhere. */
  shows: (state: State) => boolean;
}

export interface Size {
  width: number;
  height: number;
}

const family = "Helvetica,Arial,sans-serif";

/** Makes an element of a picture, in the language of those that are there: a page
 * without addresses has no other way to name it. */
export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number>, ...children: Node[]): SVGElementTagNameMap[K] {
  const language = document.querySelector("svg")?.namespaceURI ?? null;
  const element = document.createElementNS(language, tag) as SVGElementTagNameMap[K];
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** Characters of a label beside its line. */
const longestLabel = 40;

export class Grown {
  /** The drawn tree. */
  readonly group = svg("g", { class: "grown" });
  private readonly ids = new Set<string>();
  private readonly font: number;

  constructor(
    private readonly forester: Forester,
    font: number,
  ) {
    this.font = font;
  }

  /** Draws a tree whose root is at a place, and returns how much room it takes. The
   * group must be part of the picture, for letters are measured. */
  draw(branch: Branch, x: number, y: number): Size {
    const drawn = this.branch(branch, x + 8, y + 6, "");
    const size = { width: drawn.width + 16, height: drawn.height + 12 };
    this.group.prepend(svg("rect", { class: "grown-back", x, y, rx: 6, width: size.width, height: size.height }));
    return size;
  }

  private branch(branch: Branch, x: number, y: number, key: string): Size {
    const row = this.font * 2.6;
    const texts = branch.twigs.slice(0, branch.shown).map((t) => this.text(t.label === "" ? "(empty label)" : brief(t.label, longestLabel)));
    const column = x + 30 + Math.max(40, ...texts.map((t) => t.getComputedTextLength()));
    let at = y;
    let right = column;
    const spine = svg("path", { class: "spine" });
    this.group.append(spine);
    let last = y;
    texts.forEach((text, i) => {
      const twig = branch.twigs[i] as Twig;
      const middle = at + row * 0.62;
      last = middle;
      right = Math.max(right, this.twig(branch, twig, text, { x, column, middle, key: `${key}/${i}` }));
      at += row;
      const child = branch.open.get(i);
      if (!child) return;
      const size = this.branch(child, column, at, `${key}/${i}`);
      right = Math.max(right, column + size.width);
      at += size.height;
    });
    for (const [text, more] of this.rest(branch)) {
      const line = this.text(text);
      last = at + row * 0.62;
      this.move(line, x + 12, last + this.font / 3);
      right = Math.max(right, x + 16 + line.getComputedTextLength());
      if (more) this.asButton(line, `${key}/more`, `${text} at state ${branch.root}`);
      at += row;
    }
    spine.setAttribute("d", `M${x},${y - 6} L${x},${last}`);
    return { width: right - x, height: at - y };
  }

  /** What stands below the twigs: that there are more to be shown, or that the page
   * does not have more. */
  private rest(branch: Branch): [text: string, more: boolean][] {
    const rest: [string, boolean][] = [];
    const hidden = branch.twigs.length - branch.shown;
    if (hidden > 0) rest.push([`… ${hidden} more`, true]);
    if (branch.missing > 0) rest.push([`${branch.missing} more ${branch.missing === 1 ? "is" : "are"} not on this page`, false]);
    if (branch.twigs.length === 0 && branch.missing === 0) rest.push(["not on this page", false]);
    return rest;
  }

  private twig(branch: Branch, twig: Twig, text: SVGTextElement, at: { x: number; column: number; middle: number; key: string }): number {
    const { x, column, middle } = at;
    const name = String(twig.state);
    const reach = Math.max(this.font * 1.15, name.length * this.font * 0.34 + 4);
    const [from, to] = branch.inward ? [name, String(branch.root)] : [String(branch.root), name];
    const edge = svg("g", { class: `edge transition grown-edge ${twig.class ?? "unclassified"} from-${from} to-${to}` });
    edge.append(svg("title", {}, document.createTextNode(`${from} to ${to}${twig.class ? `, ${twig.class}` : ""}: ${printable(twig.label.slice(0, 300))}`)));
    const [tip, back] = branch.inward ? [x + 1, x + 8] : [column, column - 7];
    const line = branch.inward ? `M${back},${middle} L${column},${middle}` : `M${x},${middle} L${back},${middle}`;
    edge.append(svg("path", { d: line, fill: "none", ...dashes(twig.class) }));
    edge.append(svg("polygon", { points: `${tip},${middle} ${back},${middle - 3} ${back},${middle + 3}` }));
    this.move(text, x + 12, middle - 4);
    edge.append(text);
    this.group.append(edge, this.state(twig, column + reach, middle, reach));
    const leaving = this.forester.shows(twig.state) ? undefined : this.forester.leaving(twig.state);
    if (!leaving) return column + 2 * reach;
    const open = [...branch.open.keys()].some((i) => at.key.endsWith(`/${i}`));
    const more = this.text(`${open ? "−" : "…"} ${leaving} more`);
    this.move(more, column + 2 * reach + 5, middle + this.font / 3);
    this.asButton(more, at.key, `${more.textContent} that ${leaving === 1 ? "leaves" : "leave"} state ${name}`);
    return column + 2 * reach + 8 + more.getComputedTextLength();
  }

  private state(twig: Twig, x: number, y: number, reach: number): SVGGElement {
    const name = String(twig.state);
    const kind = this.forester.kindOf(twig.state);
    const elsewhere = this.forester.shows(twig.state) || this.ids.has(name);
    const classes = ["node", "state", "grown-node"];
    if (kind) classes.push("neighbourhood", kind);
    if (elsewhere) classes.push("elsewhere");
    const group = svg("g", { class: classes.join(" "), "data-state": name });
    if (!elsewhere) group.setAttribute("id", `state-${name}`);
    this.ids.add(name);
    const says = [`state ${name}`, kind ? `decision: ${kindWords[kind]}` : "", elsewhere ? "shown elsewhere in the picture" : ""];
    group.append(svg("title", {}, document.createTextNode(says.filter((s) => s).join(", "))));
    const h = this.font * 1.05;
    if (kind) {
      const points = [[-reach, 0], [-reach * 0.6, -h], [reach * 0.6, -h], [reach, 0], [reach * 0.6, h], [-reach * 0.6, h]];
      group.append(svg("polygon", { points: points.map(([dx, dy]) => `${x + (dx ?? 0)},${y + (dy ?? 0)}`).join(" ") }));
    } else {
      group.append(svg("ellipse", { cx: x, cy: y, rx: reach, ry: h }));
      if (this.forester.leaving(twig.state) === 0) group.append(svg("ellipse", { cx: x, cy: y, rx: reach - 2.5, ry: h - 2.5 }));
    }
    const text = this.text(name);
    text.setAttribute("text-anchor", "middle");
    this.move(text, x, y + this.font * 0.33);
    group.append(text);
    return group;
  }

  private text(content: string): SVGTextElement {
    const text = svg("text", { "font-family": family, "font-size": this.font }, document.createTextNode(content));
    this.group.append(text);
    return text;
  }

  private move(text: SVGTextElement, x: number, y: number): void {
    text.setAttribute("x", String(x));
    text.setAttribute("y", String(y));
  }

  private asButton(text: SVGTextElement, key: string, name: string): void {
    for (const [attribute, value] of Object.entries({ class: "grow", role: "button", tabindex: "0", "data-key": key, "aria-label": name })) {
      text.setAttribute(attribute, value);
    }
  }
}
