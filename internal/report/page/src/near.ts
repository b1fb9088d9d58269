// What the page knows of the model beyond the run: what leaves the states that are
// near it, as far as that travels with the page.

import type { Class, Explanation, ModelPart, State } from "./explanation.js";

export interface Leaving {
  label: string;
  to: State;
  class: Class | undefined;
}

export interface Entering {
  from: State;
  label: string;
  class: Class | undefined;
}

/** A state, and what leaves it: all of `count`, or those that leave most hope. */
export interface Near {
  state: State;
  leaving: Leaving[];
  count: number;
}

const classes: (Class | undefined)[] = ["correct", "neutral", "incorrect", "excluded"];

export class Vicinity {
  /** How many states are known, and how many the model has. */
  readonly known: number;
  readonly of: number;
  private readonly states = new Map<string, Near>();
  private entering: Map<string, Entering[]> | null = null;

  constructor(part: ModelPart, explanation: Explanation) {
    for (const { state, out, all } of part.states) {
      const leaving = out.map(([label, to, cls]): Leaving => ({ label: part.labels[label] ?? "", to, class: classes[cls] }));
      this.states.set(String(state), { state, leaving, count: all });
    }
    this.known = part.states.length;
    this.of = part.of;
    // What the explanation says of decisions is never cut.
    for (const n of explanation.neighbourhoods ?? []) {
      this.states.set(String(n.state), { state: n.state, leaving: n.outgoing, count: n.outgoing.length });
    }
  }

  at(state: State): Near | undefined {
    return this.states.get(String(state));
  }

  /** Whether everything of the model is here. */
  get whole(): boolean {
    return this.known >= this.of;
  }

  /** The transitions into a state, from other states, as far as they are known. */
  into(state: State): Entering[] {
    if (!this.entering) {
      this.entering = new Map();
      for (const [name, near] of this.states) {
        for (const t of near.leaving) {
          if (String(t.to) === name) continue;
          const list = this.entering.get(String(t.to)) ?? [];
          list.push({ from: near.state, label: t.label, class: t.class });
          this.entering.set(String(t.to), list);
        }
      }
    }
    return this.entering.get(String(state)) ?? [];
  }
}
