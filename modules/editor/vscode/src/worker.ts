// A worker with inev-ls, compiled for WebAssembly: as the server, or as what answers its questions.

import { Files } from "./files.js";
import type { FromWorker, ToWorker } from "./messages.js";

interface GoRuntime {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

interface Surroundings {
  fs: Files;
  process: object;
  path: object;
  Go: new () => GoRuntime;
  inevStarted: () => void;
  inevReceive: (text: string) => void;
  inevSend: (text: string) => void;
  inevAsk: (kind: string, question: string) => object;
  inevAnswer: (kind: string, question: string) => Promise<string>;
  inevGraphviz: () => Promise<WebAssembly.Module>;
  postMessage?: (message: FromWorker) => void;
  onmessage: (event: MessageEvent<ToWorker>) => void;
  inevPort?: { postMessage(message: FromWorker): void; on(event: "message", take: (data: ToWorker) => void): void };
}

const world = globalThis as unknown as Surroundings;
const tell = (message: FromWorker): void => (world.inevPort ? world.inevPort.postMessage(message) : world.postMessage?.(message));

interface Waiting {
  take: (value: never) => void;
  fail: (error: Error) => void;
}
const files = new Map<number, Waiting>();
const asked = new Map<number, Waiting>();
let next = 1;

function settle(all: Map<number, Waiting>, id: number, value: unknown, wrong: string | undefined): void {
  const waiting = all.get(id);
  all.delete(id);
  if (wrong === undefined) waiting?.take(value as never);
  else waiting?.fail(new Error(wrong));
}

world.fs = new Files((what, path) => new Promise((take, fail) => {
  const file = next++;
  files.set(file, { take: take as (value: never) => void, fail });
  tell({ file, what, path });
}));
const nobody = (): number => -1;
Object.defineProperty(globalThis, "process", { configurable: true, writable: true, value: {
  getuid: nobody, getgid: nobody, geteuid: nobody, getegid: nobody, getgroups: () => [], pid: 1, ppid: 0, umask: () => 0o22, cwd: () => "/", chdir: () => undefined } });
world.path = { resolve: (...parts: string[]) => {
  const kept: string[] = [];
  for (const part of parts.join("/").split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
} };

let takeGraphviz: (module: WebAssembly.Module) => void = () => undefined;
let graphviz: Promise<WebAssembly.Module> | null = null;
world.inevGraphviz = () => {
  if (!graphviz) {
    graphviz = new Promise((take) => (takeGraphviz = take));
    tell({ needs: "graphviz" });
  }
  return graphviz;
};
world.inevStarted = () => tell({ started: true });
world.inevSend = (lsp) => tell({ lsp });
world.inevAsk = (kind, question) => {
  const ask = next++;
  const promise = new Promise((take, fail) => asked.set(ask, { take: take as (value: never) => void, fail }));
  tell({ ask, kind, question });
  return { promise, stop: () => tell({ stop: ask }) };
};

function take(data: ToWorker): void {
  if ("engine" in data) void begin(data.engine);
  else if ("graphviz" in data) takeGraphviz(data.graphviz);
  else if ("lsp" in data) world.inevReceive(data.lsp);
  else if ("file" in data) settle(files, data.file, data.result, data.wrong);
  else if ("asked" in data) settle(asked, data.asked, data.text, data.wrong);
  else {
    const { answer } = data;
    world.inevAnswer(data.kind, data.question).then((text) => tell({ answered: answer, text }), (error: unknown) => tell({ answered: answer, wrong: String(error) }));
  }
}
if (world.inevPort) world.inevPort.on("message", take);
else world.onmessage = ({ data }) => take(data);

async function begin(engine: WebAssembly.Module): Promise<void> {
  try {
    const go = new world.Go();
    await go.run(await WebAssembly.instantiate(engine, go.importObject));
    throw new Error("it has ended");
  } catch (error) {
    tell({ broken: `${String(error)} ${world.fs.said}`.trim() });
  }
}
