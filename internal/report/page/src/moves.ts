// Taking transitions: what each would mean for a run, given what the run has done. What
// has been done is summed up in a state of the property, q.

import type { Explanation, ModelPart, State } from "./explanation.js";

/** What can become of a run; excluded where no run counts that goes on from there. */
export type Fate = "sure" | "open" | "lost" | "excluded";

/** Where a run is, and with what behind it. */
export interface Place {
  state: State;
  q: number;
}

/** A transition that can be taken, and what can become of the run then. */
export interface Move {
  label: string;
  to: Place;
  fate: Fate;
  /** Its place among the transitions of the state, by which the steps of the run name them. */
  row: number;
}

/** The moves from a place: all of `count`, or those that the page has. */
export interface Moves {
  list: Move[];
  count: number;
}

/** A run from the initial state to a place: its first steps are those of the
 * counterexample, `steps` of them. */
export interface Past {
  place: Place;
  steps: number;
  labels: string[];
}

const letters: Record<string, Fate> = { s: "sure", o: "open", l: "lost" };
const excludedClass = 3;

/** The nearest ways on; null where there is none. */
export interface Fork {
  correct: Continuation | null;
  violating: Continuation | null;
}

/** A way on: of its labels the last `loop` are repeated forever. Without a loop, it ends where the property is
 * decided, or in a deadlock. */
export interface Continuation {
  labels: string[];
  loop: number;
  decided: boolean;
}

/** Where a page can ask for what it does not carry; null is what is not there. */
export interface Remote {
  near(state: State): Promise<ModelPart | null>;
  past(state: State): Promise<Past | null>;
  why(from: Place, label: string): Promise<Answer | null>;
  labels(): Promise<string[] | null>;
  fork(from: Place): Promise<Fork | null>;
  /** Sentences about so many further counterexamples, and about what all have in common if there are no more. */
  another(number: number): Promise<string[] | null>;
  /** Whether it takes seconds to wake, and is not to be asked before the reader asks. */
  readonly sleeps: boolean;
  /** What stands there without an answer. */
  readonly silent: string;
}

export class Model {
  private readonly fates = new Map<string, string>();
  private readonly states = new Map<string, ModelPart["states"][number]>();
  private readonly property: NonNullable<ModelPart["property"]>;
  /** Of each state the shortest known runs to it, one for each q. */
  private readonly pasts = new Map<string, { place: Place; before: string; label: string; steps: number }[]>();

  constructor(
    private readonly part: ModelPart,
    private readonly explanation: Explanation,
  ) {
    this.property = part.property ?? { initial: 0, next: [], words: [], beyond: [] };
    for (const s of part.states) {
      this.states.set(String(s.state), s);
      this.fates.set(String(s.state), s.fates ?? "");
    }
    for (const b of this.property.beyond) this.fates.set(String(b.state), b.fates ?? "");
    this.explore();
  }

  /** Adds what was asked for: the states of another part, by labels of its own. Labels of the same text
   * differ where the property tells their transitions apart, by the values of their states. */
  add(more: ModelPart): void {
    const { labels } = this.part;
    const { next } = this.property;
    const number = more.labels.map((text, i) => {
      const leads = more.property?.next[i] ?? null;
      const known = labels.findIndex((other, j) => other === text && String(next[j] ?? null) === String(leads));
      if (known >= 0) return known;
      next[labels.length] = leads;
      return labels.push(text) - 1;
    });
    for (const b of more.property?.beyond ?? []) {
      if (!this.fates.has(String(b.state))) this.fates.set(String(b.state), b.fates ?? "");
    }
    for (const s of more.states) {
      this.states.set(String(s.state), { ...s, out: s.out.map(([label, to, cls]) => [number[label] ?? 0, to, cls]) });
      this.fates.set(String(s.state), s.fates ?? "");
    }
  }

  /** The texts of the labels of all transitions that the page has, each once, in their order. */
  get labels(): string[] {
    return [...new Set(this.part.labels)].toSorted();
  }

  get start(): Place {
    return { state: this.explanation.model.initial, q: this.property.initial };
  }

  words(q: number): string {
    return this.property.words[q] ?? "";
  }

  fate({ state, q }: Place): Fate {
    return letters[this.fates.get(String(state))?.[q] ?? "o"] ?? "open";
  }

