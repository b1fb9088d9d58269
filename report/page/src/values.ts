// What is known of the values of states, where the model has a table of them.

import { printable } from "./elements.js";
import type { Explanation, Values } from "./schema.js";

/** The number of characters of values that stand beside a step. */
const shownValues = 60;

/** Values in a few words. */
export function saidValues(values: Values): string {
  const said = printable(values.map((v) => `${v.name} = ${v.value}`).join(", "));
  return said.length <= shownValues ? said : [...said].slice(0, shownValues - 1).join("") + "…";
}

/** The values that a step of the counterexample, from 1, changes; none where none are. */
export function valuesAfter(explanation: Explanation, number: number): string {
  return saidValues(explanation.values?.steps.find((s) => s.step === number)?.changed ?? []);
}
