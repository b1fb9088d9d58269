// What the extension does in both kinds of hosts.

import * as vscode from "vscode";
import { AbstractMessageReader, AbstractMessageWriter, type BaseLanguageClient, type DataCallback, type Disposable, type LanguageClientOptions, type Message, type MessageTransports } from "vscode-languageclient";

import { pathOf, readableUriOf, uriOf } from "./addresses.js";
import { Engine, type Start } from "./engine.js";
import { Pages, type Answer } from "./pages.js";
import { Tests, type Verdicts } from "./tests.js";

export interface Host {
  start: Start;
  /** The client of an installed server, or why there is none. */
  native(options: LanguageClientOptions): Promise<BaseLanguageClient | string>;
  client(transports: () => Promise<MessageTransports>, options: LanguageClientOptions): BaseLanguageClient;
  /** Runs the command inev, and returns the page that it writes; undefined where no program can be run. */
  explain?(words: string[], folder: string): Promise<string>;
  also?(context: vscode.ExtensionContext): void;
}

class Reader extends AbstractMessageReader {
  private callback: DataCallback = () => undefined;
  private readonly early: string[] = [];
  private listening = false;
  listen(callback: DataCallback): Disposable {
    this.callback = callback;
    this.listening = true;
    for (const text of this.early.splice(0)) this.take(text);
    return { dispose: () => undefined };
  }
  take(text: string): void {
    if (this.listening) this.callback(JSON.parse(text) as Message);
    else this.early.push(text);
  }
}

class Writer extends AbstractMessageWriter {
  constructor(private readonly send: (text: string) => void) {
    super();
  }
  write(message: Message): Promise<void> {
    this.send(JSON.stringify(message));
    return Promise.resolve();
  }
  end(): void {
    return undefined;
  }
}

/** A question of a document, as a lens names it. */
interface QuestionAt {
  uri: string;
  line: number;
  path: string;
  name: string;
}

