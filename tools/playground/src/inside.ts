// What a page carries that inev has written with --engine: the engine, Graphviz, the model, and what
// the page is about.

import { compiled, unzip, type Source } from "./engine.js";
import type { Model } from "./state.js";

interface Facts {
  name: string;
  formula: string;
  fair: string;
  version: string;
}

const carried = (part: string): string | null => document.getElementById(`carried-${part}`)?.textContent ?? null;

function bytes(part: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(carried(part) ?? ""), (c) => c.charCodeAt(0));
}

function program(part: string): Promise<WebAssembly.Module> {
  return compiled(new Blob([bytes(part)]).stream().pipeThrough(new DecompressionStream("gzip")));
}

/** What a page says that makes workers of its own data, where pages have to say so. */
const trusted = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } }).trustedTypes;

/** What is asked about at first; null in the playground, which carries nothing. */
export const facts = ((text) => (text === null ? null : (JSON.parse(text) as Facts)))(carried("facts"));

/** The names of elements begin so, where the page has others. */
export const prefix = facts ? "asking-" : "";

const policy = facts ? trusted?.createPolicy("inev", { createScriptURL: (url: string) => url }) : undefined;

export const insideThePage: Source = {
  program: () => program("engine"),
  graphviz: () => program("graphviz"),
  worker: () => {
    const url = URL.createObjectURL(new Blob([bytes("worker")], { type: "text/javascript" }));
    return Promise.resolve(new Worker(policy?.createScriptURL(url) ?? url));
  },
};

export async function carriedModel(): Promise<Model> {
  return { name: facts?.name ?? "", data: new Uint8Array(await unzip(bytes("model"))), example: "" };
}
