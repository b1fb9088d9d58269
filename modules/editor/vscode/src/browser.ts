// The extension in an editor that is a page, such as vscode.dev.

import * as vscode from "vscode";
import { BaseLanguageClient, type LanguageClientOptions, type MessageTransports } from "vscode-languageclient/browser";

import type { Port } from "./engine.js";
import { activate as begin, type Host } from "./extension.js";
import type { FromWorker } from "./messages.js";

/** A client of the engine: the library's own only speaks to a worker that takes LSP as it is. */
class Client extends BaseLanguageClient {
  constructor(
    private readonly transports: () => Promise<MessageTransports>,
    options: LanguageClientOptions,
  ) {
    super("inev", "inev", options);
  }
  protected override createMessageTransports(): Promise<MessageTransports> {
    return this.transports();
  }
}

const host: Host = {
  start: async (context) => {
    const script = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, "dist", "worker.js"));
    const worker = new Worker(URL.createObjectURL(new Blob([script as Uint8Array<ArrayBuffer>], { type: "text/javascript" })));
    const port: Port = {
      post: (message) => worker.postMessage(message),
      listen: (take, broken) => {
        worker.onmessage = ({ data }: MessageEvent<FromWorker>) => take(data);
        worker.onerror = (event) => broken(event.message);
      },
      end: () => worker.terminate(),
    };
    return port;
  },
  native: () => Promise.resolve("no program can be run here"),
  client: (transports, options) => new Client(transports, options),
};

export const activate = (context: vscode.ExtensionContext): Promise<void> => begin(context, host);
