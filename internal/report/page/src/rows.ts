// A list of which only the visible rows are elements: a hundred thousand rows
// cost no more than thirty. All rows have the height that the style sheet gives
// to the class "row".

import { make } from "./elements.js";

/** Rows beyond the visible ones, so that a quick scroll shows no gap at once. */
const spare = 8;

export class Rows {
  private readonly space = make("div", { class: "space", role: "presentation" });
  private readonly shown = make("div", { class: "window", role: "presentation" });
  private count = 0;
  private height = 0;
  private first = -1;
  private last = -1;
  private scheduled = false;
  private expanded = 0; // rows that are all shown while the page is printed

  constructor(
    private readonly scroller: HTMLElement,
    private readonly row: (index: number) => HTMLElement,
    /** What the rows are put into, where there is more in the scroller: a head that
     * stays at its top. */
    holder: HTMLElement = scroller,
  ) {
    this.space.append(this.shown);
    holder.append(this.space);
    scroller.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => {
      this.measure();
      this.draw(true);
    }).observe(scroller);
  }

  /** Shows so many rows, all made anew. Whatever was expanded were other rows: not
   * every browser says that printing is over. */
  show(count: number): void {
    this.count = count;
    this.expanded = 0;
    this.measure();
    this.draw(true);
  }

  /** Makes the visible rows anew. */
  refresh(): void {
    this.draw(true);
  }

  /** Scrolls as far as is needed to see a row, with one more on either side. */
  reveal(index: number): void {
    const top = Math.max(0, index - 1) * this.height;
    // A head above the rows takes its height from what is seen of them.
    const bottom = Math.min(this.count, index + 2) * this.height + this.space.offsetTop;
    const s = this.scroller;
    if (top < s.scrollTop) s.scrollTop = top;
    else if (bottom > s.scrollTop + s.clientHeight) s.scrollTop = bottom - s.clientHeight;
    this.draw(false);
  }

  /** Shows the first rows all at once, for print; 0 goes back. Returns how many. */
  expand(most: number): number {
    this.expanded = Math.min(most, this.count);
    this.draw(true);
    return this.expanded;
  }

  private measure(): void {
    const probe = make("div", { class: "row" });
    this.shown.append(probe);
    this.height = probe.getBoundingClientRect().height || 32;
    probe.remove();
    this.space.style.height = `${this.count * this.height}px`;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw(false);
    });
  }

  private draw(anew: boolean): void {
    let first = Math.max(0, Math.floor(this.scroller.scrollTop / this.height) - spare);
    let last = Math.min(this.count, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / this.height) + spare);
    if (this.expanded > 0) [first, last] = [0, this.expanded];
    if (!anew && first === this.first && last === this.last) return;
    if (anew || first >= this.last || last <= this.first) {
      this.shown.replaceChildren(...this.made(first, last));
    } else {
      // Rows that stay are not touched: one may be about to be clicked.
      for (let i = this.first; i < first; i++) this.shown.firstElementChild?.remove();
      for (let i = last; i < this.last; i++) this.shown.lastElementChild?.remove();
      this.shown.prepend(...this.made(first, this.first));
      this.shown.append(...this.made(this.last, last));
    }
    [this.first, this.last] = [first, last];
    this.shown.style.transform = this.expanded > 0 ? "none" : `translateY(${first * this.height}px)`;
    this.space.style.height = this.expanded > 0 ? "auto" : `${this.count * this.height}px`;
  }

  private made(first: number, last: number): HTMLElement[] {
    const rows: HTMLElement[] = [];
    for (let i = first; i < last; i++) rows.push(this.row(i));
    return rows;
  }
}
