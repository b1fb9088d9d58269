// The list of the counterexample's steps: the loop in a bracket, decisions and
// the point of no return marked, the step at hand selected.

import { count, label, make } from "./elements.js";
import { refused, type Explanation, type Late, type Run } from "./explanation.js";
import { Rows } from "./rows.js";
import { saidValues, valuesAfter } from "./values.js";
import type { Mode, Walk } from "./walk.js";

/** What a row shows: the start, a step (from 1), steps left out, or the end. */
type Item =
  | { is: "start" }
  | { is: "step"; number: number }
  | { is: "gap"; first: number; last: number }
  | { is: "end" };

/** Steps of the property done in later rounds that are told at one step of the loop. */
const shownLate = 3;

/** Rows up to which a run is printed as it is, and about as many as its story has. */
const printedRows = 40;

export class Steps {
  private items: Item[] = [];
  private arranged: Mode = "full";
  private readonly rows: Rows;
  private readonly run: Run;
  private readonly decisions: Set<number>; // steps that leave one
  private readonly late = new Map<number, Late[]>(); // by step

  constructor(
    private readonly box: HTMLElement,
    private readonly explanation: Explanation,
    run: Run,
    private readonly kept: number[],
    private readonly walk: Walk,
  ) {
    this.run = run;
    this.decisions = new Set(kept);
    for (const l of run.late) this.late.set(l.step, [...(this.late.get(l.step) ?? []), l]);
    this.rows = new Rows(box, (i) => this.option(i));
    this.arrange();
    walk.listen(() => this.follow());
    box.addEventListener("click", (event) => this.clicked(event));
  }

  /** Shows the rows for the mode of the walk, and the step at hand. */
  private arrange(): void {
    this.arranged = this.walk.mode;
    this.items = this.walk.mode === "full" ? this.everything() : this.abstracted();
    this.rows.show(this.items.length);
    this.reveal();
  }

  /** The rows that paper needs: all steps of a short run; of a longer one those that
   * tell its story, and how many lie between them. */
  story(): HTMLElement[] {
    const all = this.everything();
    const items = all.length <= printedRows ? all : this.withGaps(this.telling(), { is: "start" });
    return items.map((item) => {
      const row = this.row(item);
      row.removeAttribute("role");
      row.removeAttribute("aria-selected");
      return row;
    });
  }

  /** The steps that tell the story, ascending: the first and the last ones, those
   * that do a step of the property, where the loop begins, and what is decided; of
   * too many decisions those nearest to the end. */
  private telling(): number[] {
    const { steps, loop_start } = this.run;
    const kept = new Set<number>();
    const keep = (number: number): void => {
      if (number >= 1 && number <= steps.length) kept.add(number);
    };
    for (let i = 1; i <= 3; i++) {
      keep(i);
      keep(steps.length + 1 - i);
    }
    if (loop_start !== null) keep(loop_start + 1);
    const point = this.explanation.point_of_no_return?.step;
    if (point !== undefined) for (const number of [point - 1, point, point + 1]) keep(number);
    let done = 0;
    steps.forEach((s, i) => {
      if (s.progress > done) keep(i + 1);
      done = Math.max(done, s.progress);
    });
    const decided = [...this.decisions].sort((a, b) => b - a);
    for (const number of decided) if (kept.size < printedRows) keep(number);
    return [...kept].sort((a, b) => a - b);
  }

  private everything(): Item[] {
    const steps = this.run.steps.map((_, i): Item => ({ is: "step", number: i + 1 }));
    return [{ is: "start" }, ...steps, { is: "end" }];
  }

  private abstracted(): Item[] {
    return this.withGaps(this.kept);
  }

  /** These steps, what lies between them as gaps, and the end. */
  private withGaps(numbers: number[], ...items: Item[]): Item[] {
    let before = 0;
    for (const number of [...numbers, this.run.steps.length + 1]) {
      if (number > before + 1) items.push({ is: "gap", first: before + 1, last: number - 1 });
      if (number <= this.run.steps.length) items.push({ is: "step", number });
      before = number;
    }
    return [...items, { is: "end" }];
  }

  private follow(): void {
    if (this.walk.mode !== this.arranged) {
      this.arrange();
      return;
    }
    this.rows.refresh();
    this.reveal();
  }

  private reveal(): void {
    const at = this.items.findIndex((item) => this.positionOf(item) === this.walk.position);
    if (at >= 0) {
      this.rows.reveal(at);
      this.box.setAttribute("aria-activedescendant", `row-${at}`);
    } else {
      this.box.removeAttribute("aria-activedescendant");
    }
  }

  private positionOf(item: Item): number {
    if (item.is === "step") return item.number;
    return item.is === "start" ? 0 : -1;
  }

