// The card of a neighbourhood: how to get there, what can be chosen there, and
// what each choice leads to.

import { count, label, make, type Child } from "./elements.js";
import { kindWords, signs, type Class, type Explanation, type Kind, type Neighbourhood, type State } from "./explanation.js";

const means: Record<Class, string> = {
  correct: "from then on, every run satisfies the property",
  neutral: "still open: some runs satisfy the property, others do not",
  incorrect: "from then on, no run satisfies the property",
};

const kinds: Record<Kind, string> = {
  correct: "Some choices here make the property certain; none loses it.",
  incorrect: "Some choices here lose the property; none makes it certain.",
  "mixed-neutral": "Some choices here make the property certain, some lose it, others leave it open.",
  mixed: "Every choice here decides: it makes the property certain, or loses it.",
};

/** Labels of a path, entries and choices that are shown before one asks for more. */
const shownPath = 40;
const shownChoices = 30;

export interface Surroundings {
  explanation: Explanation;
  kindOf: (state: State) => Kind | undefined;
  /** The step of the run that leaves a state, if it passes there. */
  stepAt: (state: State) => number | undefined;
  go: (step: number) => void;
  point: (state: State) => void;
}

export function place(n: Neighbourhood, around: Surroundings): Child[] {
  const head = make("h3", {}, `State ${n.state} `, make("span", { class: `kind kind-${n.kind}` }, `⬢ ${kindWords[n.kind]}`));
  return [
    head,
    make("p", {}, kinds[n.kind]),
    buttons(n, around),
    make("h4", {}, "What can be chosen there"),
    choices(n, around),
    make("h4", {}, `How to get there: ${n.shortest_path.length === 0 ? "every run begins there" : count(n.shortest_path.length, "step")}`),
    n.shortest_path.length > 0 && path(n.shortest_path),
    n.incoming.length > 0 && make("h4", {}, `Entered by ${count(n.incoming.length, "transition")}`),
    n.incoming.length > 0 && entries(n),
  ];
}

function buttons(n: Neighbourhood, around: Surroundings): Child {
  const step = around.stepAt(n.state);
  const row = make("p", { class: "controls" });
  const add = (text: string, action: () => void): void => {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", action);
    row.append(button, " ");
  };
  const { go, point } = around;
  if (step !== undefined) add(`Go to step ${step} of the run`, () => go(step));
  add("Show in the diagram", () => point(n.state));
  return row;
}

function choices(n: Neighbourhood, around: Surroundings): HTMLElement {
  const order: Record<Class, number> = { correct: 0, neutral: 1, incorrect: 2 };
  const step = around.stepAt(n.state);
  const taken = step === undefined ? undefined : around.explanation.counterexample?.steps[step - 1];
  const sorted = n.outgoing.toSorted((a, b) => order[a.class] - order[b.class]);
  const list = make("ul", { class: "choices" });
  for (const o of sorted.slice(0, shownChoices)) {
    const kind = around.kindOf(o.to);
    list.append(
      make(
        "li",
        { class: `choice after-${o.class}` },
        make("span", { class: "sign", "aria-hidden": "true" }, signs[o.class]),
        make(
          "span",
          { class: "choice-text" },
          label(o.label),
          make("span", { class: "to" }, ` → state ${o.to}${kind ? `, a decision point (${kindWords[kind]})` : ""}`),
          taken && taken.label === o.label && String(taken.to) === String(o.to) && make("strong", { class: "taken" }, " taken by the run"),
          make("span", { class: "means" }, `${o.class}: ${means[o.class]}`),
        ),
      ),
    );
  }
  if (sorted.length > shownChoices) list.append(make("li", { class: "note" }, `… and ${sorted.length - shownChoices} more`));
  return list;
}

function path(labels: string[]): HTMLElement {
  const list = make("ol", { class: "path" });
  const fill = (from: number, to: number): void => {
    for (const l of labels.slice(from, to)) list.append(make("li", {}, label(l, 80)));
  };
  fill(0, shownPath);
  const rest = labels.length - shownPath;
  if (rest <= 0) return list;
  const more = make("button", { type: "button" }, `… ${rest} more`);
  const item = make("li", {}, more);
  more.addEventListener("click", () => {
    item.remove();
    fill(shownPath, labels.length);
  });
  list.append(item);
  return list;
}

function entries(n: Neighbourhood): HTMLElement {
  const most = 8;
  const list = make("ul", { class: "entries" });
  for (const i of n.incoming.slice(0, most)) {
    list.append(make("li", {}, `${signs[i.class]} from state ${i.from} by `, label(i.label, 80), ` (${i.class})`));
  }
  if (n.incoming.length > most) list.append(make("li", { class: "note" }, `… and ${n.incoming.length - most} more`));
  return list;
}
