// The engine as the page has it: loaded once, run in a worker that can be ended at any
// moment, and then begun anew from what was loaded.

import type { FromWorker, Outcome, ToWorker } from "./messages.js";

export class Stopped extends Error {}

/** Where the programs are that the page runs. */
export interface Source {
  program(): Promise<WebAssembly.Module>;
  graphviz(): Promise<WebAssembly.Module>;
  worker(): Promise<Worker>;
}

/** The files that lie next to the page. They are compiled while they are loaded. */
export const nextToThePage: Source = {
  program: () => load("engine"),
  graphviz: () => load("graphviz"),
  worker: () => Promise.resolve(new Worker("worker.js")),
};

/** Loads a file of WebAssembly, compressed by gzip unless the host has undone that. */
async function load(part: string): Promise<WebAssembly.Module> {
  const name = part + (document.querySelector<HTMLMetaElement>("meta[name=wasm]")?.content ?? "");
  const answer = await fetch(name);
  if (!answer.ok || !answer.body) throw new Error(`${name} cannot be loaded (${answer.status})`);
  const reader = answer.body.getReader();
  const first = await reader.read();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (c) => (first.value ? c.enqueue(first.value) : c.close()),
    pull: async (c) => {
      const { done, value } = await reader.read();
      if (done) c.close();
      else c.enqueue(value);
    },
  });
  const packed = first.value?.[0] === 0x1f && first.value[1] === 0x8b;
  return compiled(packed ? body.pipeThrough(new DecompressionStream("gzip")) : body);
}

/** Compiles what a stream gives, while it comes. */
export function compiled(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<WebAssembly.Module> {
  return WebAssembly.compileStreaming(new Response(body, { headers: { "Content-Type": "application/wasm" } }));
}

export async function unzip(data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

export async function zip(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([data]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}

interface Waiting {
  id: number;
  take: (outcome: Outcome) => void;
  fail: (error: Error) => void;
}

export class Engine {
  private readonly program: Promise<WebAssembly.Module>;
  private graphviz: Promise<WebAssembly.Module> | null = null;
  private worker: Promise<Worker> | null = null;
  private current: Worker | null = null;
  private waiting: Waiting | null = null;
  private queue: Promise<unknown> = Promise.resolve();
  private epoch = 0;
  private next = 1;

  constructor(
    private readonly source: Source,
    private readonly progress: (doing: string, detail: string) => void,
  ) {
    this.program = source.program();
    this.worker = this.begin();
    this.worker.catch(() => undefined);
  }

  /** Carries out a command line, after those that were asked for before. */
  run(words: string[], files: [string, Uint8Array][], wanted: string[] = []): Promise<Outcome> {
    const epoch = this.epoch;
    const turn = this.queue.then(async () => {
      if (epoch !== this.epoch) throw new Stopped();
      this.worker ??= this.begin();
      const worker = await this.worker;
      if (epoch !== this.epoch) throw new Stopped();
      return new Promise<Outcome>((take, fail) => {
        const id = this.next++;
        this.waiting = { id, take, fail };
        worker.postMessage({ order: { id, words, files, wanted } } satisfies ToWorker);
      });
    });
    this.queue = turn.catch(() => undefined);
    return turn;
  }

  /** Loads what draws pictures, so that the first one need not wait, and needs no network. */
  async prepare(): Promise<void> {
    try {
      await (this.graphviz ??= this.source.graphviz());
      document.documentElement.dataset["draws"] = "true";
    } catch {
      this.graphviz = null; // whoever asks for a picture is told
    }
  }

  /** Ends what is under way, and gives up what waits for it. */
  stop(): void {
    this.epoch++;
    this.end(new Stopped());
  }

  private end(reason: Error): void {
    this.current?.terminate();
    this.current = this.worker = null;
    const { waiting } = this;
    this.waiting = null;
    waiting?.fail(reason);
  }

  private async begin(): Promise<Worker> {
    const worker = await this.source.worker();
    const engine = await this.program;
    this.current = worker;
    return new Promise((take, fail) => {
      worker.onerror = (event) => {
        fail(new Error(event.message));
        this.end(new Error(event.message));
      };
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if ("started" in data) take(worker);
        else if ("needs" in data) void this.giveGraphviz(worker);
        else if ("doing" in data) this.progress(data.doing, data.detail);
        else if ("broken" in data) {
          const error = new Error(`The engine has ended: ${data.broken}`);
          fail(error);
          this.end(error);
        } else if (this.waiting?.id === data.id) {
          const { take: answer } = this.waiting;
          this.waiting = null;
          answer(data.outcome);
        }
      };
      worker.postMessage({ engine } satisfies ToWorker);
    });
  }

  private async giveGraphviz(worker: Worker): Promise<void> {
    try {
      this.graphviz ??= this.source.graphviz();
      worker.postMessage({ graphviz: await this.graphviz } satisfies ToWorker);
    } catch (error) {
      this.graphviz = null;
      this.end(error as Error);
    }
  }
}
