// The keys of the whole page. Where something has keys of its own (a text field,
// the diagram, a table), it handles them first, and what it uses ends there.
// Keys of one character can be turned off: who speaks to a computer, or presses keys by
// accident, would move through the run without wanting to.

import { make } from "./elements.js";
import type { Walk } from "./walk.js";

/** Where a browser remembers that keys of one character are off; not every browser does, for a file. */
const remembered = "inev-character-keys";

const described: [string[], string][] = [
  [["←", "→", "k", "j"], "step back and forth"],
  [["Home", "End"], "go to the ends of the run"],
  [["↑", "↓", "Enter", "Backspace"], "choose in a list, take it, go back"],
  [["+", "−", "0"], "zoom the picture at hand, and show all of it"],
  [["Ctrl + wheel"], "zoom the picture; the wheel alone does once the picture has been clicked"],
  [["?"], "this list"],
];

export function listenToKeys(walk: Walk): void {
  const list = new KeyList();
  const actions: Record<string, () => void> = {
    ArrowRight: () => walk.next(),
    j: () => walk.next(),
    ArrowLeft: () => walk.previous(),
    k: () => walk.previous(),
    Home: () => walk.first(),
    End: () => walk.last(),
    "?": () => list.open(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as Element;
    if (target.closest("input, select, textarea, dialog")) return;
    const inList = target.closest("#steps") !== null;
    const down = inList && event.key === "ArrowDown";
    const up = inList && event.key === "ArrowUp";
    if (event.key.length === 1 && !list.charactersAreKeys) return;
    const action = down ? actions["j"] : up ? actions["k"] : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** The list of keys, at the end of the page and as a dialog. */
class KeyList {
  charactersAreKeys = recall();
  private readonly dialog = make("dialog", { class: "key-list", "aria-labelledby": "key-list-head" });

  constructor() {
    const button = make("button", { type: "button", id: "keys" }, "Keys");
    button.addEventListener("click", () => this.open());
    document.querySelector("main")?.append(make("p", { class: "hint controls" }, button));
    const rows = described.map(([keys, does]) =>
      make("tr", {}, make("th", { scope: "row" }, ...keys.flatMap((key) => [make("kbd", {}, key), " "])), make("td", {}, does)),
    );
    const box = make("input", { type: "checkbox", id: "character-keys" });
    box.checked = this.charactersAreKeys;
    box.addEventListener("change", () => {
      this.charactersAreKeys = box.checked;
      remember(box.checked);
    });
    const close = make("button", { type: "button" }, "Close");
    close.addEventListener("click", () => this.dialog.close());
    // Nothing within is at hand once it is closed, so that the page has the keys again.
    this.dialog.addEventListener("close", () => (document.activeElement as HTMLElement | null)?.blur());
    this.dialog.append(
      make("h2", { id: "key-list-head" }, "Keys"),
      make("table", {}, make("tbody", {}, ...rows)),
      make("label", {}, box, " Keys of one character (j, k, ?)"),
      close,
    );
    document.body.append(this.dialog);
  }

  open(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }
}

function recall(): boolean {
  try {
    return localStorage.getItem(remembered) !== "off";
  } catch {
    return true;
  }
}

function remember(on: boolean): void {
  try {
    if (on) localStorage.removeItem(remembered);
    else localStorage.setItem(remembered, "off");
  } catch {
    // The browser remembers nothing for this page.
  }
}
