// The diagram: which view of the model is shown, what is marked in it, what is
// searched for, what is dimmed. The pictures are inev's own; here only classes
// are set on their elements.

import { all, find } from "./elements.js";
import { Expander, type Knowledge } from "./expand.js";
import type { State } from "./explanation.js";
import { Viewport } from "./viewport.js";
import type { Walk } from "./walk.js";

interface View {
  /** null where there is a note in place of a picture. */
  picture: SVGSVGElement | null;
  content: Node[];
  expander: Expander | null;
}

export class Diagram {
  private readonly viewport: Viewport;
  private readonly views = new Map<string, View>();
  private readonly holder: HTMLElement;
  private shown = "";
  private found: SVGGraphicsElement[] = [];
  private at = -1;
  private sought = "";
  private readonly listeners: (() => void)[] = [];

  constructor(
    frame: HTMLElement,
    private readonly walk: Walk | null,
    private readonly knowledge: Knowledge,
    private readonly chosen: (state: string) => void,
  ) {
    this.viewport = new Viewport(frame);
    this.holder = frame.querySelector<HTMLElement>(".view") ?? frame;
    const first = this.holder.dataset["view"] ?? "";
    this.views.set(first, this.viewOf([...this.holder.childNodes]));
    for (const template of all<HTMLTemplateElement>("template", frame)) {
      this.views.set(template.dataset["view"] ?? "", this.viewOf([...template.content.childNodes]));
    }
    frame.addEventListener("click", (event) => this.clicked(event.target as Element));
    frame.addEventListener("keydown", (event) => this.pressed(event));
    this.listenToControls();
    walk?.listen(() => this.follow());
    this.show(first);
  }

  /** Shows where a state is, in another view if it must be, and marks it; false
   * where no view has it. */
  point(state: State): boolean {
    if (!this.node(String(state))) {
      const other = [...this.views].find(([, view]) => view.picture?.querySelector(selectorOf(String(state))));
      if (!other) return false;
      this.show(other[0]);
    }
    const node = this.node(String(state));
    if (!node) return false;
    for (const marked of this.elements(".pointed")) marked.classList.remove("pointed");
    node.classList.add("pointed");
    this.viewport.reveal([node]);
    return true;
  }

  /** Shows the whole picture, as print wants it; the returned function goes back. */
  whole(): () => void {
    return this.viewport.whole();
  }

  private get picture(): SVGSVGElement | null {
    return this.views.get(this.shown)?.picture ?? null;
  }

  private elements(selector: string): SVGGraphicsElement[] {
    return this.picture ? all<SVGGraphicsElement>(selector, this.picture) : [];
  }

  private node(state: string): SVGGraphicsElement | null {
    return this.picture?.querySelector<SVGGraphicsElement>(selectorOf(state)) ?? null;
  }

  /** The name of the view that is shown. */
  get view(): string {
    return this.shown;
  }

  /** Calls a listener whenever another view is shown. */
  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Shows a view; false where there is none of that name. */
  show(name: string): boolean {
    const view = this.views.get(name);
    if (!view) return false;
    this.shown = name;
    this.holder.replaceChildren(...view.content);
    for (const button of all<HTMLButtonElement>("#views button")) {
      button.setAttribute("aria-pressed", String(button.dataset["view"] === name));
    }
    this.viewport.take(view.picture);
    this.mark();
    this.viewport.open(this.current()[0] ?? this.elements(".node.initial")[0] ?? null);
    this.search(this.sought);
    for (const listener of this.listeners) listener();
    return true;
  }

  // The run.

  /** The arrows of the step at hand; of the start, the initial state. */
  private current(): SVGGraphicsElement[] {
    const position = this.walk?.position ?? 0;
    if (position === 0) return this.elements(".node.initial");
    const arrows = this.elements(`.edge.step-${position}`);
    return arrows.length > 0 ? arrows : this.elements(".gap, .node.inside").filter((element) => covers(element, position));
  }

  private mark(): void {
    for (const element of this.elements(".now, .here, .beside, .past")) element.classList.remove("now", "here", "beside", "past");
    if (!this.walk) return;
    for (const element of this.current()) {
      element.classList.add(element.classList.contains("node") ? "here" : "now");
      for (const end of ends(element, "to")) this.node(end)?.classList.add("here");
      for (const start of ends(element, "from")) {
        for (const other of this.elements(`.edge.transition.from-${CSS.escape(start)}:not(.now)`)) other.classList.add("beside");
      }
    }
    for (const arrow of this.elements(".edge.on-run")) {
      const steps = stepsOf(arrow);
      if (steps.length > 0 && Math.min(...steps) < this.walk.position) arrow.classList.add("past");
    }
    this.picture?.classList.toggle("walking", this.walk.position > 0);
  }

  private follow(): void {
    this.mark();
    const current = this.current();
    const around = current.flatMap((e) => [...ends(e, "from"), ...ends(e, "to")]).flatMap((state) => this.node(state) ?? []);
    this.viewport.reveal([...current, ...around]);
  }

