// The table of the jobs. Only the rows that are seen are elements, so that ten
// thousand jobs are as quick as ten.

import { all, brief, grouped, make } from "../../../report/page/src/elements.js";
import { Rows } from "../../../report/page/src/rows.js";
import { signs, time, type Job } from "./batch.js";

interface Column {
  name: string;
  title: string;
  class: string;
  text: (job: Job) => string;
  /** What is compared; undefined comes last, whichever way the table is sorted. */
  value: (job: Job) => string | number | undefined;
  descends?: boolean; // the first click shows the largest first
}

const number = (name: string, title: string, value: (job: Job) => number | undefined): Column => ({
  name,
  title,
  class: "number",
  value,
  text: (job) => {
    const n = value(job);
    return n === undefined ? "" : grouped(n);
  },
  descends: true,
});

const text = (name: string, title: string, value: (job: Job) => string): Column => ({
  name,
  title,
  class: "words",
  value: (job) => value(job).toLowerCase(),
  text: (job) => brief(value(job)),
});

function columnsFor(jobs: Job[]): Column[] {
  const folder = commonFolder(jobs);
  const columns: Column[] = [
    {
      name: "verdict",
      title: "How the job ended; what needs a look comes first",
      class: "verdict",
      value: (job) => job.group * 10 + Object.keys(signs).indexOf(job.status),
      text: (job) => `${signs[job.status]} ${job.status}`,
    },
    text("job", "The name of the job", (job) => job.name),
    text("model", "The file of the model", (job) => job.model.slice(folder.length)),
    number("run", "Transitions of the counterexample", (job) => job.length),
    number("decisions", "Decision points on the counterexample", (job) => job.decisions),
    number("states", "States of the model", (job) => job.states),
    { name: "time", title: "How long the job took", class: "number", value: (job) => job.ms, text: (job) => time(job.ms), descends: true },
  ];
  if (jobs.some((job) => job.change)) {
    columns.splice(1, 0, { ...text("since then", "What has changed since the earlier run", (job) => job.changed ?? ""), value: (job) => job.changed });
  }
  return columns;
}

/** The folders with which all models begin, as "models/protocols/": in a narrow column the rest is what tells
 * the models apart. */
function commonFolder(jobs: Job[]): string {
  let common = jobs[0]?.model ?? "";
  for (const { model } of jobs) {
    while (!model.startsWith(common)) common = common.slice(0, -1);
  }
  return common.slice(0, common.lastIndexOf("/") + 1);
}

function pageOf(job: Job): HTMLAnchorElement | null {
  const page = job.files?.find((f) => f.kind === "page");
  return page ? make("a", { href: page.href, tabindex: "-1", "aria-label": `Page of ${brief(job.name)}` }, "page") : null;
}

function cellClass(c: Column): string {
  return `cell cell-${c.class} column-${c.name.replace(" ", "-")}`;
}

export class Jobs {
  private readonly columns: Column[];
  private readonly body = make("div", { class: "scroller", role: "rowgroup" });
  private readonly rows: Rows;
  private shown: Job[];
  private order: Job[];
  private selected: Job | undefined;
  private sortedBy = 0;
  private descending = false;

  constructor(
    private readonly box: HTMLElement,
    private readonly jobs: Job[],
    private readonly chosen: (job: Job) => void,
  ) {
    this.shown = this.order = jobs;
    this.columns = columnsFor(jobs);
    box.classList.toggle("compared-grid", this.columns.length > 7);
    box.setAttribute("aria-colcount", String(this.columns.length + 1));
    box.append(this.header(), this.body);
    this.rows = new Rows(this.body, (i) => this.row(i));
    this.body.addEventListener("click", (event) => {
      const target = event.target as Element;
      const row = target.closest<HTMLElement>("[data-index]");
      if (row && !target.closest("a")) this.select(this.order[Number(row.dataset["index"])]);
    });
    box.addEventListener("keydown", (event) => this.pressed(event));
  }

  /** Shows these jobs. Where the chosen one is not among them, the first is chosen. */
  show(jobs: Job[]): void {
    this.shown = jobs;
    this.arrange();
    if (this.selected && !this.order.includes(this.selected)) this.select(this.order[0]);
  }

  /** Chooses a job by its name; else it stays with the chosen one, or the first. */
  choose(name: string): void {
    this.select(this.jobs.find((job) => job.name === name) ?? this.selected ?? this.order[0]);
  }

