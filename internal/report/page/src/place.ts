// The card of a state: what it is, what can be chosen there and what each choice
// leads to, and how to get there.

import { brief, count, label, make, type Child } from "./elements.js";
import { kindWords, signs, type Class, type Explanation, type Kind, type Neighbourhood, type State } from "./explanation.js";
import type { Entering, Leaving, Near, Vicinity } from "./near.js";

const means: Record<Class, string> = {
  correct: "from then on, every run satisfies the property",
  neutral: "still open: some runs satisfy the property, others do not",
  incorrect: "from then on, no run satisfies the property",
  excluded: "from then on, no run counts",
};

const kinds: Record<Kind, string> = {
  correct: "Some choices make the property certain for all runs through here; no choice loses it for all of them.",
  incorrect: "Some choices lose the property for all runs through here; no choice makes it certain for all of them.",
  "mixed-neutral": "Some choices make the property certain for all runs through here, some lose it for all of them, and others leave it open.",
  mixed: "Every choice here decides for all runs: it makes the property certain, or loses it.",
};

/** Labels of a path, entries and choices that are shown before one asks for more. */
const shownPath = 40;
const shownChoices = 8;
const shownEntries = 8;

export interface Surroundings {
  explanation: Explanation;
  kindOf: (state: State) => Kind | undefined;
  /** The steps of the run that leave a state, from 1. */
  stepsAt: (state: State) => number[];
  go: (step: number) => void;
  point: (state: State) => void;
  /** Shows the card of another state. */
  open: (state: State) => void;
  /** Whether one can walk off the run; walks on from a state, false where nothing is known
   * of how runs come there; asks why an action does not happen at a state. */
  canWalk: boolean;
  walkOn: (state: State) => boolean;
  ask: (state: State, action: string) => void;
}

/** The card of a neighbourhood. */
export function place(n: Neighbourhood, around: Surroundings): Child[] {
  return [
    make("h3", {}, `State ${n.state} `, make("span", { class: `kind kind-${n.kind}` }, `deciding state: ${kindWords[n.kind]}`)),
    make("p", {}, kinds[n.kind]),
    buttons(n.state, around),
    make("h4", {}, "What can be chosen there"),
    choices({ state: n.state, leaving: n.outgoing, count: n.outgoing.length }, around),
    make("h4", {}, `How to get there: ${n.distance_from_initial === 0 ? "every run begins there" : count(n.distance_from_initial, "step")}`),
    n.distance_from_initial > 0 && (n.shortest_path ? path(n.shortest_path) : make("p", { class: "note" }, "The steps are not on this page, because the paths to all deciding states would be too long; inev path --to each lists them.")),
    n.incoming.length > 0 && make("h4", {}, `Entered by ${count(n.incoming.length, "transition")}`),
    n.incoming.length > 0 && entries(n.incoming, around),
  ];
}

/** The card of any other state. */
export function card(state: State, vicinity: Vicinity, around: Surroundings): Child[] {
  const near = vicinity.at(state);
  const entering = vicinity.into(state);
  const ways = vicinity.whole ? `Entered by ${count(entering.length, "transition")}` : "Ways in that this page knows";
  return [
    make("h3", {}, `State ${state} `, make("span", { class: "kind" }, whatItIs(state, near, around.explanation))),
    near && make("p", {}, meaning(near)),
    buttons(state, around),
    near && near.count > 0 && make("h4", {}, "What can happen there"),
    near && near.count > 0 && choices(near, around),
    !near && make("p", { class: "note" }, "The transitions that leave this state are not on this page, which has those of the states nearest to the run."),
    entering.length > 0 && make("h4", {}, ways),
    entering.length > 0 && entries(entering, around),
  ];
}

function whatItIs(state: State, near: Near | undefined, explanation: Explanation): string {
  const words: string[] = [];
  if (String(state) === String(explanation.model.initial)) words.push("initial state");
  if (near?.count === 0) words.push("deadlock");
  return words.join(", ");
}

/** What is to be said of a state by the classes of what leaves it. */
function meaning(near: Near): string {
  if (near.count === 0) return "Nothing can happen here any more.";
  const found = new Set(near.leaving.map((t) => t.class));
  if (found.has(undefined)) return "";
  if (found.size > 1 || found.has("neutral")) return "Of the runs through here some satisfy the property, others do not.";
  return found.has("correct") ? "Every run through here satisfies the property." : "No run through here satisfies the property.";
}