  private clicked(target: Element): void {
    const expanded = this.views.get(this.shown)?.expander?.clicked(target);
    if (expanded) {
      this.viewport.grown();
      this.viewport.reveal([expanded], true);
      return;
    }
    const element = target.closest<SVGGraphicsElement>(".edge, .node");
    if (!element) return;
    const [step] = stepsOf(element);
    const to = ends(element, "to").find((end) => !end.startsWith("end-"));
    const state = stateOf(element) ?? to ?? null;
    if (step !== undefined) this.walk?.goAnywhere(step);
    else if (state !== null) this.chosen(state);
  }

  /** Enter and space do what a click would do; on the picture itself they show the
   * facts of the state at hand. */
  private pressed(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== " ") return;
    const target = event.target as Element;
    const here = this.elements(".node.here").at(-1);
    if (target.matches("[role=button]")) this.clicked(target);
    else if (here) this.clicked(here);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private viewOf(content: Node[]): View {
    const picture = content.find((n): n is SVGSVGElement => n instanceof SVGSVGElement) ?? null;
    picture?.setAttribute("preserveAspectRatio", "xMidYMid meet");
    return { picture, content, expander: picture && new Expander(picture, this.knowledge) };
  }

  // The controls.

  private listenToControls(): void {
    const press = (id: string, action: () => void): void => find(id)?.addEventListener("click", action);
    press("zoom-in", () => this.viewport.zoomIn());
    press("zoom-out", () => this.viewport.zoomOut());
    press("zoom-fit", () => this.viewport.fit());
    press("search-next", () => this.jump(1));
    press("search-previous", () => this.jump(-1));
    for (const button of all<HTMLButtonElement>("#views button")) {
      button.addEventListener("click", () => this.show(button.dataset["view"] ?? ""));
    }
    for (const button of all<HTMLButtonElement>("[data-dim], [data-only]")) {
      button.addEventListener("click", () => this.dim(button));
    }
    const input = find<HTMLInputElement>("search");
    input?.addEventListener("input", () => this.search(input.value));
    input?.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.jump(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") this.search((input.value = ""));
    });
  }

  /** Lets a class of transitions, a kind of states, or all but the run fade, or
   * come back. */
  private dim(button: HTMLButtonElement): void {
    const pressed = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(pressed));
    const { dim, only } = button.dataset;
    if (dim !== undefined) this.holder.classList.toggle(`dim-${dim}`, !pressed);
    else this.holder.classList.toggle(`only-${only}`, pressed);
  }

  private search(text: string): void {
    for (const element of this.elements(".found, .found-now")) element.classList.remove("found", "found-now");
    this.sought = text;
    const wanted = text.trim().toLowerCase();
    this.found = wanted === "" ? [] : this.elements(".node.state, .edge.transition").filter((e) => matches(e, wanted));
    for (const element of this.found) element.classList.add("found");
    this.holder.classList.toggle("searching", this.found.length > 0);
    this.at = -1;
    if (this.found.length > 0) this.jump(1);
    else this.tell(wanted === "" ? "" : "nothing found");
  }

  private jump(by: number): void {
    const n = this.found.length;
    if (n === 0) return;
    this.found[this.at]?.classList.remove("found-now");
    this.at = this.at < 0 && by < 0 ? n - 1 : (this.at + by + n) % n;
    const element = this.found[this.at];
    if (!element) return;
    element.classList.add("found-now");
    this.viewport.reveal([element]);
    this.tell(`${this.at + 1} of ${n}`);
  }

  private tell(text: string): void {
    const output = find("search-count");
    if (output) output.textContent = text;
  }
}

// What inev says about an element of a picture, in its id and classes.

const selectorOf = (state: string): string => `[id="${CSS.escape(`state-${state}`)}"]`;

/** The state that an element shows, null where it shows something else. */
function stateOf(element: SVGElement): string | null {
  const named = element.dataset["state"];
  if (named !== undefined) return named;
  return element.id.startsWith("state-") ? element.id.slice("state-".length) : null;
}

/** What follows the prefix in each class that begins with it. */
function after(prefix: string, element: Element): string[] {
  return [...element.classList].filter((c) => c.startsWith(prefix)).map((c) => c.slice(prefix.length));
}

/** The steps of the run that an arrow shows. */
const stepsOf = (element: Element): number[] => after("step-", element).map(Number);

/** The states at one end of an arrow. */
const ends = (element: Element, which: "from" | "to"): string[] => after(`${which}-`, element);

/** Whether an arrow for steps that are not drawn, or a node in which steps stay, stands for this one. */
function covers(element: Element, step: number): boolean {
  const lasts = after("last-", element);
  return after("first-", element).some((first, i) => Number(first) <= step && step <= Number(lasts[i]));
}

/** Whether a state has this name, or a label of an arrow holds the text. */
function matches(element: SVGGraphicsElement, wanted: string): boolean {
  const state = stateOf(element);
  if (state !== null) return state === wanted || state.startsWith(`${wanted}·`);
  const texts = [...element.querySelectorAll("text")].map((t) => t.textContent ?? "");
  // The title is "0 to 90, neutral: LABEL", and has more of a long label.
  texts.push((element.querySelector("title")?.textContent ?? "").replace(/^[^:]*: /, ""));
  return texts.some((t) => t.toLowerCase().includes(wanted));
}
