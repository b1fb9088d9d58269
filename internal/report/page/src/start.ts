// Brings the page to life, which inev has written so that it can be read without. See
// package page for how the parts fit.

import { Caption } from "./caption.js";
import { Diagram } from "./diagram.js";
import { all, find, grouped } from "./elements.js";
import { explanationText, readExplanation, readExtra, readModelPart, runOf, type Explanation, type Kind, type State } from "./explanation.js";
import { listenToAnother, listenToFork } from "./further.js";
import { Facts } from "./facts.js";
import { foldOnNarrowScreens } from "./fold.js";
import { listenToKeys } from "./keys.js";
import { Link } from "./link.js";
import type { Remote } from "./moves.js";
import { OffRun } from "./offrun.js";
import { Vicinity } from "./near.js";
import { listenToPrint } from "./paper.js";
import type { Surroundings } from "./place.js";
import { byState, Places } from "./places.js";
import { listenToScrollers } from "./scrollers.js";
import { Steps } from "./steps.js";
import { listenToTheme } from "./theme.js";
import { ValueTree } from "./values.js";
import { Walk, type Mode } from "./walk.js";

export function start(remote: Remote | null): void {
  listenToTheme();
  foldOnNarrowScreens();
  find("print")?.addEventListener("click", () => print());
  find("download")?.addEventListener("click", download);
  find("copy")?.addEventListener("click", () => void copy());

  const explanation = readExplanation();
  const extra = readExtra();
  const run = runOf(explanation, extra);
  const kept = extra.decisions;
  const walk = run ? new Walk(run, kept, extra.begin) : null;

  const known = explanation.neighbourhoods ?? [];
  const placeAt = byState(known);
  const kindOf = (state: State): Kind | undefined => placeAt(state)?.kind;
  const part = readModelPart();
  const vicinity = new Vicinity(part, explanation);

  let offrun: OffRun | null = null;
  const frame = find("viewport");
  const diagram = frame ? new Diagram(frame, walk, { vicinity, placeAt, kindOf }, (state) => open(state)) : null;
  const around: Surroundings = {
    explanation,
    kindOf,
    stepsAt: stepsByState(explanation),
    go: (step) => {
      walk?.go(step);
      find("stage-head")?.closest("section")?.scrollIntoView({ block: "nearest" });
    },
    point: (state) => {
      find("viewport")?.scrollIntoView({ block: "center" });
      if (!diagram?.point(state)) say(`State ${state} is in no part of the diagram that this page has.`);
    },
    open: (state) => {
      open(state);
    },
    walkOn: (state) => offrun?.begin(state) ?? false,
    ask: (state, action) => offrun?.ask(state, action),
    canWalk: part.property !== undefined,
  };
  const beside = find("facts");
  const facts = beside ? new Facts(beside, vicinity, placeAt, around) : null;
  const grid = find("places");
  const places = grid && known.length > 0 ? new Places(grid, known, around) : null;
  /** Shows the facts of a state beside the picture, and where it is. */
  const open = (state: State): boolean => {
    if (!facts?.knows(state)) return false;
    facts.show(state);
    diagram?.point(state);
    const n = placeAt(state);
    if (n) places?.choose(n);
    return true;
  };

  let steps: Steps | null = null;
  const box = find("steps");
  if (run && walk) {
    if (box) steps = new Steps(box, explanation, run, kept, walk);
    new Caption(explanation, run, extra, walk);
    const values = find("values");
    if (values && explanation.values) new ValueTree(values, explanation, run, walk);
    listenToKeys(walk);
    listenToWalkButtons(walk);
  }
  const off = find("off");
  offrun = off && part.property ? new OffRun(off, part, explanation, explanation.counterexample ? walk : null, (state) => diagram?.point(state), say, remote?.sleeps && vicinity.whole ? null : remote) : null;
  listenToAnother(remote, say);
  const walker = offrun;
  if (walker) listenToFork(remote, () => walker.at, (listener) => walker.listen(listener));
  new Link({ walk, diagram, facts, offrun, open, say });
  for (const button of all("[data-open]")) {
    button.addEventListener("click", () => {
      const state = button.dataset["open"] ?? "";
      find("stage-head")?.closest("section")?.scrollIntoView({ block: "nearest" });
      if (!open(state) && !diagram?.point(state)) say(`State ${state} is in no part of the diagram that this page has.`);
    });
  }
  if (extra.all_neighbourhoods) {
    const note = `This page holds the first ${grouped(known.length)} of ${grouped(extra.all_neighbourhoods)} deciding states; "inev explain --json FILE.json" writes all of them.`;
    find("places-cut")?.append(note);
  }
  listenToScrollers();
  listenToPrint(diagram, steps);
  document.documentElement.dataset["ready"] = "true";
}

function listenToWalkButtons(walk: Walk): void {
  const press = (id: string, action: () => void): void => find(id)?.addEventListener("click", action);
  press("first", () => walk.first());
  press("previous", () => walk.previous());
  press("next", () => walk.next());
  press("last", () => walk.last());
  for (const link of all("[data-go]")) link.addEventListener("click", () => walk.go(Number(link.dataset["go"])));
  const modes = all<HTMLButtonElement>("[data-mode]");
  for (const button of modes) button.addEventListener("click", () => walk.switch(button.dataset["mode"] as Mode));
  walk.listen(() => {
    for (const button of modes) button.setAttribute("aria-pressed", String(button.dataset["mode"] === walk.mode));
  });
}

/** The steps by which the run leaves each of its states. */
function stepsByState(explanation: Explanation): (state: State) => number[] {
  const steps = new Map<string, number[]>();
  explanation.counterexample?.steps.forEach((s, i) => {
    const known = steps.get(String(s.from));
    if (known) known.push(i + 1);
    else steps.set(String(s.from), [i + 1]);
  });
  return (state) => steps.get(String(state)) ?? [];
}

function say(text: string): void {
  const box = find("announce");
  if (box) box.textContent = text;
}

function download(): void {
  const url = URL.createObjectURL(new Blob([explanationText(), "\n"], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "explanation.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

async function copy(): Promise<void> {
  const command = find("command");
  const told = find("copied");
  if (!command || !told) return;
  try {
    await navigator.clipboard.writeText(command.textContent ?? "");
    told.textContent = "Copied.";
  } catch {
    // Not allowed here: then it is at least selected.
    getSelection()?.selectAllChildren(command);
    told.textContent = "Selected; copy it with your keyboard.";
  }
}
