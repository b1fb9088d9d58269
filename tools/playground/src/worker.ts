// The worker of the page: it holds the engine, which is the command inev compiled for
// WebAssembly, and carries out its command lines one after the other.

import { Memory, folder } from "./memory.js";
import type { FromWorker, Order, ToWorker } from "./messages.js";

interface GoRuntime {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

interface Surroundings {
  fs: Memory;
  process: object;
  path: object;
  Go: new () => GoRuntime;
  inevStarted: () => void;
  inevProgress: (doing: string, detail: string) => void;
  inevGraphviz: () => Promise<WebAssembly.Module>;
  inevRun: (words: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;
  postMessage: (message: FromWorker) => void;
  onmessage: (event: MessageEvent<ToWorker>) => void;
}

const world = globalThis as unknown as Surroundings;
const memory = new Memory();
world.fs = memory;
const nobody = (): number => -1;
world.process = { getuid: nobody, getgid: nobody, geteuid: nobody, getegid: nobody, getgroups: () => [], pid: 1, ppid: 0, umask: () => 0o22, cwd: () => folder, chdir: () => undefined };
world.path = { resolve: (...parts: string[]) => memory.at(parts.join("/")) };

const tell = (message: FromWorker): void => world.postMessage(message);
let takeGraphviz: (module: WebAssembly.Module) => void = () => undefined;
let graphviz: Promise<WebAssembly.Module> | null = null;

world.inevProgress = (doing, detail) => tell({ doing, detail });
world.inevStarted = () => tell({ started: true });
world.inevGraphviz = () => {
  if (!graphviz) {
    graphviz = new Promise((take) => (takeGraphviz = take));
    tell({ needs: "graphviz" });
  }
  return graphviz;
};

world.onmessage = ({ data }) => {
  if ("engine" in data) void begin(data.engine);
  else if ("graphviz" in data) {
    takeGraphviz(data.graphviz);
    graphviz = Promise.resolve(data.graphviz);
  } else void carryOut(data.order);
};

async function begin(engine: WebAssembly.Module): Promise<void> {
  try {
    const go = new world.Go();
    await go.run(await WebAssembly.instantiate(engine, go.importObject));
    throw new Error("it has ended");
  } catch (error) {
    tell({ broken: `${String(error)} ${memory.said}`.trim() });
  }
}

async function carryOut({ id, words, files, wanted }: Order): Promise<void> {
  for (const [name, data] of files) memory.put(name, data);
  const result = await world.inevRun(words);
  const written = new Map<string, Uint8Array>();
  for (const name of wanted) {
    const data = memory.take(name);
    if (data) written.set(name, data);
  }
  for (const [name] of files) memory.take(name);
  tell({ id, outcome: { ...result, written } });
}
