// What the table shows: texts, statuses, tags, models and changes. What is chosen
// stands in the address after #, so that a link can lead to it.

import { all, brief, find, make } from "../../../report/page/src/elements.js";
import type { Job } from "./batch.js";

export class Filter {
  /** Is told which jobs are to be shown, in the order of the manifest. */
  changed: (shown: Job[]) => void = () => {};

  private readonly text = find<HTMLInputElement>("text");
  private readonly model = find<HTMLSelectElement>("model");
  private readonly tag = find<HTMLSelectElement>("tag");
  private readonly chips = all<HTMLButtonElement>(".chip");
  private readonly texts = new Map<Job, string>();
  private status = "";
  private change = "";
  private job = "";

  constructor(private readonly jobs: Job[]) {
    options(this.model, jobs.map((j) => j.model));
    const tags = jobs.flatMap((j) => j.tags ?? []);
    options(this.tag, tags);
    if (tags.length === 0) find("tag-box")?.remove();
    for (const chip of this.chips) {
      chip.addEventListener("click", () => {
        const { status, change } = chip.dataset;
        if (status) this.status = this.status === status ? "" : status;
        if (change) this.change = this.change === change ? "" : change;
        this.apply();
      });
    }
    for (const field of [this.text, this.model, this.tag]) field?.addEventListener("input", () => this.apply());
    this.text?.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.text) {
        this.text.value = "";
        this.apply();
      }
    });
    find("clear")?.addEventListener("click", () => this.clear());
  }

  /** Takes over what the address says. Returns the name of the chosen job. */
  restore(): string {
    const said = new URLSearchParams(location.hash.slice(1));
    if (this.text) this.text.value = said.get("text") ?? "";
    choose(this.model, said.get("model"));
    choose(this.tag, said.get("tag"));
    this.status = said.get("status") ?? "";
    this.change = said.get("change") ?? "";
    const job = said.get("job") ?? "";
    this.apply(); // may choose another one on the way
    return job;
  }

  /** Notes in the address which job is chosen. */
  remember(job: string): void {
    this.job = job;
    this.note();
  }

  private clear(): void {
    for (const field of [this.text, this.model, this.tag]) if (field) field.value = "";
    this.status = this.change = "";
    this.apply();
    this.text?.focus();
  }

  private apply(): void {
    const words = (this.text?.value ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
    const model = this.model?.value ?? "";
    const tag = this.tag?.value ?? "";
    const shown = this.jobs.filter(
      (job) =>
        this.fits(job) &&
        (this.change === "" || job.change === this.change) &&
        (model === "" || job.model === model) &&
        (tag === "" || (job.tags ?? []).includes(tag)) &&
        words.every((word) => this.textOf(job).includes(word)),
    );
    for (const chip of this.chips) {
      const { status, change } = chip.dataset;
      chip.setAttribute("aria-pressed", String(status ? status === this.status : change === this.change));
    }
    const clear = find<HTMLButtonElement>("clear");
    if (clear) clear.disabled = shown.length === this.jobs.length;
    this.note();
    this.changed(shown);
  }

  /** Whether the chosen status is that of the job; two of them are none of their own. */
  private fits(job: Job): boolean {
    switch (this.status) {
      case "":
        return true;
      case "look":
        return job.look === true;
      case "unexpected": // in addresses of old
        return job.unexpected === true;
      case "warned":
        return (job.warnings ?? []).length > 0;
      default:
        return job.status === this.status;
    }
  }

  private note(): void {
    const said = new URLSearchParams();
    const entries: [string, string | undefined][] = [
      ["text", this.text?.value],
      ["model", this.model?.value],
      ["tag", this.tag?.value],
      ["status", this.status],
      ["change", this.change],
      ["job", this.job],
    ];
    for (const [name, value] of entries) if (value) said.set(name, value);
    const hash = String(said) === "" ? "#" : `#${said}`;
    // Nothing more than what is there already: no new page in the history.
    if (hash !== location.hash && !(hash === "#" && location.hash === "")) history.replaceState(null, "", hash);
  }

  private textOf(job: Job): string {
    let text = this.texts.get(job);
    if (text === undefined) {
      text = [job.name, job.model, job.formula, job.status, job.changed, job.error, job.sentence, ...(job.warnings ?? []), ...(job.labels ?? []), ...(job.tags ?? [])].join("\n").toLowerCase();
      this.texts.set(job, text);
    }
    return text;
  }
}

/** Fills a list of choices, each once, in the order of the texts. */
function options(list: HTMLSelectElement | null, values: string[]): void {
  for (const value of [...new Set(values)].sort()) {
    list?.append(make("option", { value }, brief(value, 60)));
  }
}

function choose(list: HTMLSelectElement | null, value: string | null): void {
  if (list) list.value = [...list.options].some((o) => o.value === value) ? (value ?? "") : "";
}
