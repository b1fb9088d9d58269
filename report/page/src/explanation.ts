// The explanation as inev writes it (report/schema/explanation-1.json), and what
// the page adds to it. Both are data blocks of the page. They never change once
// they are read.

export type Class = "correct" | "incorrect" | "neutral";
export type Kind = "correct" | "incorrect" | "mixed-neutral" | "mixed";
/** A number, or state·progress where the model was unfolded. */
export type State = number | string;

export interface Step {
  from: State;
  label: string;
  to: State;
  class?: Class;
  progress: number;
  neighbourhood?: boolean;
  fate?: "free" | "fated";
}

/** A step of the property that a later round of the loop does. */
export interface Late {
  round: number;
  step: number;
  progress: number;
}

export interface Counterexample {
  kind: "deadlock" | "lasso";
  length: number;
  loop_start: number | null;
  steps: Step[];
  done: number;
  late: Late[];
  initial_fate?: "free" | "fated";
}

export interface Choice {
  label: string;
  to: State;
  class: Class;
  after: Class;
}

export interface Decision {
  step: number;
  state: State;
  kind?: Kind;
  distance_to_bug?: number;
}

export interface Neighbourhood {
  state: State;
  kind: Kind;
  distance_from_initial: number;
  incoming: { from: State; label: string; class: Class }[];
  outgoing: { label: string; to: State; class: Class }[];
  on_counterexample: boolean;
  shortest_path: string[];
}

export interface Explanation {
  model: { file: string; initial: State };
  property: { text: string; steps: { pattern: string; labels: string[] }[] };
  verdict: "violated" | "satisfied";
  counterexample: Counterexample | null;
  abstracted?: { steps: number[] } | null;
  neighbourhoods?: Neighbourhood[];
  point_of_no_return?: { step: number } | null;
  decisions?: Decision[];
  forks?: Decision[];
}

export interface Extra {
  sentences: Record<string, string>;
  /** The number of the sentence about the decision at a step. */
  decisions: Record<string, number>;
  decisive?: number;
  all_neighbourhoods?: number;
}

/** The part of the model that travels with the page, as package page writes it. */
export interface ModelPart {
  labels: string[];
  states: { state: State; out: [label: number, to: State, cls: number][]; all: number }[];
  of: number;
}

export const readModelPart = (): ModelPart => JSON.parse(block("surroundings")) as ModelPart;

export const explanationText = (): string => block("explanation");

export const readExplanation = (): Explanation => JSON.parse(explanationText()) as Explanation;

export const readExtra = (): Extra => JSON.parse(block("extra")) as Extra;

function block(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

/** Signs stand beside colours, so that nobody has to tell these apart. */
export const signs: Record<Class, string> = { correct: "✓", incorrect: "✗", neutral: "?" };

/** What the kind of a decision means, in words. */
export const kindWords: Record<Kind, string> = {
  correct: "can be saved here",
  incorrect: "can be lost here",
  "mixed-neutral": "both",
  mixed: "both",
};
