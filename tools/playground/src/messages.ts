// What the page and its worker say to each other.

/** A command line to be carried out in a folder with some files. */
export interface Order {
  id: number;
  words: string[];
  files: [name: string, data: Uint8Array][];
  /** The files that it is to write. */
  wanted: string[];
}

/** What came of it. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  written: Map<string, Uint8Array>;
}

export type ToWorker = { engine: WebAssembly.Module } | { graphviz: WebAssembly.Module } | { order: Order };

export type FromWorker =
  | { started: true }
  | { needs: "graphviz" }
  | { doing: string; detail: string }
  | { id: number; outcome: Outcome }
  | { broken: string };