  /** The moves from a place, those first that leave most hope; undefined where the page
   * does not have what leaves it. */
  moves(place: Place): Moves | undefined {
    const s = this.states.get(String(place.state));
    if (!s) return undefined;
    const list = s.out.map(([label, to, cls], row): Move => {
      const after = { state: to, q: this.property.next[label]?.[place.q] ?? place.q };
      return { label: this.part.labels[label] ?? "", to: after, fate: cls === excludedClass ? "excluded" : this.fate(after), row };
    });
    const order: Record<Fate, number> = { sure: 0, open: 1, lost: 2, excluded: 3 };
    return { list: list.sort((a, b) => order[a.fate] - order[b.fate]), count: s.all };
  }

  /** The move by which the counterexample leaves a place, where these moves lead from its first
   * `steps` steps to that place; null off the run, and where the page does not have the move. */
  taken(steps: number, moves: { from: Place; move: Move }[], at: Place): Move | null {
    const along = moves.every(({ from, move }, i) => this.rowOf(from, steps + i + 1) === move.row);
    const row = along ? this.rowOf(at, steps + moves.length + 1) : undefined;
    return this.moves(at)?.list.find((m) => m.row === row) ?? null;
  }

  /** The row of the transition that a step of the counterexample takes from a place. */
  private rowOf(from: Place, step: number): number | undefined {
    return this.states.get(String(from.state))?.taken?.find(([number]) => number === step)?.[1];
  }

  /** The place of the counterexample after so many steps, the first time round. */
  onRun(steps: number): Place {
    const step = this.explanation.counterexample?.steps[steps - 1];
    return step ? { state: step.to, q: step.pending?.state ?? step.progress } : this.start;
  }

  /** The known runs to a state, one for each q with which it can be reached here; those
   * along the counterexample first. */
  pastsOf(state: State): Past[] {
    return (this.pasts.get(String(state)) ?? []).map(({ place }) => this.past(place));
  }

  private past(place: Place): Past {
    const moved: string[] = [];
    let steps = 0;
    for (let at = place; ; ) {
      const found = this.find(at);
      if (!found || found.before === "") {
        steps = found?.steps ?? 0;
        break;
      }
      moved.push(found.label);
      const [state, q] = JSON.parse(found.before) as [State, number];
      at = { state, q };
    }
    const ran = this.explanation.counterexample?.steps.slice(0, steps).map((s) => s.label) ?? [];
    return { place, steps, labels: [...ran, ...moved.reverse()] };
  }

  private find({ state, q }: Place): { before: string; label: string; steps: number } | undefined {
    return this.pasts.get(String(state))?.find((p) => p.place.q === q);
  }

  /** Finds the runs: breadth first, from the counterexample and from the initial state. */
  private explore(): void {
    const queue: Place[] = [];
    const meet = (place: Place, before: string, label: string, steps: number): void => {
      if (this.find(place)) return;
      const known = this.pasts.get(String(place.state)) ?? [];
      this.pasts.set(String(place.state), [...known, { place, before, label, steps }]);
      queue.push(place);
    };
    const length = this.explanation.counterexample?.steps.length ?? 0;
    for (let i = 0; i <= length; i++) meet(this.onRun(i), "", "", i);
    for (let i = 0; i < queue.length; i++) {
      const at = queue[i] as Place;
      for (const m of this.moves(at)?.list ?? []) meet(m.to, JSON.stringify([at.state, at.q]), m.label, 0);
    }
  }
}

/** The answer to the question why an action does not happen at a place: the moves that do
 * it, at the nearest place that has any. */
export interface Answer {
  /** The moves to that place; none where it is the place of the question. */
  path: Move[];
  moves: Move[];
  /** Whether no place outside of what the page holds could be as near, or have the
   * action at all. */
  certain: boolean;
}

/** Looks for the nearest place with an action, breadth first. */
export function whyNot(model: Model, from: Place, action: string): Answer {
  const before = new Map<string, { at: Place; move: Move } | null>([[String(from.state), null]]);
  let certain = true;
  const queue: Place[] = [from];
  for (let i = 0; i < queue.length; i++) {
    const at = queue[i] as Place;
    const found = model.moves(at);
    const moves = found?.list.filter((m) => m.label === action) ?? [];
    if (moves.length > 0) return { path: pathTo(at, before), moves, certain };
    if (!found || found.count > found.list.length) certain = false;
    for (const m of found?.list ?? []) {
      if (before.has(String(m.to.state))) continue;
      before.set(String(m.to.state), { at, move: m });
      queue.push(m.to);
    }
  }
  return { path: [], moves: [], certain };
}

function pathTo(end: Place, before: Map<string, { at: Place; move: Move } | null>): Move[] {
  const path: Move[] = [];
  for (let last = before.get(String(end.state)); last; last = before.get(String(last.at.state))) path.push(last.move);
  return path.reverse();
}
