// The explanation as inev writes it, and what the page adds to it. Both are data blocks
// of the page. They never change once they are read.

import { brief } from "./elements.js";
import type { Class, Counterexample, Explanation, Kind, State } from "./schema.js";

export type { Choice, Class, Counterexample, Decision, Explanation, Kind, Late, Neighbourhood, State, Step } from "./schema.js";

export interface Extra {
  /** What would have been better, by the step that leaves a decision. */
  sentences: Record<string, string>;
  /** All steps that leave a decision. */
  decisions: number[];
  /** What the headline says of a step that it is about. */
  blamed?: Record<string, string>;
  begin: number;
  /** What is said at the end of the slowest run. */
  end?: string;
  all_neighbourhoods?: number;
}

/** A run that the reader walks through: the counterexample or, of a property that holds, the slowest run. */
export type Run = Pick<Counterexample, "steps" | "loop_start" | "late" | "done" | "initial_pending" | "refused"> & {
  kind: Counterexample["kind"] | "slowest";
  end?: string;
};

/** The run of an explanation, null if there is none. */
export function runOf(explanation: Explanation, extra: Extra): Run | null {
  if (explanation.counterexample) return explanation.counterexample;
  const slowest = explanation.holds?.slowest;
  if (!slowest) return null;
  return { kind: "slowest", steps: slowest.steps, loop_start: null, late: [], done: explanation.property.steps.length, end: extra.end ?? "" };
}

/** The part of the model that travels with the page, as package page writes it. */
export interface ModelPart {
  labels: string[];
  states: { state: State; out: [label: number, to: State, cls: number][]; all: number; fates?: string; taken?: [step: number, row: number][] }[];
  of: number;
  property?: {
    initial: number;
    /** For each label the state of the property after it, by that before; null where it stays. */
    next: (number[] | null)[];
    words: string[];
    /** States that are led to, and whose own transitions are not here. */
    beyond: { state: State; fates?: string }[];
  };
}

export const readModelPart = (): ModelPart => JSON.parse(block("surroundings")) as ModelPart;

export const explanationText = (): string => block("explanation");

export const readExplanation = (): Explanation => JSON.parse(explanationText()) as Explanation;

export const readExtra = (): Extra => JSON.parse(block("extra")) as Extra;

function block(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

/** Signs stand beside colours, so that nobody has to tell these apart. */
export const signs: Record<Class, string> = { correct: "✓", incorrect: "✗", neutral: "?", excluded: "–" };

/** What the kind of a neighbourhood means, in words. */
export const kindWords: Record<Kind, string> = {
  correct: "saved here",
  incorrect: "lost here",
  "mixed-neutral": "saved or lost here",
  mixed: "saved or lost here",
};

/** What is possible where a run stops, all of which is refused. */
export function refused(run: Pick<Counterexample, "refused">): string {
  const labels = run.refused ?? [];
  const most = 3;
  const said = labels.slice(0, labels.length > most ? most - 1 : most).map((l) => brief(l));
  if (labels.length > most) said.push(`${labels.length - most + 1} other actions`);
  const last = said.pop() ?? "";
  return said.length === 0 ? `only ${last}, which may be blocked, is possible` : `only ${said.join(", ")} and ${last}, which may be blocked, are possible`;
}
