// The words about the step at hand. They only say what the data has: what was decided, what
// the headline is about and what it says is computed before.

import { refused, type Explanation, type Extra, type Run } from "./explanation.js";

/** A piece of a caption: plain words, or what is shown in its own way. */
export type Words = string | { strong: string } | { label: string } | { sentence: string };

/** What there is to say after so many steps of a run. */
export function wordsOf(explanation: Explanation, run: Run, extra: Extra, number: number): Words[] {
  const step = run.steps[number - 1];
  if (!step) return [{ strong: "Start" }, ` in state ${explanation.model.initial}. ${run.steps.length === 0 ? "Nothing can happen here." : ""}`];
  const words: Words[] = [{ strong: `Step ${number}: ` }, { label: step.label }, ` from state ${step.from} to state ${step.to}.`];
  if (explanation.point_of_no_return?.step === number) words.push(" The point of no return: up to here the property is still possible.");
  const said = extra.sentences[String(number)] ?? extra.blamed?.[String(number)];
  if (said !== undefined) words.push(" ", { sentence: said });
  words.push(...plain(run, extra, number));
  if (number === run.steps.length) {
    words.push({
      deadlock: " Here the run ends: nothing can happen any more.",
      lasso: ` Here the loop begins again, in state ${step.to}.`,
      trap: " From here on the property is lost, whatever is done.",
      prefix: " The property is violated here, whatever follows.",
      stop: ` Here the run stops: ${refused(run)}.`,
      slowest: ` Here ${run.end ?? ""}.`,
    }[run.kind]);
  }
  return words;
}

/** What there is to say where nothing was decided. */
function plain(run: Run, extra: Extra, number: number): string[] {
  const step = run.steps[number - 1];
  const before = number > 1 ? (run.steps[number - 2]?.progress ?? 0) : 0;
  if (step && step.progress > before) return [` This does step ${step.progress} of the property.`];
  const pending = step?.pending?.text;
  const pendingBefore = (number > 1 ? run.steps[number - 2]?.pending : run.initial_pending)?.text;
  if (pending !== undefined && pending !== pendingBefore) return [pending ? ` From here on: ${pending}.` : " From here on nothing is pending."];
  if (!step?.fate || extra.decisions.includes(number) || extra.blamed?.[String(number)] !== undefined) return [];
  if (step.fate === "fated") return [" The property was lost before; no choice here brings it back."];
  return [" Nothing was decided here."];
}