  private clicked(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-position]");
    if (row) this.walk.go(Number(row.dataset["position"]));
  }

  /** A row of the list that one walks through. */
  private option(index: number): HTMLElement {
    const row = this.row(this.items[index] as Item);
    row.id = `row-${index}`;
    row.setAttribute("aria-posinset", String(index + 1));
    row.setAttribute("aria-setsize", String(this.items.length));
    return row;
  }

  private row(item: Item): HTMLElement {
    const row = make("div", { class: `row row-${item.is}`, role: "option", "aria-selected": "false" });
    const position = this.positionOf(item);
    if (position >= 0) {
      row.dataset["position"] = String(position);
      row.setAttribute("aria-selected", String(position === this.walk.position));
      if (position <= this.walk.position) row.classList.add("past");
    }
    switch (item.is) {
      case "start":
        row.append(cell("bracket"), cell("number"), cell("state", String(this.explanation.model.initial)), this.startText());
        break;
      case "gap":
        row.append(this.bracket(item.first, item.last), cell("number"), cell("state"), cell("text", `… ${count(item.last - item.first + 1, "step")}`));
        row.setAttribute("aria-disabled", "true");
        break;
      case "end":
        this.endRow(row);
        break;
      case "step":
        this.stepRow(row, item.number);
    }
    return row;
  }

  private endRow(row: HTMLElement): void {
    row.setAttribute("aria-disabled", "true");
    const last = this.run.steps.at(-1);
    const state = String(last ? last.to : this.explanation.model.initial);
    const text = {
      deadlock: "■ deadlock: here the run ends",
      lasso: `↻ back in state ${state}, and so on forever`,
      trap: "■ from here on the property is lost",
      prefix: "■ whatever follows, the property is violated",
      stop: `■ stops: ${refused(this.run)}`,
      slowest: `■ ${this.run.end ?? ""}`,
    }[this.run.kind];
    row.append(cell("bracket"), cell("number"), cell("state", this.run.kind === "lasso" ? "" : state), cell("text", text));
  }

  private stepRow(row: HTMLElement, number: number): void {
    const step = this.run.steps[number - 1];
    if (!step) return;
    const text = cell("text");
    text.append(label(step.label));
    this.tellValues(text, valuesAfter(this.explanation, number), "after this step");
    row.append(this.bracket(number, number), cell("number", String(number)), cell("state", String(step.from)), text, this.marks(number));
    if (step.fate === "fated") row.classList.add("fated");
  }

  /** The part of the loop's bracket beside these steps. */
  private bracket(first: number, last: number): HTMLElement {
    const b = cell("bracket");
    const start = this.run.loop_start;
    if (start === null || last < start + 1) return b;
    b.classList.add("looping");
    if (first <= start + 1) b.classList.add("loop-first");
    if (last === this.run.steps.length) b.classList.add("loop-last");
    b.title = "on the loop, which is repeated forever";
    return b;
  }

  private startText(): HTMLElement {
    const text = cell("text", "start");
    this.tellValues(text, saidValues(this.explanation.values?.initial ?? []), "at first");
    return text;
  }

  /** Writes values behind what a row says. */
  private tellValues(text: HTMLElement, values: string, when: string): void {
    if (values !== "") text.append(" ", make("span", { class: "values", title: `${when}, ${values}` }, values));
  }

  /** What there is to say about a step, in a few words. */
  private marks(number: number): HTMLElement {
    const marks = cell("marks");
    // Where there is little room, the style sheet shows the short text.
    const add = (kind: string, sign: string, text: string, short: string, title = ""): void => {
      const words = [make("span", { class: "mark-text" }, text), make("span", { class: "mark-short" }, short)];
      const mark = make("span", { class: `mark mark-${kind}` }, make("span", { "aria-hidden": "true" }, sign), " ", ...words);
      mark.title = title || text;
      marks.append(mark);
    };
    const step = this.run.steps[number - 1];
    const before = number > 1 ? (this.run.steps[number - 2]?.progress ?? 0) : 0;
    if (step && step.progress > before) add("done", "✓", `${step.progress} of ${this.explanation.property.steps.length} done`, `${step.progress}/${this.explanation.property.steps.length}`);
    const steps = this.explanation.property.steps.length;
    for (const l of (this.late.get(number) ?? []).slice(0, shownLate)) {
      add("done", "✓", `in round ${l.round}: ${l.progress} of ${steps} done`, `${l.progress}/${steps} in round ${l.round}`);
    }
    const pending = step?.pending?.text;
    const pendingBefore = (number > 1 ? this.run.steps[number - 2]?.pending : this.run.initial_pending)?.text;
    const noReturn = this.explanation.point_of_no_return?.step === number;
    // After the point of no return there is nothing to wait for.
    if (pending !== undefined && pending !== pendingBefore && !noReturn) {
      if (pending) add("pending", "…", pending, pending);
      else add("done", "✓", "nothing pending", "nothing pending");
    }
    if (noReturn) {
      add("point", "⊘", "point of no return", "no return", "Up to here the property is still possible; after this step it is lost");
    }
    if (this.decisions.has(number) && this.run.kind === "slowest") add("decision", "⬡", "not the fastest", "slow", "another choice would have been faster");
    else if (this.decisions.has(number)) add("decision", "⬡", "decision", "decision", "another choice would have been better for this run");
    return marks;
  }
}

function cell(kind: string, text = ""): HTMLElement {
  return make("span", { class: `cell-${kind}` }, text);
}
