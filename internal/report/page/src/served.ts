// The script of a page that is served (inev serve): it asks the server that it came from
// for what it does not carry.

import type { ModelPart, State } from "./explanation.js";
import type { Answer, Fork, Past, Place } from "./moves.js";
import { start } from "./start.js";

/** How often the page says that it is still open, in milliseconds. */
const pulse = 60_000;

async function ask<T>(what: string, query: Record<string, string>): Promise<T | null> {
  const answer = await fetch(`${what}?${new URLSearchParams(query)}`, { cache: "no-store", redirect: "error" });
  return answer.ok ? ((await answer.json()) as T) : null;
}

start({
  near: (state: State) => ask<ModelPart>("near", { state: String(state) }),
  past: (state: State) => ask<Past>("past", { state: String(state) }),
  why: ({ state, q }: Place, label: string) => ask<Answer>("why", { state: String(state), q: String(q), label }),
  labels: () => ask<string[]>("labels", {}),
  fork: ({ state, q }: Place) => ask<Fork>("fork", { state: String(state), q: String(q) }),
  another: (number: number) => ask<string[]>("another", { state: String(number) }),
  sleeps: false,
  silent: "Nobody answers: inev serve has ended.",
});
setInterval(() => void fetch("alive").catch(() => undefined), pulse);
