// The script of a report: it brings the page to life, which inev has written so
// that it can be read without. See package page for how the parts fit.

import { Caption } from "./caption.js";
import { Diagram } from "./diagram.js";
import { all, find, grouped } from "./elements.js";
import { explanationText, readExplanation, readExtra, type Explanation, type State } from "./explanation.js";
import { listenToKeys } from "./keys.js";
import { listenToPrint } from "./paper.js";
import { kinds, Places } from "./places.js";
import { listenToScrollers } from "./scrollers.js";
import { Steps } from "./steps.js";
import { listenToTheme } from "./theme.js";
import { Walk, type Mode } from "./walk.js";

function start(): void {
  listenToTheme();
  find("print")?.addEventListener("click", () => print());
  find("download")?.addEventListener("click", download);
  find("copy")?.addEventListener("click", () => void copy());

  const explanation = readExplanation();
  const extra = readExtra();
  const run = explanation.counterexample;
  const kept = (explanation.abstracted?.steps ?? []).map((i) => i + 1);
  const walk = run ? new Walk(run, kept, extra.decisive ?? (run.steps.length > 0 ? 1 : 0)) : null;

  const frame = find("viewport");
  let places: Places | null = null;
  const diagram = frame ? new Diagram(frame, walk, (state) => chooseState(state, places)) : null;
  let steps: Steps | null = null;
  const box = find("steps");
  if (run && walk) {
    if (box) steps = new Steps(box, explanation, run, kept, walk);
    new Caption(explanation, run, extra, walk);
    listenToKeys(walk);
    listenToWalkButtons(walk, () => steps?.arrange());
  }

  const grid = find("places");
  const all = explanation.neighbourhoods ?? [];
  if (grid && all.length > 0) {
    places = new Places(grid, all, {
      explanation,
      kindOf: kinds(all),
      stepAt: stepsByState(explanation),
      go: (step) => {
        walk?.go(step);
        find("stage-head")?.closest("section")?.scrollIntoView({ block: "nearest" });
      },
      point: (state) => {
        find("viewport")?.scrollIntoView({ block: "center" });
        if (!diagram?.point(state)) say(`State ${state} is in no part of the diagram that this page has.`);
      },
    });
  }
  if (extra.all_neighbourhoods) {
    const note = `This page holds the first ${grouped(all.length)} of ${grouped(extra.all_neighbourhoods)} decision points; "inev explain --json FILE.json" writes all of them.`;
    find("places-cut")?.append(note);
  }
  listenToScrollers();
  listenToPrint(diagram, steps);
  document.documentElement.dataset["ready"] = "true";
}

function listenToWalkButtons(walk: Walk, arranged: () => void): void {
  const press = (id: string, action: () => void): void => find(id)?.addEventListener("click", action);
  press("first", () => walk.first());
  press("previous", () => walk.previous());
  press("next", () => walk.next());
  press("last", () => walk.last());
  for (const link of all("[data-go]")) link.addEventListener("click", () => walk.go(Number(link.dataset["go"])));
  const modes = all<HTMLButtonElement>("[data-mode]");
  for (const button of modes) {
    button.addEventListener("click", () => {
      walk.switch(button.dataset["mode"] as Mode);
      arranged();
      for (const other of modes) other.setAttribute("aria-pressed", String(other === button));
    });
  }
}

/** The step by which the run leaves each of its states, the first one. */
function stepsByState(explanation: Explanation): (state: State) => number | undefined {
  const steps = new Map<string, number>();
  explanation.counterexample?.steps.forEach((s, i) => {
    if (!steps.has(String(s.from))) steps.set(String(s.from), i + 1);
  });
  return (state) => steps.get(String(state));
}

/** A state of the diagram was clicked: its card is shown, if it has one. */
function chooseState(state: string, places: Places | null): void {
  if (places?.choose(state)) find("place")?.scrollIntoView({ block: "nearest" });
  else say(`State ${state} is no decision point.`);
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

start();
