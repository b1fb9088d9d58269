// Walking off the run: from any state that the page has, take any transition, with what it
// means shown before it is taken; and ask why an action does not happen there.

import { count, find, label, make, printable, type Child } from "./elements.js";
import { unfold } from "./fold.js";
import type { Class, Explanation, ModelPart, State } from "./explanation.js";
import { signs } from "./explanation.js";
import { Model, whyNot, type Answer, type Fate, type Move, type Past, type Place, type Remote } from "./moves.js";
import type { Walk } from "./walk.js";

const classOf: Record<Fate, Class> = { sure: "correct", open: "neutral", lost: "incorrect", excluded: "excluded" };
const badge: Record<Fate, string> = {
  sure: "certain: every run that goes on from here satisfies the property",
  open: "still open: some runs satisfy the property from here, others do not",
  lost: "lost: no run that goes on from here satisfies the property",
  excluded: "no run that goes on from here counts",
};
const then: Record<Fate, string> = { sure: "makes the property certain", open: "keeps the property possible", lost: "loses the property", excluded: "no run through it counts" };
const still: Record<Fate, string> = { ...then, sure: "the property stays certain", lost: "the property stays lost" };

/** Moves and labels that are shown at once, the latter of the way that was gone. */
const shownMoves = 8;
const shownWay = 24;
/** Labels are cut at this length where they travel with the page. */
const longest = 1000;

interface Step {
  move: Move;
  from: Place;
  number: number;
}

