// Prints what pages say of the steps of their runs, for each line of input with the data of a page:
// the captions, and the moves that are marked as those of the run where the reader walks along it.

import { createInterface } from "node:readline";

import { runOf, type Explanation, type Extra, type ModelPart } from "../../internal/report/page/src/explanation.js";
import { Model, type Move } from "../../internal/report/page/src/moves.js";
import { wordsOf, type Words } from "../../internal/report/page/src/words.js";

interface Data {
  explanation: Explanation;
  extra: Extra;
  surroundings: ModelPart;
}

function text(words: Words): string {
  if (typeof words === "string") return words;
  if ("strong" in words) return words.strong;
  return "label" in words ? words.label : words.sentence;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { explanation, extra, surroundings } = JSON.parse(line) as Data;
  const run = runOf(explanation, extra);
  const captions: string[] = [];
  const marked: string[][] = [];
  const walked: string[] = [];
  if (run) {
    const model = new Model(surroundings, explanation);
    const said = (m: Move | null): string => (m ? `${m.label} ${m.to.state}` : "");
    const moves: { from: ReturnType<Model["onRun"]>; move: Move }[] = [];
    for (let steps = 0; steps <= run.steps.length; steps++) {
      captions.push(wordsOf(explanation, run, extra, steps).map(text).join(""));
      const at = model.onRun(steps);
      const taken = model.taken(steps, [], at);
      marked.push((model.moves(at)?.list ?? []).filter((m) => m.row === taken?.row).map(said));
      const next = model.taken(0, moves, at);
      walked.push(said(next));
      if (next) moves.push({ from: at, move: next });
    }
  }
  console.log(JSON.stringify({ captions, marked, walked }));
}
