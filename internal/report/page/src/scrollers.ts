// What scrolls can be reached by keyboard: each element that the page marks by
// data-scrolls, its name, is a stop of Tab for as long as there is more in it than
// it shows. Where all is seen, a stop would be in the way.

import { all } from "./elements.js";

export function listenToScrollers(): void {
  const boxes = all("[data-scrolls]");
  const look = (box: HTMLElement): void => {
    const more = box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
    if (!more) {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
      return;
    }
    box.setAttribute("tabindex", "0");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", box.dataset["scrolls"] ?? "");
  };
  const sizes = new ResizeObserver((entries) => {
    for (const entry of entries) look(entry.target as HTMLElement);
  });
  const texts = new MutationObserver((changes) => {
    for (const box of new Set(changes.map((c) => (c.target as Element).closest<HTMLElement>("[data-scrolls]")))) if (box) look(box);
  });
  for (const box of boxes) {
    look(box);
    sizes.observe(box);
    texts.observe(box, { childList: true });
  }
}
