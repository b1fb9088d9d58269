// The script of the index of a batch. The page holds all jobs as data; the table
// (jobs.ts) shows those that the filter (filter.ts) lets through, and the card
// (card.ts) tells all about the chosen one.

import { find, grouped } from "../../../report/page/src/elements.js";
import { listenToTheme } from "../../../report/page/src/theme.js";
import { readJobs, time } from "./batch.js";
import { card } from "./card.js";
import { Filter } from "./filter.js";
import { Jobs } from "./jobs.js";

/** Rows that are printed at most; paper has its limits, and the CSV has all. */
const printedRows = 2000;

function start(): void {
  listenToTheme();
  find("print")?.addEventListener("click", () => print());
  const jobs = readJobs();
  const total = find("total");
  if (total) total.textContent = time(jobs.reduce((sum, job) => sum + job.ms, 0));

  const grid = find("jobs-table");
  if (grid) {
    const filter = new Filter(jobs);
    const table = new Jobs(grid, jobs, (job) => {
      find("job")?.replaceChildren(...card(job));
      filter.remember(job.name);
    });
    filter.changed = (shown) => {
      table.show(shown);
      const output = find("shown");
      if (output) output.textContent = shown.length === jobs.length ? `${grouped(jobs.length)} jobs` : `${grouped(shown.length)} of ${grouped(jobs.length)} jobs`;
    };
    table.choose(filter.restore());
    addEventListener("hashchange", () => table.choose(filter.restore()));
    listenToPrint(table);
    listenToSlash();
  }
  document.documentElement.dataset["ready"] = "true";
}

function listenToPrint(table: Jobs): void {
  addEventListener("beforeprint", () => {
    const left = table.expand(printedRows);
    const note = find("print-cut");
    if (note) note.textContent = left > 0 ? `… and ${grouped(left)} more; summary.csv has them.` : "";
  });
  addEventListener("afterprint", () => table.expand(0));
}

/** A slash leads to the search, as on many pages. */
function listenToSlash(): void {
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.target as Element).closest("input, select, textarea")) return;
    event.preventDefault();
    find("text")?.focus();
  });
}

start();
