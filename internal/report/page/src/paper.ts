// What is done for paper: it gets the story of the run, not every row, and the
// whole picture. What is on the screen stays as it is, so that nothing has to be
// undone for it where a browser never says that printing is over.

import type { Diagram } from "./diagram.js";
import { find } from "./elements.js";
import { unfoldAll } from "./fold.js";
import type { Steps } from "./steps.js";

export function listenToPrint(diagram: Diagram | null, steps: Steps | null): void {
  let back: (() => void) | null = null;
  const begin = (): void => {
    if (back) return;
    find("steps-print")?.replaceChildren(...(steps?.story() ?? []));
    const fold = unfoldAll();
    const shrink = diagram?.whole();
    back = () => {
      shrink?.();
      fold();
    };
  };
  const end = (): void => {
    back?.();
    back = null;
    find("steps-print")?.replaceChildren();
  };
  addEventListener("beforeprint", begin);
  addEventListener("afterprint", end);
  // Whoever does something is no longer printing.
  for (const sign of ["pointerdown", "keydown"]) {
    addEventListener(sign, () => { if (back) end(); }, { capture: true });
  }
}