export class OffRun {
  private readonly model: Model;
  private past: Past;
  private steps: Step[] = [];
  private asked = "";
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly box: HTMLElement,
    part: ModelPart,
    private readonly explanation: Explanation,
    private readonly walk: Walk | null,
    private readonly point: (state: State) => void,
    private readonly say: (text: string) => void,
    /** Who is asked for what the page does not carry. */
    private readonly remote: Remote | null,
  ) {
    this.model = new Model(part, explanation);
    this.past = this.alongRun(Math.max((walk?.position ?? 0) - 1, 0));
    this.attach();
    this.listLabels();
    if (!walk) this.beginOnlyInAState();
    box.hidden = false;
    this.show();
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** The walk as it stands in an address: the steps of the run before it, or the state where it
   * begins after an s, and the numbers of the moves that were taken; "" where none were. */
  get address(): string {
    if (this.steps.length === 0) return "";
    const { past } = this;
    const along = past.labels.length === past.steps;
    return [along ? String(past.steps) : `s${past.place.state}`, ...this.steps.map((s) => s.number)].join(".");
  }

  /** Goes the walk of an address; false where the page cannot. */
  open(address: string): boolean {
    const [begin = "", ...numbers] = address.split(".");
    const most = this.explanation.counterexample?.steps.length ?? 0;
    const past = /^\d{1,12}$/.test(begin) ? (Number(begin) <= most ? this.alongRun(Number(begin)) : undefined) : this.model.pastsOf(begin.slice(1))[0];
    if (!past) return false;
    let at = past.place;
    const steps: Step[] = [];
    for (const text of numbers) {
      const move = /^\d{1,12}$/.test(text) ? this.model.moves(at)?.list[Number(text)] : undefined;
      if (!move) return false;
      steps.push({ move, from: at, number: Number(text) });
      at = move.to;
    }
    this.past = past;
    this.steps = steps;
    this.show();
    this.box.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** A step by a move, with its number in the list of those from there. */
  private stepBy(move: Move): Step {
    const list = this.model.moves(this.at)?.list ?? [];
    const number = list.findIndex((m) => m.label === move.label && m.to.state === move.to.state && m.to.q === move.to.q);
    return { move, from: this.at, number };
  }

  /** Goes to a state that the page has, with what is known to lead there; false where it
   * does not know how any run comes there. */
  begin(state: State): boolean {
    const past = this.model.pastsOf(state)[0];
    if (past) this.from(past);
    else if (this.remote) void this.fetchPast(this.remote, state);
    return past !== undefined || this.remote !== null;
  }

  private async fetchPast(remote: Remote, state: State): Promise<void> {
    const past = await remote.past(state).catch(() => null);
    if (past) this.from(past);
    else this.tell(`No run comes to a state ${printable(String(state))}. (Or: ${remote.silent})`);
  }

  /** Asks why an action does not happen at a state. */
  ask(state: State, action: string): void {
    if (String(this.at.state) !== String(state) && !this.begin(state)) return;
    const select = find<HTMLSelectElement>("off-why");
    if (select) select.value = action;
    this.asked = action;
    unfold(this.box);
    this.show();
    this.box.scrollIntoView({ block: "nearest" });
    find("off-answer")?.focus();
  }

  /** Where the reader is. */
  get at(): Place {
    return this.steps.at(-1)?.move.to ?? this.past.place;
  }

  /** The run itself up to a step. */
  private alongRun(steps: number): Past {
    const labels = this.explanation.counterexample?.steps.slice(0, steps).map((s) => s.label) ?? [];
    return { place: this.model.onRun(steps), steps, labels };
  }

  private from(past: Past): void {
    unfold(this.box);
    this.past = past;
    this.steps = [];
    this.show();
    this.point(this.at.state);
  }

  private attach(): void {
    const press = (id: string, action: () => void): void => find(id)?.addEventListener("click", action);
    press("off-back", () => this.back());
    press("off-restart", () => this.from(this.past));
    press("off-labels", () => void this.copy("labels"));
    press("off-seq", () => void this.copy("seq"));
    press("off-run", () => this.from(this.alongRun(this.walk?.position ?? 0)));
    const go = find<HTMLInputElement>("off-state");
    const enter = (): void => {
      const wanted = (go?.value ?? "").trim();
      if (wanted === "") return;
      if (!this.begin(wanted)) this.tell(`This page knows no way to a state ${printable(wanted)}.`);
    };
    press("off-go", enter);
    go?.addEventListener("keydown", (event) => {
      if (event.key === "Enter") enter();
    });
    find<HTMLSelectElement>("off-why")?.addEventListener("change", (event) => {
      this.asked = (event.target as HTMLSelectElement).value;
      this.answer();
    });
    find<HTMLSelectElement>("off-past")?.addEventListener("change", (event) => {
      const chosen = this.model.pastsOf(this.past.place.state)[Number((event.target as HTMLSelectElement).value)];
      if (chosen) this.from(chosen);
    });
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.walk?.listen(() => this.nameRun());
    this.nameRun();
  }

  /** Leaves the choice of a state as the only beginning, where there is no run to leave. */
  private beginOnlyInAState(): void {
    find("off-run")?.remove();
    this.box.querySelector(".off-goto label")?.replaceChildren("Begin in state");
  }

  /** Says from which step of the run one would begin. */
  private nameRun(): void {
    const button = find("off-run");
    if (!button || !this.walk) return;
    button.textContent = this.walk.position === 0 ? "Begin at the start" : `Begin after step ${this.walk.position} of the run`;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea")) return;
    const moves = [...this.box.querySelectorAll<HTMLButtonElement>("#off-moves button")];
    const here = moves.indexOf(target as HTMLButtonElement);
    if (event.key === "Backspace") this.back();
    else if (event.key === "ArrowDown") moves[Math.min(here + 1, moves.length - 1)]?.focus();
    else if (event.key === "ArrowUp" && here >= 0) moves[Math.max(here - 1, 0)]?.focus();
    else return;
    event.preventDefault();
  }

  private take(move: Move): void {
    this.steps.push(this.stepBy(move));
    this.show();
    this.point(this.at.state);
    this.tell(`State ${this.at.state}, ${this.model.words(this.at.q)}; ${badge[move.fate]}.`);
    const first = this.box.querySelector<HTMLButtonElement>("#off-moves button") ?? find("off-back");
    first?.focus();
  }

  private back(): void {
    if (this.steps.pop() === undefined) return;
    this.show();
    this.point(this.at.state);
    this.tell(`Back in state ${this.at.state}.`);
    const restored = this.box.querySelector<HTMLButtonElement>("#off-moves button");
    if (!this.box.contains(document.activeElement) || document.activeElement === document.body) restored?.focus();
  }

  /** What can become of the run here. */
  private get fate(): Fate {
    return this.steps.at(-1)?.move.fate ?? this.model.fate(this.at);
  }

  private show(): void {
    const { at, fate } = this;
    fill("off-head", `State ${at.state} `, make("span", { class: "kind" }, this.model.words(at.q)));
    fill("off-fate", make("span", { class: "sign", "aria-hidden": "true" }, signs[classOf[fate]]), " ", badge[fate]);
    const told = find("off-fate");
    if (told) told.className = `choice after-${classOf[fate]}`;
    this.showMoves();
    this.showWay();
    this.showPasts();
    for (const id of ["off-back", "off-restart"]) {
      const button = find<HTMLButtonElement>(id);
      if (button) button.disabled = this.steps.length === 0;
    }
    this.answer();
    for (const listener of this.listeners) listener();
  }

  private showMoves(): void {
    const list = find("off-moves");
    const found = this.model.moves(this.at);
    if (!list) return;
    list.replaceChildren();
    fill("off-note", !found && this.remote ? "Looking it up …" : note(found?.list.length, found?.count));
    if (!found && this.remote) void this.fetchMoves(this.remote, this.at.state);
    const words = this.fate === "open" ? then : still;
    const taken = this.takenByRun();
    const item = (m: Move): HTMLElement => {
      const button = make(
        "button",
        { type: "button", class: `move after-${classOf[m.fate]}` },
        make("span", { class: "sign", "aria-hidden": "true" }, signs[classOf[m.fate]]),
        " ",
        label(m.label),
        make("span", { class: "to" }, ` → state ${m.to.state}`),
        make("span", { class: "means" }, words[m.fate], taken?.row === m.row ? "; the run takes it" : ""),
      );
      button.addEventListener("click", () => this.take(m));
      return make("li", {}, button);
    };
    const all = withinReach(found?.list ?? [], (m) => taken?.row === m.row);
    for (const m of all.slice(0, shownMoves)) list.append(item(m));
    if (all.length <= shownMoves) return;
    const more = make("button", { type: "button", class: "more" }, `… ${all.length - shownMoves} more`);
    more.addEventListener("click", () => {
      more.parentElement?.remove();
      for (const m of all.slice(shownMoves)) list.append(item(m));
      list.children[shownMoves]?.querySelector("button")?.focus();
    });
    list.append(make("li", {}, more));
  }

  /** Asks for what leaves a state, and shows it if that is still where one is. */
  private async fetchMoves(remote: Remote, state: State): Promise<void> {
    const part = await remote.near(state).catch(() => null);
    if (!part) {
      fill("off-note", note(undefined, undefined));
      return this.tell(remote.silent);
    }
    const had = this.box.contains(document.activeElement) && document.activeElement?.id === "off-back";
    this.model.add(part);
    if (String(this.at.state) !== String(state) || !this.model.moves(this.at)) return;
    this.show();
    if (had) this.box.querySelector<HTMLButtonElement>("#off-moves button")?.focus();
  }

  /** The move that the run takes here; null where this is no place of the run. */
  private takenByRun(): Move | null {
    if (this.past.labels.length !== this.past.steps) return null;
    return this.model.taken(this.past.steps, this.steps, this.at);
  }

  private get labels(): string[] {
    return [...this.past.labels, ...this.steps.map((s) => s.move.label)];
  }

  private showWay(): void {
    const all = this.labels;
    const items: Child[] = all.slice(-shownWay).map((text) => make("li", {}, label(text, 60)));
    if (all.length > shownWay) items.unshift(make("li", { class: "note" }, `${count(all.length - shownWay, "step")} before`));
    fill("off-way", ...items);
    fill("off-length", all.length === 0 ? "Nothing has been done yet." : `${count(all.length, "step")} from the initial state, ${this.steps.length} of them taken here.`);
  }

  /** Offers the other histories with which a run can be in the state where this began. */
  private showPasts(): void {
    const select = find<HTMLSelectElement>("off-past");
    const pasts = this.model.pastsOf(this.past.place.state);
    if (!select) return;
    const row = select.closest("label");
    if (row) row.hidden = pasts.length < 2 || this.steps.length > 0;
    select.replaceChildren(
      ...pasts.map(({ place }, i) => {
        const option = make("option", { value: String(i) }, this.model.words(place.q) || "nothing pending");
        option.selected = place.q === this.past.place.q;
        return option;
      }),
    );
  }

  private listLabels(): void {
    this.offer(this.model.labels);
    const { remote } = this;
    const all = (): void => void remote?.labels().then((texts) => texts && this.offer(texts), () => undefined);
    if (remote?.sleeps) find("off-why")?.addEventListener("focus", all, { once: true });
    else all();
  }

  /** Lists labels to ask for. */
  private offer(labels: string[]): void {
    const select = find<HTMLSelectElement>("off-why");
    while (select && select.options.length > 1) select.lastElementChild?.remove();
    select?.append(...labels.map((text) => make("option", { value: text }, text === "" ? "(empty label)" : printable(text.slice(0, 120)))));
  }

  /** Answers why the action that was asked about does not happen here. */
  private answer(): void {
    const box = find("off-answer");
    if (!box) return;
    box.replaceChildren();
    if (this.asked === "") return;
    const here = whyNot(this.model, this.at, this.asked);
    if (here.certain || !this.remote) this.showAnswer(box, here);
    else void this.fetchAnswer(this.remote, box, this.at, this.asked);
  }

  private async fetchAnswer(remote: Remote, box: HTMLElement, from: Place, asked: string): Promise<void> {
    const found = await remote.why(from, asked).catch(() => null);
    if (this.asked !== asked || this.at.state !== from.state || this.at.q !== from.q) return;
    box.replaceChildren();
    if (found) this.showAnswer(box, found);
    else this.tell(remote.silent);
  }

  private showAnswer(box: HTMLElement, { path, moves, certain }: Answer): void {
    const parts: Child[] = [];
    if (moves.length === 0) {
      parts.push(
        certain
          ? make("p", {}, label(this.asked), " is not possible here, and from here on it can no longer happen.")
          : make("p", {}, label(this.asked), " is not possible in any state that this page can go to from here; it holds a part of the model only. ", this.command()),
      );
    } else if (path.length === 0) {
      parts.push(make("p", {}, label(this.asked), " is possible here", ...this.insteadOf(moves)));
      parts.push(this.meanings(moves));
    } else {
      const far = certain ? "The nearest place with it is" : "The nearest place with it on this page, which contains only a part of the model, is";
      const end = path.at(-1)?.to.state;
      const go = make("button", { type: "button" }, `Go to state ${end}`);
      go.addEventListener("click", () => {
        for (const move of path) this.steps.push(this.stepBy(move));
        this.show();
        this.point(this.at.state);
        this.box.querySelector<HTMLButtonElement>("#off-moves button")?.focus();
      });
      parts.push(make("p", {}, label(this.asked), ` is not possible here. ${far} state ${end}, ${count(path.length, "transition")} on:`));
      parts.push(make("ol", { class: "path" }, ...path.map((m) => make("li", {}, label(m.label, 60)))));
      parts.push(this.meanings(moves), make("p", { class: "controls" }, go));
    }
    box.append(...parts.filter((p): p is Node | string => Boolean(p)));
  }

  /** What the run does where an action was asked for that these moves do. */
  private insteadOf(moves: Move[]): Child[] {
    const taken = this.takenByRun();
    if (!taken) return [":"];
    if (taken.label !== this.asked) return [", and the run takes ", label(taken.label), " instead:"];
    return [moves.length > 1 ? `, and the run takes it to state ${taken.to.state}:` : ", and the run takes it:"];
  }

  private meanings(moves: Move[]): HTMLElement {
    const words = this.fate === "lost" || this.fate === "sure" ? still : then;
    return make(
      "ul",
      { class: "choices" },
      ...moves.map((m) =>
        make("li", { class: `choice after-${classOf[m.fate]}` }, make("span", { class: "sign", "aria-hidden": "true" }, signs[classOf[m.fate]]), make("span", { class: "choice-text" }, label(m.label), make("span", { class: "to" }, ` → state ${m.to.state}`), make("span", { class: "means" }, words[m.fate]))),
      ),
    );
  }

  /** The command that answers what the page cannot. */
  private command(): HTMLElement {
    return make("span", {}, "The whole model is asked by ", make("code", {}, `inev why … --state ${this.at.state} --not …`), ".");
  }

  private async copy(format: "labels" | "seq"): Promise<void> {
    const labels = this.labels;
    const cut = labels.find((l) => l.length > longest);
    const strange = labels.find((l) => /["\n]/.test(l));
    if (cut !== undefined) return this.tell("A label of this run is too long: the page does not contain the whole label.");
    if (format === "seq" && strange !== undefined) return this.tell("A label has a double quote or a line feed in it, which the .seq format cannot express.");
    const ends = this.model.moves(this.at)?.count === 0;
    const text = format === "labels" ? labels.join("\n") : labels.map((l) => `"${l}"`).join("\n") + (ends ? "\n<deadlock>" : "");
    const field = find<HTMLTextAreaElement>("off-text");
    try {
      await navigator.clipboard.writeText(text + "\n");
      if (field) field.hidden = true;
      this.tell("Copied.");
    } catch {
      // Not allowed here: then it is at least there, and selected.
      if (!field) return;
      field.hidden = false;
      field.value = text + "\n";
      field.select();
      this.tell("Selected; copy it with your keyboard.");
    }
  }

  private tell(text: string): void {
    fill("off-told", text);
    this.say(text);
  }
}

/** The moves in their order, but with the one that the run takes among those shown first. */
function withinReach(moves: Move[], isTaken: (m: Move) => boolean): Move[] {
  const at = moves.findIndex(isTaken);
  if (at < shownMoves) return moves;
  const ordered = [...moves];
  ordered.splice(shownMoves - 1, 0, ...ordered.splice(at, 1));
  return ordered;
}

function fill(id: string, ...children: Child[]): void {
  find(id)?.replaceChildren(...children.filter((c): c is Node | string => Boolean(c)));
}

/** What there is to say of moves that cannot be shown. */
function note(shown: number | undefined, all: number | undefined): string {
  if (shown === undefined || all === undefined) return "The transitions that leave this state are not on this page, which has those of the states nearest to the run.";
  if (all === 0) return "Nothing can happen here any more: the run ends.";
  if (shown < all) return `${all - shown} more transitions leave this state; they are not on this page.`;
  return "";
}
