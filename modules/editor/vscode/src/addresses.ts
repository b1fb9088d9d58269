// Paths of the engine are those of files, or name where else a file is.

import * as vscode from "vscode";

/** The path of a file for the engine. */
export function pathOf(uri: vscode.Uri): string {
  return uri.scheme === "file" ? uri.path : `/~${uri.scheme}/${encodeURIComponent(uri.authority)}${uri.path}`;
}

/** The file that a path means; undefined if it means none: a text that anybody has written may name it. */
export function uriOf(path: string): vscode.Uri | undefined {
  if (!path.startsWith("/") || /^\/[\\/]/.test(path)) return undefined; // another host, on Windows also after a backslash
  try {
    if (!path.startsWith("/~")) return vscode.Uri.from({ scheme: "file", path });
    const other = /^\/~([a-z][a-z0-9+.-]*)\/([^/]*)(\/.*)?$/is.exec(path);
    if (!other) return undefined;
    const [, scheme = "", first = "", rest] = other;
    if (rest !== undefined && /^\/[\\/]/.test(rest)) return undefined;
    if (rest === undefined) return vscode.Uri.from({ scheme, path: first }); // untitled:Untitled-1
    return vscode.Uri.from({ scheme, authority: decodeURIComponent(first), path: rest });
  } catch {
    return undefined;
  }
}

/** Whether the engine may read a file: on this machine, or where the workspace is. */
export function isReadable(uri: vscode.Uri): boolean {
  if (uri.scheme === "file") return uri.authority === "";
  return (vscode.workspace.workspaceFolders ?? []).some(({ uri: folder }) => folder.scheme === uri.scheme && folder.authority === uri.authority);
}

/** The file that a path means, which may be read. */
export function readableUriOf(path: string): vscode.Uri {
  const uri = uriOf(path);
  if (!uri || !isReadable(uri)) throw new Error(`${JSON.stringify(path)} is no file of this workspace`);
  return uri;
}
