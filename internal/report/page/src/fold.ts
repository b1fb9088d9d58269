// Cards that fold. On a narrow screen, the cards below the picture are folded at first, so that the
// page is a few screens long.

import { all } from "./elements.js";

const folds = (): HTMLDetailsElement[] => all<HTMLDetailsElement>("details.fold");

/** Folds the cards where the screen is narrow; style.css has the same width. */
export function foldOnNarrowScreens(): void {
  if (!matchMedia("(max-width: 42rem)").matches) return;
  for (const fold of folds()) fold.open = false;
}

/** Unfolds a card, which something in it or elsewhere on the page leads to. */
export function unfold(card: Element): void {
  const fold = card.querySelector<HTMLDetailsElement>("details.fold");
  if (fold) fold.open = true;
}

/** Unfolds all cards, and returns what folds those again that were folded. */
export function unfoldAll(): () => void {
  const folded = folds().filter((fold) => !fold.open);
  for (const fold of folded) fold.open = true;
  return () => {
    for (const fold of folded) fold.open = false;
  };
}
