// What the extension and its workers say to each other.

export type ToWorker =
  | { engine: WebAssembly.Module }
  | { graphviz: WebAssembly.Module }
  | { lsp: string }
  | { answer: number; kind: string; question: string }
  | { asked: number; text?: string; wrong?: string }
  | { file: number; result?: unknown; wrong?: string };

export type FromWorker =
  | { started: true }
  | { broken: string }
  | { needs: "graphviz" }
  | { lsp: string }
  | { ask: number; kind: string; question: string }
  | { stop: number }
  | { answered: number; text?: string; wrong?: string }
  | { file: number; what: "stat" | "read" | "list"; path: string };
