// A click on "… 4 more" shows what it stands for, in place: the picture is pulled
// apart below, and the transitions grow there; from their states again, as far as
// the model travels with the page.

import { Apart } from "./apart.js";
import { all, printable } from "./elements.js";
import type { Kind, Neighbourhood, State } from "./explanation.js";
import { Grown, svg, type Branch, type Twig } from "./grown.js";
import type { Vicinity } from "./near.js";

/** What an expansion has to know of the model. */
export interface Knowledge {
  vicinity: Vicinity;
  placeAt: (state: State) => Neighbourhood | undefined;
  kindOf: (state: State) => Kind | undefined;
}

/** Twigs that are shown at once. */
const atOnce = 10;

interface Expansion {
  stub: SVGGraphicsElement;
  /** The middle of the stub, and the height at which the picture is cut. */
  x: number;
  cut: number;
  branch: Branch;
  grown: Grown | null;
}

/** The expansions of one picture, which must be shown while they change. */
export class Expander {
  private readonly graph: SVGGraphicsElement | null;
  private apart: Apart | null = null;
  private readonly open = new Map<string, Expansion>();

  constructor(
    private readonly picture: SVGSVGElement,
    private readonly knowledge: Knowledge,
  ) {
    this.graph = picture.querySelector<SVGGraphicsElement>("g.diagram");
    for (const stub of all<SVGGraphicsElement>(".node.stub", picture)) {
      stub.setAttribute("role", "button");
      stub.setAttribute("tabindex", "0");
      stub.setAttribute("aria-expanded", "false");
    }
  }

  /** Does what a click on an element asks for; returns what is to be seen then, null
   * where the element has nothing to do with expansions. */
  clicked(element: Element): SVGGraphicsElement | null {
    const grow = element.closest<SVGElement>(".grow");
    const tree = grow?.closest<SVGElement>(".grown");
    if (grow && tree) return this.grow(tree.dataset["stub"] ?? "", grow.dataset["key"] ?? "");
    const stub = element.closest(".stub");
    const number = stub ? (/^stub-(?:arrow-)?(\d+)$/.exec(stub.id)?.[1] ?? "") : "";
    return number === "" ? null : this.toggle(number);
  }

  /** Opens or closes the branch at a key of a tree: of a twig /1/0, or /1/more. */
  private grow(number: string, key: string): SVGGraphicsElement | null {
    const expansion = this.open.get(number);
    if (!expansion) return null;
    const path = key.split("/").slice(1);
    const last = path.pop();
    let branch: Branch | undefined = expansion.branch;
    for (const i of path) branch = branch?.open.get(Number(i));
    if (!branch || last === undefined) return null;
    const twig = branch.twigs[Number(last)];
    if (last === "more") branch.shown += atOnce;
    else if (branch.open.has(Number(last))) branch.open.delete(Number(last));
    else if (twig) branch.open.set(Number(last), this.branchAt(twig.state, false, () => true));
    this.redraw();
    const again = this.open.get(number)?.grown?.group;
    again?.querySelector<SVGElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
    return again ?? null;
  }

  private toggle(number: string): SVGGraphicsElement | null {
    const stub = this.picture.querySelector<SVGGraphicsElement>(`[id="stub-${number}"]`);
    if (!stub || !this.graph) return null;
    const closing = this.open.delete(number);
    if (!closing) {
      this.apart ??= new Apart(this.graph);
      this.open.set(number, this.expansion(stub));
    }
    stub.setAttribute("aria-expanded", String(!closing));
    const text = stub.querySelector("text");
    if (text) text.textContent = (text.textContent ?? "").replace(/^[…−]/, closing ? "…" : "−");
    this.redraw();
    return this.open.get(number)?.grown?.group ?? stub;
  }

  private expansion(stub: SVGGraphicsElement): Expansion {
    const { x, y, width, height } = stub.getBBox();
    const inward = stub.classList.contains("in");
    const prefix = inward ? "to-" : "from-";
    const name = [...stub.classList].find((c) => c.startsWith(prefix))?.slice(prefix.length) ?? "";
    const branch = this.branchAt(name, inward, (twig) => !this.isNamed(name, twig, inward));
    return { stub, x: x + width / 2, cut: this.apart?.gapBelow(y + height) ?? y + height, branch, grown: null };
  }

