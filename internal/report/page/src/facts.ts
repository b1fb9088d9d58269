// The facts of one state, beside the picture in which it was chosen.

import { find, make, type Child } from "./elements.js";
import type { Neighbourhood, State } from "./explanation.js";
import type { Vicinity } from "./near.js";
import { card, place, type Surroundings } from "./place.js";

export class Facts {
  private current: State | null = null;
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly box: HTMLElement,
    private readonly vicinity: Vicinity,
    private readonly placeAt: (state: State) => Neighbourhood | undefined,
    private readonly around: Surroundings,
  ) {
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !(event.target as Element).closest("input, select")) this.close();
    });
  }

  /** The state whose facts are shown, null where there are none. */
  get state(): State | null {
    return this.current;
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Whether the page has anything to say about a state. */
  knows(state: State): boolean {
    return this.vicinity.at(state) !== undefined || this.placeAt(state) !== undefined || this.vicinity.into(state).length > 0;
  }

  show(state: State): void {
    this.current = state;
    const n = this.placeAt(state);
    const shut = make("button", { type: "button", class: "shut", "aria-label": `Close the facts of state ${state}` }, "×");
    shut.addEventListener("click", () => this.close());
    const content: Child[] = [...(n ? place(n, this.around) : card(state, this.vicinity, this.around)), this.bound()];
    const had = this.box.contains(document.activeElement);
    this.box.replaceChildren(shut, ...content.filter((c) => c !== null && c !== undefined && c !== false));
    this.box.hidden = false;
    this.box.scrollTop = 0;
    if (had) this.box.focus();
    this.box.parentElement?.classList.add("with-facts");
    this.tell();
  }

  close(): void {
    if (this.current === null) return;
    const had = this.box.contains(document.activeElement);
    this.current = null;
    this.box.hidden = true;
    this.box.replaceChildren();
    this.box.parentElement?.classList.remove("with-facts");
    if (had) find("viewport")?.focus();
    this.tell();
  }

  /** Says where the part of the model ends that the page has. */
  private bound(): Child {
    const { whole, known, of } = this.vicinity;
    return !whole && make("p", { class: "note" }, `This page has the transitions that leave ${known} of the ${of} states, those nearest to the run.`);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