export async function activate(context: vscode.ExtensionContext, host: Host): Promise<void> {
  const log = vscode.window.createOutputChannel("inev", { log: true });
  context.subscriptions.push(log);
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "inev" }, { pattern: "**/inev.{yaml,yml}" }, { pattern: "**/*.{tla,cfg}" }],
    initializationOptions: { shows: true, trusted: vscode.workspace.isTrusted },
    outputChannel: log,
    diagnosticCollectionName: "inev",
  };
  let client = await host.native(options);
  if (typeof client !== "string") log.info("the installed inev-ls answers");
  else {
    log.info(`the engine in the extension answers: ${client}`);
    const engine = new Engine(context, host.start, (text) => log.error(text));
    context.subscriptions.push(engine);
    options.uriConverters = {
      code2Protocol: (uri) => vscode.Uri.from({ scheme: "file", path: pathOf(uri) }).toString(),
      // A related place may have a path that means no file. It is only shown.
      protocol2Code: (text) => uriOf(vscode.Uri.parse(text).path) ?? vscode.Uri.from({ scheme: "inev", path: "/no file" }),
    };
    client = host.client(async () => {
      const reader = new Reader();
      await engine.begin((text) => reader.take(text), (reason) => {
        log.error(reason);
        void vscode.window.showErrorMessage(`inev: the engine has ended: ${reason}`);
      });
      return { reader, writer: new Writer((text) => engine.send(text)) };
    }, options);
  }
  const running = client;
  const tests = new Tests((uri) => running.protocol2CodeConverter.asUri(uri));
  context.subscriptions.push(running, tests);
  running.onNotification("inev/verdicts", (verdicts: Verdicts) => tests.show(verdicts));
  const guarded = (name: string, does: (...args: never[]) => Promise<void>): void => {
    context.subscriptions.push(vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        await does(...(args as never[]));
      } catch (error) {
        void vscode.window.showErrorMessage(`inev: ${error instanceof Error ? error.message : String(error)}`);
      }
    }));
  };
  const ask = <A>(title: string, method: string, params: object): Thenable<A> =>
    vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (_, token) => running.sendRequest<A>(method, params, token));
  const pathFor = (uri: vscode.Uri): string => (options.uriConverters ? pathOf(uri) : uri.fsPath);
  const uriFor = (path: string): vscode.Uri => (options.uriConverters ? readableUriOf(path) : vscode.Uri.file(path));
  const pages = new Pages(context, uriFor);

  guarded("inev.explain", async (at?: QuestionAt) => {
    const target = at ?? tests.nearest(vscode.window.activeTextEditor);
    if (!target) throw new Error("no formula here asks about a model: name one by # model: FILE at the top");
    const answer = await ask<Answer>("inev: explain", "inev/explain", target);
    pages.show(answer, uriFor(target.path));
  });
  guarded("inev.askModel", async (uri?: vscode.Uri) => {
    const model = uri ?? openFile();
    if (!model) throw new Error("open a model, or choose one in the explorer");
    const specified = model.path.endsWith(".tla");
    const formula = await vscode.window.showInputBox({
      title: `A property of ${nameOf(model)}`,
      prompt: specified ? "A definition such as Served, or an expression; nothing: the properties of the configuration" : "Inev(A, B), Response(A; B), G (A -> F B), …",
      value: specified ? "" : "DeadlockFree", ignoreFocusOut: true,
    });
    if (formula === undefined || (formula === "" && !specified)) return;
    const answer = await ask<Answer>("inev: check", "inev/ask", { path: pathFor(model), formula, page: true });
    pages.show(answer, model);
  });
  guarded("inev.picture", async (uri?: vscode.Uri) => {
    const model = uri ?? openFile();
    if (!model) throw new Error("open a model, or choose one in the explorer");
    const answer = await ask<Answer>("inev: draw", "inev/ask", { path: pathFor(model), formula: "", picture: true });
    pages.draw(answer, model);
  });
  guarded("inev.explainCounterexample", async (uri?: vscode.Uri) => {
    const file = uri ?? openFile();
    if (!file) throw new Error("open a counterexample, or choose one in the explorer");
    if (!host.explain || file.scheme !== "file") throw new Error("counterexamples in files are explained by the command inev, which this editor cannot run");
    if (!vscode.workspace.isTrusted) throw new Error("this workspace is not trusted, so that no program is run");
    const model = await modelNextTo(file);
    if (!model) return;
    const formula = await vscode.window.showInputBox({ title: "The property that it violates", prompt: "Inev(A, B), G (A -> F B), …", ignoreFocusOut: true });
    if (!formula) return;
    const folder = vscode.Uri.joinPath(file, "..");
    const isNext = vscode.Uri.joinPath(folder, nameOf(model)).toString() === model.toString() && !nameOf(model).startsWith("-");
    const page = await host.explain(["explain", isNext ? nameOf(model) : model.fsPath, formula, "--counterexample", file.fsPath], folder.fsPath);
    pages.showPage(page, nameOf(file));
  });
  context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(() => void running.sendNotification("inev/trusted")));
  host.also?.(context);
  await running.start();
}

/** The file in front; those that are no text for the editor, such as large ones, have no text editor. */
function openFile(): vscode.Uri | undefined {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return vscode.window.activeTextEditor?.document.uri ?? (input instanceof vscode.TabInputText ? input.uri : undefined);
}

function nameOf(uri: vscode.Uri): string {
  return uri.path.split("/").pop() ?? "";
}

/** Asks which model a counterexample is one of: those in its folder are offered. */
async function modelNextTo(file: vscode.Uri): Promise<vscode.Uri | undefined> {
  const folder = vscode.Uri.joinPath(file, "..");
  const models = (await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name).filter((name) => /\.(aut|exp|lts|fsm|dot|dump|clts|autx)(\.(gz|zst|bz2))?$/.test(name));
  const other = "Another file…";
  const title = `The model of ${nameOf(file)}`;
  const chosen = models.length > 0 ? await vscode.window.showQuickPick([...models.sort(), other], { title, ignoreFocusOut: true }) : other;
  if (chosen !== other) return chosen === undefined ? undefined : vscode.Uri.joinPath(folder, chosen);
  return (await vscode.window.showOpenDialog({ title, canSelectMany: false, defaultUri: folder }))?.[0];
}
