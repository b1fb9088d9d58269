// The data of the page, as html.go writes it.

export type Status = "satisfied" | "violated" | "error" | "timeout" | "crash" | "canceled";

export interface Job {
  name: string;
  model: string;
  formula: string;
  where?: string;
  tags?: string[];
  status: Status;
  expect?: string;
  unexpected?: boolean;
  /** The smaller, the sooner somebody should look at the job. */
  group: number;
  look?: boolean;
  new?: boolean;
  change?: string;
  changed?: string;
  before?: string;
  error?: string;
  warnings?: string[];
  states?: number;
  transitions?: number;
  classes?: { correct: number; incorrect: number; neutral: number };
  neighbourhoods?: number;
  length?: number;
  decisions?: number;
  shape?: string;
  labels?: string[];
  loop_start?: number;
  deciding?: { step?: number; from: string; label: string; to: string; why: string; line?: number; /** What this place is called. */ place: string };
  sentence?: string;
  files?: { kind: string; href: string }[];
  /** From the block of timings. */
  ms: number;
  /** The place in the manifest's order, from 0. */
  order: number;
}

export const signs: Record<Status, string> = { satisfied: "✓", violated: "✗", error: "!", timeout: "!", crash: "!", canceled: "–" };

export function readJobs(): Job[] {
  const jobs = JSON.parse(document.getElementById("jobs")?.textContent ?? "[]") as Job[];
  const times = JSON.parse(document.getElementById("timings")?.textContent ?? "[]") as number[];
  jobs.forEach((job, i) => {
    job.ms = times[i] ?? 0;
    job.order = i;
  });
  return jobs;
}

/** A time as people read it. */
export function time(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
