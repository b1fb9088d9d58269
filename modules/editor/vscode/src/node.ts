// The extension in an editor on a machine.

import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import * as vscode from "vscode";
import { LanguageClient, type ServerOptions } from "vscode-languageclient/node";

import type { Port } from "./engine.js";
import { activate as begin, type Host } from "./extension.js";
import type { FromWorker } from "./messages.js";

/** Whether a program is there: it says its version. */
function answers(program: string): Promise<boolean> {
  return new Promise((done) => execFile(program, ["-version"], { timeout: 10_000 }, (error) => done(!error)));
}

const host: Host = {
  start: (context) => {
    const worker = new Worker(vscode.Uri.joinPath(context.extensionUri, "dist", "worker.js").fsPath);
    const port: Port = {
      post: (message) => worker.postMessage(message),
      listen: (take, broken) => {
        worker.on("message", (message: FromWorker) => take(message));
        worker.on("error", (error) => broken(String(error)));
      },
      end: () => void worker.terminate(),
    };
    return Promise.resolve(port);
  },
  native: async (options) => {
    const program = vscode.workspace.getConfiguration("inev").get<string>("server", "inev-ls");
    if (program === "") return "the setting inev.server is empty";
    if (!vscode.workspace.isTrusted) return "the workspace is not trusted";
    if (!(await answers(program))) return `${program} cannot be run`;
    const seconds = vscode.workspace.getConfiguration("inev").get("timeout", 60);
    return new LanguageClient("inev", "inev", { command: program, args: ["-timeout", `${seconds}s`] }, options);
  },
  client: (transports, options) => new LanguageClient("inev", "inev", transports as ServerOptions, options),
  explain: async (words, folder) => {
    const program = vscode.workspace.getConfiguration("inev").get("command", "inev");
    const scratch = await mkdtemp(join(tmpdir(), "inev-"));
    const page = join(scratch, "page.html");
    try {
      const said = await new Promise<string>((done, fail) => {
        const child = spawn(program, [...words, "--html", page, "--quiet"], { cwd: folder });
        let text = "";
        child.stderr.on("data", (data) => (text += String(data)));
        child.on("error", () => fail(new Error(`${program} cannot be run: install inev, or name it by the setting inev.command`)));
        child.on("close", (code) => (code === 0 || code === 1 ? done(text) : fail(new Error(text.trim()))));
      });
      return await readFile(page, "utf8").catch(() => {
        throw new Error(said.trim() || "there is no page");
      });
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
  also: (context) => {
    const lm = vscode.lm as unknown as { registerMcpServerDefinitionProvider?: (id: string, provider: object) => vscode.Disposable };
    const definition = (vscode as unknown as { McpStdioServerDefinition?: new (label: string, command: string, args: string[]) => object }).McpStdioServerDefinition;
    if (!lm?.registerMcpServerDefinitionProvider || !definition) return;
    const provider = {
      provideMcpServerDefinitions: async () => {
        if (!vscode.workspace.isTrusted || !(await new Promise<boolean>((done) => execFile("inev-mcp", ["-help"], { timeout: 10_000 }, (error) => done(!error))))) return [];
        const roots = (vscode.workspace.workspaceFolders ?? []).flatMap((folder) => ["-root", folder.uri.fsPath]);
        return [new definition("inev", "inev-mcp", roots)];
      },
    };
    try {
      context.subscriptions.push(lm.registerMcpServerDefinitionProvider("inev.mcp", provider));
    } catch {
      // Up to 1.100, VS Code has the function as a proposal, which throws. The rest of the extension needs no agents.
    }
  },
};

export const activate = (context: vscode.ExtensionContext): Promise<void> => begin(context, host);
