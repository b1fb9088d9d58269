// The table of all neighbourhoods: sorted, filtered, and with the card of the
// chosen one beside it.

import { all, find, grouped, make } from "./elements.js";
import { kindWords, type Class, type Neighbourhood, type State } from "./explanation.js";
import { place, type Surroundings } from "./place.js";
import { Rows } from "./rows.js";

interface Column {
  name: string;
  title: string;
  text: (n: Neighbourhood) => string;
  /** What is compared; texts and numbers as such. */
  value: (n: Neighbourhood) => string | number;
  descends?: boolean; // the first click shows the largest first
}

const leaving = (n: Neighbourhood, c: Class): number => n.outgoing.reduce((sum, o) => sum + (o.class === c ? 1 : 0), 0);

const number = (name: string, title: string, value: (n: Neighbourhood) => number): Column => ({
  name,
  title,
  value,
  text: (n) => grouped(value(n)),
  descends: true,
});

const columns: Column[] = [
  { name: "state", title: "Number of the state", value: (n) => n.state, text: (n) => String(n.state) },
  { name: "kind", title: "What leaves it", value: (n) => n.kind, text: (n) => `⬢ ${kindWords[n.kind]}` },
  { ...number("distance", "Steps of a shortest path from the initial state", (n) => n.distance_from_initial), descends: false },
  number("✓ correct", "Correct transitions that leave it", (n) => leaving(n, "correct")),
  number("✗ incorrect", "Incorrect transitions that leave it", (n) => leaving(n, "incorrect")),
  number("? neutral", "Neutral transitions that leave it", (n) => leaving(n, "neutral")),
  { name: "on the run", title: "Whether the counterexample passes it", value: (n) => Number(n.on_counterexample), text: (n) => (n.on_counterexample ? "● yes" : ""), descends: true },
];

export class Places {
  private order: Neighbourhood[];
  private readonly texts = new Map<Neighbourhood, string>();
  private readonly rows: Rows;
  private readonly body = make("div", { role: "rowgroup" });
  private selected: Neighbourhood | undefined;
  private sortedBy = 0;
  private descending = false;

  constructor(
    private readonly box: HTMLElement,
    private readonly places: Neighbourhood[],
    private readonly around: Surroundings,
  ) {
    this.order = places;
    box.setAttribute("aria-colcount", String(columns.length));
    box.append(this.header(), this.body);
    this.rows = new Rows(box, (i) => this.row(i), this.body);
    this.body.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLElement>("[data-index]");
      if (row) this.select(this.order[Number(row.dataset["index"])]);
    });
    box.addEventListener("keydown", (event) => this.pressed(event));
    for (const id of ["places-filter", "places-kind", "places-run"]) {
      find(id)?.addEventListener("input", () => this.arrange());
    }
    this.arrange();
    this.select(places.find((n) => n.on_counterexample) ?? places[0]);
  }

  /** Chooses a neighbourhood. */
  choose(n: Neighbourhood): void {
    this.select(n);
  }

  private header(): HTMLElement {
    const row = make("div", { class: "row head", role: "row" });
    columns.forEach((c, i) => {
      const button = make("button", { type: "button", title: c.title }, c.name, make("span", { class: "arrow", "aria-hidden": "true" }));
      button.addEventListener("click", () => this.sort(i));
      row.append(make("div", { role: "columnheader", "aria-sort": "none" }, button));
    });
    return make("div", { role: "rowgroup" }, row);
  }

  private sort(by: number): void {
    this.descending = by === this.sortedBy ? !this.descending : (columns[by]?.descends ?? false);
    this.sortedBy = by;
    this.arrange();
  }

  /** Filters and sorts. Equals stay in the order of their states. */
  private arrange(): void {
    const wanted = (find<HTMLInputElement>("places-filter")?.value ?? "").trim().toLowerCase();
    const kind = find<HTMLSelectElement>("places-kind")?.value ?? "";
    const onRun = find<HTMLInputElement>("places-run")?.checked ?? false;
    this.order = this.places.filter(
      (n) => (kind === "" || n.kind === kind || (kind === "mixed" && n.kind === "mixed-neutral")) && (!onRun || n.on_counterexample) && (wanted === "" || this.textOf(n).includes(wanted)),
    );
    const value = columns[this.sortedBy]?.value;
    if (value && (this.sortedBy > 0 || this.descending)) {
      const sign = this.descending ? -1 : 1;
      const keyed = this.order.map((n): [string | number, Neighbourhood] => [value(n), n]);
      keyed.sort(([a], [b]) => (a < b ? -sign : a > b ? sign : 0));
      this.order = keyed.map(([, n]) => n);
    }
    all('[role="columnheader"]', this.box).forEach((cell, i) => {
      const sorted = i !== this.sortedBy ? "none" : this.descending ? "descending" : "ascending";
      cell.setAttribute("aria-sort", sorted);
    });
    this.box.setAttribute("aria-rowcount", String(this.order.length + 1));
    const output = find("places-count");
    if (output) output.textContent = this.order.length === this.places.length ? `${grouped(this.places.length)} in all` : `${grouped(this.order.length)} of ${grouped(this.places.length)}`;
    this.box.scrollTop = 0;
    this.rows.show(this.order.length);
  }

  /** What the filter looks at: the state, and the labels that leave it. */
  private textOf(n: Neighbourhood): string {
    let text = this.texts.get(n);
    if (text === undefined) {
      text = [n.state, ...n.outgoing.map((o) => o.label)].join("\n").toLowerCase();
      this.texts.set(n, text);
    }
    return text;
  }

  private row(index: number): HTMLElement {
    const n = this.order[index] as Neighbourhood;
    const row = make("div", { class: "row", role: "row", id: `place-${index}`, "data-index": String(index), "aria-rowindex": String(index + 2) });
    row.setAttribute("aria-selected", String(n === this.selected));
    for (const c of columns) row.append(make("div", { role: "gridcell", class: c.name === "kind" ? `kind-${n.kind}` : "" }, c.text(n)));
    return row;
  }

  private select(n: Neighbourhood | undefined): void {
    if (!n) return;
    this.selected = n;
    find("place")?.replaceChildren(...place(n, this.around).filter((c) => c !== null && c !== undefined && c !== false));
    const at = this.order.indexOf(n);
    if (at >= 0) {
      this.rows.reveal(at);
      this.box.setAttribute("aria-activedescendant", `place-${at}`);
    }
    this.rows.refresh();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.target !== this.box || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = 10;
    const at = this.selected ? this.order.indexOf(this.selected) : -1;
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: this.order.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.select(this.order[Math.min(Math.max(to, 0), this.order.length - 1)]);
  }
}

/** How neighbourhoods are looked up by their states. */
export function byState(places: Neighbourhood[]): (state: State) => Neighbourhood | undefined {
  const found = new Map(places.map((n) => [String(n.state), n]));
  return (state) => found.get(String(state));
}
