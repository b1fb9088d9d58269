// The engine that the extension carries: two workers, of which the second can be ended at any moment, and is begun
// anew from what was loaded.

import * as vscode from "vscode";

import { readableUriOf } from "./addresses.js";
import type { FromWorker, ToWorker } from "./messages.js";

export interface Port {
  post(message: ToWorker): void;
  listen(take: (message: FromWorker) => void, broken: (reason: string) => void): void;
  end(): void;
}

/** How this host starts the worker of the extension. */
export type Start = (context: vscode.ExtensionContext) => Promise<Port>;

interface Question {
  id: number;
  kind: string;
  question: string;
}

async function load(context: vscode.ExtensionContext, name: string): Promise<WebAssembly.Module> {
  const packed = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, "dist", name));
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

export class Engine implements vscode.Disposable {
  private readonly program: Promise<WebAssembly.Module>;
  private graphviz: Promise<WebAssembly.Module> | null = null;
  private server: Port | null = null;
  private second: Promise<Port> | null = null;
  private current: Question | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly queue: Question[] = [];
  private ended = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly start: Start,
    private readonly log: (text: string) => void,
  ) {
    this.program = load(context, "inev-ls.wasm.gz");
  }

  /** Starts the server, whose messages go to take. */
  async begin(take: (lsp: string) => void, broken: (reason: string) => void): Promise<void> {
    const port = await this.start(this.context);
    this.server = port;
    await this.started(port, (message) => {
      if ("lsp" in message) take(message.lsp);
      else if ("ask" in message) this.put({ id: message.ask, kind: message.kind, question: message.question });
      else if ("stop" in message) this.stop(message.stop);
    }, broken);
  }

  send(lsp: string): void {
    this.server?.post({ lsp });
  }

  private async started(port: Port, take: (message: FromWorker) => void, broken: (reason: string) => void): Promise<void> {
    const engine = await this.program;
    return new Promise((ready, fail) => {
      const end = (reason: string): void => {
        fail(new Error(reason));
        broken(reason);
      };
      port.listen((message) => {
        if ("started" in message) ready();
        else if ("broken" in message) end(message.broken);
        else if ("file" in message) void this.read(port, message);
        else if ("needs" in message) void this.giveGraphviz(port);
        else take(message);
      }, end);
      port.post({ engine });
    });
  }

  private async read(port: Port, { file, what, path }: { file: number; what: "stat" | "read" | "list"; path: string }): Promise<void> {
    try {
      const uri = readableUriOf(path);
      if (what === "read") port.post({ file, result: await vscode.workspace.fs.readFile(uri) });
      else if (what === "list") port.post({ file, result: (await vscode.workspace.fs.readDirectory(uri)).map(([name]) => name).sort() });
      else {
        const facts = await vscode.workspace.fs.stat(uri);
        port.post({ file, result: { folder: (facts.type & vscode.FileType.Directory) !== 0, size: facts.size, changed: facts.mtime } });
      }
    } catch (error) {
      port.post({ file, wrong: String(error) });
    }
  }

  private async giveGraphviz(port: Port): Promise<void> {
    this.graphviz ??= load(this.context, "graphviz.wasm.gz");
    port.post({ graphviz: await this.graphviz });
  }

  private put(question: Question): void {
    this.queue.push(question);
    void this.next();
  }

  private async next(): Promise<void> {
    if (this.current || this.ended) return;
    const question = this.queue.shift();
    if (!question) return;
    this.current = question;
    const seconds = vscode.workspace.getConfiguration("inev").get("timeout", 60);
    this.timer = setTimeout(() => this.settle(question, undefined, `stopped after ${seconds} s; allow it more time by the setting inev.timeout`, true), seconds * 1000);
    try {
      this.second ??= this.beginSecond();
      const port = await this.second;
      if (this.current === question) port.post({ answer: question.id, kind: question.kind, question: question.question });
    } catch (error) {
      this.settle(question, undefined, String(error), true);
    }
  }

  private async beginSecond(): Promise<Port> {
    const port = await this.start(this.context);
    await this.started(port, (message) => {
      if ("answered" in message && this.current?.id === message.answered) this.settle(this.current, message.text, message.wrong, false);
    }, (reason) => {
      this.log(reason);
      if (this.current) this.settle(this.current, undefined, `the engine has ended: ${reason}`, true);
    });
    return port;
  }

  private settle(question: Question, text: string | undefined, wrong: string | undefined, end: boolean): void {
    if (this.current !== question) return;
    clearTimeout(this.timer);
    this.current = null;
    if (end) this.endSecond();
    this.server?.post({ asked: question.id, ...(text === undefined ? { wrong: wrong ?? "no answer" } : { text }) });
    void this.next();
  }

  private stop(id: number): void {
    const at = this.queue.findIndex((question) => question.id === id);
    if (at >= 0) {
      this.queue.splice(at, 1);
      this.server?.post({ asked: id, wrong: "stopped" });
    } else if (this.current?.id === id) this.settle(this.current, undefined, "stopped", true);
  }

  private endSecond(): void {
    const { second } = this;
    this.second = null;
    second?.then((port) => port.end(), () => undefined);
  }

  dispose(): void {
    this.ended = true;
    clearTimeout(this.timer);
    this.server?.end();
    this.endSecond();
  }
}
