// What is said about the step at hand: beside the diagram, in the formula, and
// to those who listen instead of looking.

import { all, brief, find, label, make, sentence } from "./elements.js";
import { refused, type Explanation, type Extra, type Run } from "./explanation.js";
import { valuesAfter } from "./values.js";
import type { Walk } from "./walk.js";

export class Caption {
  constructor(
    private readonly explanation: Explanation,
    private readonly run: Run,
    private readonly extra: Extra,
    private readonly walk: Walk,
  ) {
    walk.listen(() => {
      this.show();
      this.announce();
    });
    this.show();
  }

  private show(): void {
    const position = find("position");
    if (position) position.textContent = `${this.walk.position} / ${this.walk.length}`;
    find("caption")?.replaceChildren(...this.words());
    this.showFormula();
    const set = (id: string, off: boolean): void => void find(id)?.toggleAttribute("disabled", off);
    const [first, last] = [this.walk.position === 0, this.walk.position === this.walk.length];
    set("first", first);
    set("previous", first);
    set("next", last && !this.walk.loops);
    set("last", last);
  }

  private words(): (Node | string)[] {
    const number = this.walk.position;
    const step = this.run.steps[number - 1];
    if (!step) return [make("strong", {}, "Start"), ` in state ${this.explanation.model.initial}. ${this.run.steps.length === 0 ? "Nothing can happen here." : ""}`];
    const said = this.extra.sentences[String(number)];
    const words: (Node | string)[] = [make("strong", {}, `Step ${number}: `), label(step.label), ` from state ${step.from} to state ${step.to}.`];
    if (this.explanation.point_of_no_return?.step === number) words.push(" The point of no return: up to here the property is still possible.");
    if (said !== undefined) words.push(" ", ...sentence(said));
    words.push(...this.plain(number));
    words.push(...this.values(number));
    if (number === this.run.steps.length) {
      words.push({
        deadlock: " Here the run ends: nothing can happen any more.",
        lasso: ` Here the loop begins anew, in state ${step.to}.`,
        trap: " From here on the property is lost, whatever is done.",
        prefix: " The property is violated here, whatever follows.",
        stop: ` Here the run stops: ${refused(this.run)}.`,
        slowest: ` Here ${this.run.end ?? ""}.`,
      }[this.run.kind]);
    }
    return words;
  }

  /** The values that a step changes. */
  private values(number: number): string[] {
    const changed = valuesAfter(this.explanation, number);
    return changed === "" ? [] : [` Now ${changed}.`];
  }

  /** What there is to say where nothing was decided. */
  private plain(number: number): string[] {
    const step = this.run.steps[number - 1];
    const before = number > 1 ? (this.run.steps[number - 2]?.progress ?? 0) : 0;
    if (step && step.progress > before) return [` This does step ${step.progress} of the property.`];
    const pending = step?.pending?.text;
    const pendingBefore = (number > 1 ? this.run.steps[number - 2]?.pending : this.run.initial_pending)?.text;
    if (pending !== undefined && pending !== pendingBefore) return [pending ? ` From here on: ${pending}.` : " From here on nothing is pending."];
    if (!step?.fate) return [];
    if (this.extra.decisions.includes(number)) return [];
    if (step.fate === "fated") return [" The property was lost before; no choice here brings it back."];
    return [" Nothing was decided here."];
  }

  /** Shows which steps of the property are done by now, and which one never is. */
  private showFormula(): void {
    const done = this.run.steps[this.walk.position - 1]?.progress ?? 0;
    for (const goal of all("#formula .goal")) {
      const number = Number(goal.dataset["step"]);
      const [state, sign, word] =
        number <= done ? ["done", "✓", "done"]
        : number <= this.run.done ? ["open", "○", "to come"]
        : number === this.run.done + 1 ? ["never", "✗", "never comes on this run"]
        : ["open", "○", ""];
      goal.className = `goal goal-${state}`;
      const [signBox, wordBox] = [goal.querySelector(".goal-sign"), goal.querySelector(".goal-word")];
      if (signBox) signBox.textContent = sign;
      if (wordBox) wordBox.textContent = word;
    }
  }

  private announce(): void {
    const box = find("announce");
    const step = this.run.steps[this.walk.position - 1];
    if (!box) return;
    if (!step) {
      box.textContent = `Start, state ${this.explanation.model.initial}`;
      return;
    }
    const point = this.explanation.point_of_no_return?.step === this.walk.position ? ", point of no return" : "";
    const decided = this.extra.decisions.includes(this.walk.position) ? `, ${this.run.kind === "slowest" ? "not the fastest" : "decision"}` : "";
    box.textContent = `Step ${this.walk.position} of ${this.walk.length}: ${brief(step.label, 80)}, to state ${step.to}${decided}${point}`;
  }
}
