// What is said about the step at hand: beside the diagram, in the formula, and
// to those who listen instead of looking.

import { all, brief, find, label, make, sentence } from "./elements.js";
import type { Explanation, Extra, Run } from "./explanation.js";
import { wordsOf, type Words } from "./words.js";
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
    find("caption")?.replaceChildren(...wordsOf(this.explanation, this.run, this.extra, this.walk.position).flatMap(shown));
    this.showFormula();
    const set = (id: string, off: boolean): void => void find(id)?.toggleAttribute("disabled", off);
    const [first, last] = [this.walk.position === 0, this.walk.position === this.walk.length];
    set("first", first);
    set("previous", first);
    set("next", last && !this.walk.loops);
    set("last", last);
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

/** Words as nodes. */
function shown(words: Words): (Node | string)[] {
  if (typeof words === "string") return [words];
  if ("strong" in words) return [make("strong", {}, words.strong)];
  return "label" in words ? [label(words.label)] : sentence(words.sentence);
}
