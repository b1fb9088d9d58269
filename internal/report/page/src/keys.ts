// The keys of the whole page. Where something has keys of its own (a text field,
// the diagram, a table), it handles them first, and what it uses ends there.

import type { Walk } from "./walk.js";

export function listenToKeys(walk: Walk): void {
  const actions: Record<string, () => void> = {
    ArrowRight: () => walk.next(),
    j: () => walk.next(),
    ArrowLeft: () => walk.previous(),
    k: () => walk.previous(),
    Home: () => walk.first(),
    End: () => walk.last(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as Element;
    if (target.closest("input, select, textarea")) return;
    const inList = target.closest("#steps") !== null;
    const action = inList && event.key === "ArrowDown" ? actions["j"] : inList && event.key === "ArrowUp" ? actions["k"] : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
