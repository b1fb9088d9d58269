// The card of a job: everything that its result says.

import { brief, count, grouped, label, make, printable, type Child } from "../../../report/page/src/elements.js";
import { signs, time, type Job } from "./batch.js";

const named: Record<string, string> = { page: "Page", explanation: "JSON", svg: "Picture (SVG)", png: "Picture (PNG)", dot: "DOT", trace: "Trace", log: "Log" };

export function card(job: Job): Node[] {
  const parts: Child[] = [
    make("h2", {}, printable(job.name)),
    verdict(job),
    files(job),
    job.error !== undefined && make("p", { class: "warning" }, printable(job.error)),
    ...(job.warnings ?? []).map((w) => make("p", { class: "warning" }, "Warning: ", printable(w))),
    job.sentence !== undefined && make("p", {}, printable(job.sentence)),
    facts(job),
    run(job),
  ];
  return parts.filter((p): p is Node => p instanceof Node);
}

function verdict(job: Job): HTMLElement {
  const line = make("p", { class: `verdict-line is-${job.status}` }, make("span", { class: "stamp" }, `${signs[job.status]} ${job.status}`));
  if (job.unexpected) line.append(make("span", { class: "stamp stamp-unexpected" }, "unexpected"));
  if (job.changed !== undefined) {
    line.append(make("span", { class: "stamp stamp-change" }, job.changed), job.before ? make("span", { class: "note" }, ` before: ${printable(job.before)}`) : "");
  }
  return line;
}

function files(job: Job): HTMLElement | null {
  if (!job.files) return null;
  const line = make("p", { class: "files controls" });
  for (const f of job.files) line.append(make("a", { href: f.href, class: f.kind === "page" ? "button main-link" : "button" }, named[f.kind] ?? brief(f.kind, 20)));
  return line;
}

// together keeps what is counted beside its number where lines break.
function together(text: string): HTMLElement {
  return make("span", { class: "together" }, text);
}

function facts(job: Job): HTMLElement {
  const list = make("dl", { class: "facts" });
  const fact = (name: string, ...value: Child[]): void => {
    if (value.some((v) => v)) list.append(make("dt", {}, name), make("dd", {}, ...value));
  };
  fact("property", label(job.formula, 2000));
  const size: Child[] = job.states === undefined ? [] : [", ", together(count(job.states, "state")), ", ", together(count(job.transitions ?? 0, "transition"))];
  fact("model", label(job.model, 400), ...size);
  fact("expected", job.expect ?? (job.unexpected ? "satisfied, for the manifest says nothing" : ""));
  fact("tags", (job.tags ?? []).map((t) => printable(t)).join(", "));
  if (job.classes) {
    const { correct, incorrect, neutral } = job.classes;
    fact("transitions", together(`✓ ${grouped(correct)} correct`), ", ", together(`✗ ${grouped(incorrect)} incorrect`), ", ", together(`? ${grouped(neutral)} neutral`));
    fact("neighbourhoods", grouped(job.neighbourhoods ?? 0));
  }
  if (job.deciding) {
    const { step, from, label: what, to, why, line, place } = job.deciding;
    const number = step ? `, step ${step},` : "";
    fact(place, label(what), `${number} from state ${printable(from)} to ${printable(to)}`, line ? `, line ${line} of the model` : "", job.decisions === 0 ? "; nothing was decided on this run" : ` (${why})`);
  }
  fact("time", time(job.ms));
  fact("asked for in", job.where && printable(job.where));
  return list;
}

function run(job: Job): HTMLElement | null {
  if (!job.labels || job.labels.length === 0) return null;
  const list = make("ol", { class: "run" });
  job.labels.forEach((text, i) => {
    const item = make("li", {}, label(text));
    if (i === job.loop_start) item.append(make("span", { class: "mark" }, "↻ the loop begins"));
    list.append(item);
  });
  const left = (job.length ?? 0) - job.labels.length;
  return make("div", {}, make("h3", {}, "Counterexample"), make("p", { class: "note" }, `${job.shape ?? ""}.`), list, left > 0 && make("p", { class: "note" }, `… and ${count(left, "step")} more, on the page of the job.`));
}
