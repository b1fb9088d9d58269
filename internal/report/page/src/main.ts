// The script of a page that stands alone: it knows what it carries, and asks nobody but the engine
// in it, where it carries that.

import type { ModelPart, State } from "./explanation.js";
import type { Answer, Fork, Past, Place, Remote } from "./moves.js";
import { start } from "./start.js";

/** A question to the engine, which the script that comes with it answers. */
interface ToEngine {
  question: { of: string; state: string; q: string; label: string };
  take: (found: unknown) => void;
  fail: (error: unknown) => void;
}

async function ask<T>(of: string, state: State, q = 0, label = ""): Promise<T | null> {
  if (document.readyState === "loading") await new Promise((take) => document.addEventListener("DOMContentLoaded", take, { once: true }));
  return new Promise<T | null>((take, fail) => {
    const detail: ToEngine = { question: { of, state: String(state), q: String(q), label }, take: (found) => take(found as T | null), fail };
    document.dispatchEvent(new CustomEvent("inev-ask", { detail }));
  });
}

const inside: Remote = {
  near: (state: State) => ask<ModelPart>("near", state),
  past: (state: State) => ask<Past>("past", state),
  why: ({ state, q }: Place, label: string) => ask<Answer>("why", state, q, label),
  labels: () => ask<string[]>("labels", 0),
  fork: ({ state, q }: Place) => ask<Fork>("fork", state, q),
  another: (number: number) => ask<string[]>("another", number),
  sleeps: true,
  silent: "The engine in this page has no answer.",
};

start(document.getElementById("asking") ? inside : null);
