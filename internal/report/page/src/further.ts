// What a reader asks next: another counterexample, and the nearest ways on from a state.

import { count, find, label, make, type Child } from "./elements.js";
import type { Continuation, Place, Remote } from "./moves.js";

/** Labels of a way on that are shown. */
const shown = 40;

/** The button for one counterexample more. */
export function listenToAnother(remote: Remote | null, say: (text: string) => void): void {
  const button = find<HTMLButtonElement>("another");
  const list = find("others-list");
  if (!button || !list) return;
  if (!remote) return button.remove();
  let wanted = Number(button.dataset["known"] ?? "0");
  const tell = (text: string): void => {
    find("another-told")?.replaceChildren(text);
    say(text);
  };
  button.addEventListener("click", () => {
    wanted++;
    button.disabled = true;
    tell("Looking for one …");
    void remote.another(wanted).then(
      (sentences) => {
        button.disabled = false;
        if (!sentences) {
          wanted--;
          return tell(remote.silent);
        }
        list.replaceChildren(...sentences.map((text) => make("p", {}, text)));
        const last = sentences.at(-1) ?? "None was found within the limits of the search.";
        const found = sentences.length >= wanted && last.startsWith("Run ");
        button.disabled = !found;
        tell(found ? "" : sentences.length === 0 ? last : "These are all.");
        if (found) say(last);
      },
      () => {
        wanted--;
        button.disabled = false;
        tell(remote.silent);
      },
    );
  });
}

/** The button for the nearest ways on from where the reader is. */
export function listenToFork(remote: Remote | null, place: () => Place, moved: (listener: () => void) => void): void {
  const button = find<HTMLButtonElement>("off-fork");
  const box = find("off-fork-answer");
  if (!button || !box) return;
  if (!remote) return find("off-fork-box")?.remove();
  let asked = 0;
  const clear = (): void => {
    asked++;
    box.replaceChildren();
  };
  moved(clear);
  button.addEventListener("click", () => {
    clear();
    const question = asked;
    box.append("Looking it up …");
    const answer = (...children: Child[]): void => {
      if (question === asked) box.replaceChildren(...children.filter((c): c is Node | string => Boolean(c)));
    };
    void remote.fork(place()).then(
      (fork) => {
        if (!fork) return answer(remote.silent);
        answer(way("satisfies the property", "correct", fork.correct), way("violates the property", "incorrect", fork.violating));
      },
      () => answer(remote.silent),
    );
  });
}

/** A way on in words. */
function way(does: string, kind: string, found: Continuation | null): HTMLElement {
  if (!found) return make("p", { class: `choice after-${kind}` }, `No run that goes on from here ${does}.`);
  if (found.labels.length === 0) return make("div", { class: `choice after-${kind}` }, `The run ${does} as it is.`);
  const begin = found.labels.length - found.loop;
  const rows = [...inRows(found.labels.slice(0, begin)), ...inRows(found.labels.slice(begin))];
  const steps: Child[] = rows.slice(0, shown).map(([text, times]) => make("li", {}, label(text, 60), times > 1 ? ` ×${times}` : ""));
  const rest = rows.slice(shown).reduce((sum, [, times]) => sum + times, 0);
  if (rest > 0) steps.push(make("li", { class: "note" }, `${count(rest, "step")} more`));
  return make(
    "div",
    { class: `choice after-${kind}` },
    `The nearest way on that ${does}, in ${count(found.labels.length, "step")}${endOf(found)}:`,
    make("ol", { class: "path" }, ...steps),
  );
}

/** How a way on ends. */
function endOf({ loop, decided }: Continuation): string {
  if (loop === 1) return "; forever again the last step";
  if (loop > 1) return `; forever again the last ${loop} steps`;
  return decided ? "; from then on whatever follows" : ", where the run ends";
}

/** The same label several times in a row is one entry with their number. */
function inRows(labels: string[]): [string, number][] {
  const rows: [string, number][] = [];
  for (const text of labels) {
    const last = rows.at(-1);
    if (last && last[0] === text) last[1]++;
    else rows.push([text, 1]);
  }
  return rows;
}