  private branchAt(root: State, inward: boolean, wanted: (twig: Twig) => boolean): Branch {
    const { vicinity, placeAt } = this.knowledge;
    const near = vicinity.at(root);
    const entering = placeAt(root)?.incoming ?? vicinity.into(root);
    const twigs: Twig[] = inward
      ? entering.filter((t) => String(t.from) !== String(root)).map((t) => ({ ...t, state: t.from }))
      : (near?.leaving ?? []).map((t) => ({ ...t, state: t.to }));
    const order = { correct: 0, neutral: 1, incorrect: 2, excluded: 3 };
    const rank = (t: Twig): number => (t.class ? order[t.class] : 0);
    const kept = twigs.filter(wanted).sort((a, b) => rank(a) - rank(b));
    const missing = inward || !near ? 0 : near.count - near.leaving.length;
    return { root, inward, twigs: kept, shown: Math.min(atOnce, kept.length), missing, open: new Map() };
  }

  /** Whether an arrow of the picture names this transition. Those that it only counts
   * ("… 1 more") are worth seeing as well. */
  private isNamed(root: string, twig: Twig, inward: boolean): boolean {
    const [from, to] = inward ? [String(twig.state), root] : [root, String(twig.state)];
    const arrows = all<SVGGraphicsElement>(`.edge.transition.from-${CSS.escape(from)}.to-${CSS.escape(to)}:not(.grown-edge)`, this.picture);
    const text = printable(twig.label);
    return arrows.some((arrow) => {
      if (twig.class && !arrow.classList.contains(twig.class)) return false;
      const names = (arrow.querySelector("title")?.textContent ?? "").replace(/^[^:]*: /, "").split("; ");
      return names.some((n) => n === text || (n.endsWith("…") && text.startsWith(n.slice(0, -1))));
    });
  }

  /** Draws all expansions anew, one below the other where they are at the same height. */
  private redraw(): void {
    const { graph, apart } = this;
    if (!graph || !apart) return;
    for (const old of all(".grown", graph)) old.remove();
    const cuts: { y: number; room: number }[] = [];
    const shown = [...this.open].sort(([, a], [, b]) => a.cut - b.cut || a.x - b.x);
    for (const [number, expansion] of shown) {
      const top = expansion.cut + Apart.shift(cuts, expansion.cut) + cuts.filter((c) => c.y === expansion.cut).reduce((sum, c) => sum + c.room, 0);
      const font = (Number(expansion.stub.querySelector("text")?.getAttribute("font-size")) || 9) / 0.9;
      const { kindOf, vicinity } = this.knowledge;
      const grown = new Grown({ kindOf, leaving: (s) => vicinity.at(s)?.count, shows: (s) => this.shows(s) }, font);
      grown.group.dataset["stub"] = number;
      graph.append(grown.group);
      const size = grown.draw(expansion.branch, expansion.x - 8, top + 10);
      expansion.grown = grown;
      cuts.push({ y: expansion.cut, room: size.height + 22 });
    }
    apart.pull(cuts);
    for (const [, { stub, grown, x }] of shown) {
      const back = grown?.group.querySelector("rect");
      const { y, height } = stub.getBBox();
      const from = y + height + Apart.shift(cuts, y + height / 2);
      if (back && grown) grown.group.insertAdjacentElement("afterbegin", lineDown(x, from, Number(back.getAttribute("y"))));
    }
  }

  /** Whether the picture itself shows a state. */
  private shows(state: State): boolean {
    return this.picture.querySelector(`.node[id="${CSS.escape(`state-${state}`)}"]:not(.grown-node)`) !== null;
  }
}

function lineDown(x: number, from: number, to: number): SVGPathElement {
  return svg("path", { class: "spine", d: `M${x},${from} L${x},${to + 6}` });
}
