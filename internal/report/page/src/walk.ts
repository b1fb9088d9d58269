// Where the reader is on the counterexample. Position p means: p steps have been
// taken; 0 is the start. Whoever shows something that depends on it listens.

import type { Run } from "./explanation.js";

export type Mode = "full" | "abstracted";

export class Walk {
  private at: number;
  private current: Mode = "full";
  private readonly listeners: (() => void)[] = [];

  constructor(
    private readonly run: Run,
    /** The steps that leave a decision, from 1, ascending. */
    private readonly kept: number[],
    start: number,
  ) {
    this.at = start;
  }

  get position(): number {
    return this.at;
  }

  get mode(): Mode {
    return this.current;
  }

  get length(): number {
    return this.run.steps.length;
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  go(position: number): void {
    this.at = Math.min(Math.max(position, 0), this.length);
    this.tell();
  }

  /** Goes to a step, also where only some are shown: then all are. */
  goAnywhere(position: number): void {
    if (this.current === "abstracted" && !this.kept.includes(position)) this.current = "full";
    this.go(position);
  }

  switch(mode: Mode): void {
    this.current = mode;
    if (mode === "abstracted" && !this.kept.includes(this.at)) {
      this.at = this.kept.find((k) => k > this.at) ?? this.kept.at(-1) ?? this.at;
    }
    this.tell();
  }

  /** Whether the run goes round a loop, so that there is always a next step. */
  get loops(): boolean {
    return this.run.loop_start !== null;
  }

  /** Goes to the next step: after the last one of a loop that is its first one. */
  next(): void {
    const again = this.run.loop_start === null ? Infinity : this.run.loop_start + 1;
    if (this.current === "full") this.go(this.at >= this.length && this.loops ? again : this.at + 1);
    else this.go(this.kept.find((k) => k > this.at) ?? this.kept.find((k) => k >= again) ?? this.at);
  }

  previous(): void {
    this.go(this.current === "full" ? this.at - 1 : (this.kept.findLast((k) => k < this.at) ?? this.at));
  }

  first(): void {
    this.go(this.current === "full" ? 0 : (this.kept[0] ?? 0));
  }

  last(): void {
    this.go(this.current === "full" ? this.length : (this.kept.at(-1) ?? this.length));
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
