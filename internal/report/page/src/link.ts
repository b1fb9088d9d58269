// Where the reader is, in the address: #step=6&view=whole&state=12&walk=3.0.2 leads there, and
// whoever copies the address leads others to what they see. Whatever else is in an
// address is left alone.

import type { Diagram } from "./diagram.js";
import type { Facts } from "./facts.js";
import type { OffRun } from "./offrun.js";
import type { Walk } from "./walk.js";

export interface Places {
  walk: Walk | null;
  diagram: Diagram | null;
  facts: Facts | null;
  offrun: OffRun | null;
  /** Shows a state and its facts; false where the page does not have it. */
  open: (state: string) => boolean;
  say: (text: string) => void;
}

export class Link {
  private readonly firstView: string;
  private following = false;

  constructor(private readonly places: Places) {
    const { walk, diagram, facts, offrun } = places;
    this.firstView = diagram?.view ?? "";
    this.follow();
    walk?.listen(() => this.write());
    diagram?.listen(() => this.write());
    facts?.listen(() => this.write());
    offrun?.listen(() => this.write());
    addEventListener("hashchange", () => this.follow());
  }

  /** Goes where the address says. What is not there is told, and changes nothing. */
  private follow(): void {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const { walk, diagram, facts, offrun, open, say } = this.places;
    const [view, step, state, off] = [wanted.get("view"), wanted.get("step"), wanted.get("state"), wanted.get("walk")];
    if (view === null && step === null && state === null && off === null) return;
    this.following = true;
    if (view !== null && !diagram?.show(view)) say(`The address asks for a view that this page does not have.`);
    if (step !== null) {
      const number = /^\d{1,12}$/.test(step) ? Number(step) : -1;
      if (walk && number >= 0 && number <= walk.length) walk.goAnywhere(number);
      else say(`The address asks for a step that this run does not have.`);
    }
    if (state !== null && !open(state)) say(`The address asks for a state that this page does not have.`);
    if (state === null) facts?.close();
    if (off !== null && !offrun?.open(off)) say(`The address asks for a walk that this page cannot go.`);
    this.following = false;
  }

  private write(): void {
    if (this.following) return;
    const { walk, diagram, facts, offrun } = this.places;
    const now = new URLSearchParams();
    if (walk) now.set("step", String(walk.position));
    if (diagram && diagram.view !== this.firstView) now.set("view", diagram.view);
    if (facts && facts.state !== null) now.set("state", String(facts.state));
    if (offrun && offrun.address !== "") now.set("walk", offrun.address);
    try {
      history.replaceState(history.state, "", `#${now}`);
    } catch {
      // Browsers refuse what comes too often; the next step will do.
    }
  }
}