/** Steps of the run that one can go to from a state. */
const shownSteps = 5;

function buttons(state: State, around: Surroundings): Child {
  const row = make("p", { class: "controls place-buttons" });
  const add = (text: string, action: () => void): void => {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", action);
    row.append(button);
  };
  const { go, point } = around;
  const steps = around.stepsAt(state);
  for (const step of steps.slice(0, shownSteps)) add(`Go to step ${step} of the run`, () => go(step));
  if (around.canWalk) {
    add("Walk on from here", () => {
      if (around.walkOn(state)) document.getElementById("off")?.scrollIntoView({ block: "nearest" });
    });
  }
  add("Show in the diagram", () => point(state));
  return row;
}

/** A state as something to be opened. */
function link(state: State, around: Surroundings): HTMLElement {
  const button = make("button", { type: "button", class: "link", "data-state": String(state) }, `state ${state}`);
  button.addEventListener("click", () => around.open(state));
  return button;
}

/** A list of which the first items are shown, and the others once they are asked for. */
function unfolding<T>(list: HTMLElement, items: T[], most: number, item: (of: T) => HTMLElement): HTMLElement {
  for (const i of items.slice(0, most)) list.append(item(i));
  const rest = items.length - most;
  if (rest <= 0) return list;
  const more = make("button", { type: "button", class: "more" }, `… ${rest} more`);
  const last = make("li", { class: "more-item" }, more);
  more.addEventListener("click", () => {
    const next = last.previousElementSibling;
    last.remove();
    for (const i of items.slice(most)) list.append(item(i));
    (next?.nextElementSibling?.querySelector("button") ?? null)?.focus();
  });
  list.append(last);
  return list;
}

function choices(near: Near, around: Surroundings): HTMLElement {
  const order: Record<Class, number> = { correct: 0, neutral: 1, incorrect: 2, excluded: 3 };
  const taken = around.stepsAt(near.state).map((step) => around.explanation.counterexample?.steps[step - 1]);
  const isTaken = (t: Leaving): boolean => taken.some((s) => s?.label === t.label && String(s.to) === String(t.to));
  const rank = (t: Leaving): number => (t.class ? order[t.class] : 0);
  const sorted = near.leaving.toSorted((a, b) => rank(a) - rank(b));
  const first = new Set(sorted.filter((t, i) => i === 0 || sorted[i - 1]?.class !== t.class));
  const list = unfolding(make("ul", { class: "choices" }), sorted, shownChoices, (t) => choice(near.state, t, isTaken(t), first.has(t), around));
  if (near.count > near.leaving.length) {
    list.append(make("li", { class: "note" }, `… and ${near.count - near.leaving.length} more, which are not on this page.`));
  }
  return list;
}

/** A choice; what its class means is said with the first one of it. */
function choice(from: State, t: Leaving, taken: boolean, said: boolean, around: Surroundings): HTMLElement {
  const kind = around.kindOf(t.to);
  const ask = around.canWalk && !taken && make("button", { type: "button", class: "link why-not", "aria-label": `Why not ${brief(t.label, 60)}?` }, "why not?");
  if (ask) ask.addEventListener("click", () => around.ask(from, t.label));
  return make(
    "li",
    { class: t.class ? `choice after-${t.class}` : "choice" },
    t.class && make("span", { class: "sign", "aria-hidden": "true" }, signs[t.class]),
    make(
      "span",
      { class: "choice-text" },
      label(t.label),
      make("span", { class: "to" }, " → ", link(t.to, around), kind ? `, a deciding state (${kindWords[kind]})` : ""),
      taken && make("strong", { class: "taken" }, " taken by the run"),
      ask && " ",
      ask,
      t.class && make("span", { class: said ? "means" : "hidden" }, `${t.class}: ${means[t.class]}`),
    ),
  );
}

function path(labels: string[]): HTMLElement {
  return unfolding(make("ol", { class: "path" }), labels, shownPath, (l) => make("li", {}, label(l, 80)));
}

function entries(entering: Entering[], around: Surroundings): HTMLElement {
  return unfolding(make("ul", { class: "entries" }), entering, shownEntries, (t) =>
    make("li", {}, t.class ? `${signs[t.class]} ` : "", "from ", link(t.from, around), " by ", label(t.label, 80), t.class ? ` (${t.class})` : ""),
  );
}