  /** Shows so many rows for print, 0 goes back. Returns how many are left out. */
  expand(most: number): number {
    return this.order.length - this.rows.expand(most);
  }

  private header(): HTMLElement {
    const row = make("div", { class: "row head", role: "row" });
    this.columns.forEach((c, i) => {
      const button = make("button", { type: "button", title: c.title }, c.name, make("span", { class: "arrow", "aria-hidden": "true" }));
      button.addEventListener("click", () => {
        this.descending = i === this.sortedBy ? !this.descending : (c.descends ?? false);
        this.sortedBy = i;
        this.arrange();
      });
      row.append(make("div", { role: "columnheader", "aria-sort": "none", class: cellClass(c) }, button));
    });
    row.append(make("div", { role: "columnheader", class: "cell cell-links" }, make("span", { class: "hidden" }, "files")));
    return make("div", { role: "rowgroup" }, row);
  }

  /** Sorts. Equals stay in the order of the manifest. */
  private arrange(): void {
    const column = this.columns[this.sortedBy];
    if (column) {
      const sign = this.descending ? -1 : 1;
      const keyed = this.shown.map((job): [string | number | undefined, Job] => [column.value(job), job]);
      keyed.sort(([a, x], [b, y]) => {
        if (a === b) return x.order - y.order;
        if (a === undefined) return 1;
        if (b === undefined) return -1;
        return a < b ? -sign : sign;
      });
      this.order = keyed.map(([, job]) => job);
    }
    all('[role="columnheader"][aria-sort]', this.box).forEach((cell, i) => {
      cell.setAttribute("aria-sort", i !== this.sortedBy ? "none" : this.descending ? "descending" : "ascending");
    });
    this.box.setAttribute("aria-rowcount", String(this.order.length + 1));
    this.body.scrollTop = 0;
    this.rows.show(this.order.length);
    this.point();
  }

  private row(index: number): HTMLElement {
    const job = this.order[index] as Job;
    const classes = ["row", `is-${job.status}`, job.unexpected ? "is-unexpected" : "", job.new ? "is-new" : "", job.change ? "is-changed" : ""];
    const row = make("div", {
      class: classes.filter((c) => c !== "").join(" "),
      role: "row",
      id: `job-${index}`,
      "data-index": String(index),
      "aria-rowindex": String(index + 2),
      "aria-selected": String(job === this.selected),
    });
    for (const c of this.columns) {
      const shown = c.text(job);
      const cell = make("div", { role: "gridcell", class: cellClass(c) }, make("span", {}, shown));
      if (c.class === "words" && shown.length > 12) cell.title = shown;
      if (c.name === "verdict" && job.warnings?.length) cell.append(make("span", { class: "mark", title: "has a warning" }, "⚠", make("span", { class: "hidden" }, " has a warning")));
      if (c.name === "verdict" && job.unexpected) cell.append(make("span", { class: "mark", title: "unexpected" }, "‼", make("span", { class: "hidden" }, " unexpected")));
      row.append(cell);
    }
    row.append(make("div", { role: "gridcell", class: "cell cell-links" }, pageOf(job)));
    return row;
  }

  private select(job: Job | undefined): void {
    if (!job) return;
    this.selected = job;
    this.chosen(job);
    const at = this.point();
    if (at >= 0) this.rows.reveal(at);
    this.rows.refresh();
  }

  /** Tells assistive tools which row is the chosen one. */
  private point(): number {
    const at = this.selected ? this.order.indexOf(this.selected) : -1;
    if (at >= 0) this.box.setAttribute("aria-activedescendant", `job-${at}`);
    else this.box.removeAttribute("aria-activedescendant");
    return at;
  }

  private pressed(event: KeyboardEvent): void {
    if (event.target !== this.box || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.selected ? this.order.indexOf(this.selected) : -1;
    const page = 10;
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      j: at + 1,
      ArrowUp: at - 1,
      k: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: this.order.length - 1,
    };
    const to = moves[event.key];
    if (event.key === "Enter" && this.selected) pageOf(this.selected)?.click();
    if (to === undefined) return;
    event.preventDefault();
    this.select(this.order[Math.min(Math.max(to, 0), this.order.length - 1)]);
  }
}
