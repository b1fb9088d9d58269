// The extension in an editor that is a page, such as vscode.dev.

import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/browser";

import type { Port } from "./engine.js";
import { activate as begin, type Host } from "./extension.js";
import type { FromWorker } from "./messages.js";

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
  native: () => Promise.resolve(null),
  client: (transports, options) => new LanguageClient("inev", "inev", options, transports as never),
};

export const activate = (context: vscode.ExtensionContext): Promise<void> => begin(context, host);
