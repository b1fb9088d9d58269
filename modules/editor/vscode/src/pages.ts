// Pages of explanations beside the source.

import * as vscode from "vscode";

export interface Place {
  file: string;
  line: number;
}

export interface Answer {
  result: {
    status: string;
    error?: string;
    job: { model: string; path: string; formula: string };
    packed?: boolean;
    counterexample?: { lines?: number[]; decisions?: { step: number; line?: number; source?: Place }[] };
  };
  page?: string;
  picture?: string;
  not_drawn?: string;
}

/** What follows the walk of a page: it says which step is shown. Everything else stays as the page allows it. */
const follower = `(() => {
  const editor = acquireVsCodeApi();
  let last = "";
  const look = () => {
    const position = document.querySelector('[aria-selected="true"][data-position]')?.dataset.position;
    if (position && position !== last) { if (last !== "") editor.postMessage({ position: Number(position) }); last = position; }
  };
  const theme = () => { document.documentElement.dataset.theme = /vscode-(dark|high-contrast(?!-light))/.test(document.body.className) ? "dark" : "light"; };
  new MutationObserver(theme).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  theme();
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-selected"] });
  look();
})();`;

/** The largest file that is opened to show a line of. */
const mostBytes = 5_000_000;

export class Pages {
  private readonly open = new Map<string, vscode.WebviewPanel>();

  constructor(private readonly context: vscode.ExtensionContext) {}

  show(answer: Answer, model: vscode.Uri): void {
    const { result } = answer;
    if (!answer.page) throw new Error(result.error ?? "there is no page");
    const title = `${result.job.model}: ${result.job.formula}`;
    const panel = this.showPage(answer.page, title);
    panel.webview.onDidReceiveMessage(async ({ position }: { position: number }) => {
      const place = this.placeOf(answer, model, position);
      if (place) await this.reveal(place.uri, place.line);
    });
  }

  showPage(page: string, title: string): vscode.WebviewPanel {
    let panel = this.open.get(title);
    if (!panel) {
      panel = vscode.window.createWebviewPanel("inev.page", title, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false }, { enableScripts: true, retainContextWhenHidden: true });
      this.open.set(title, panel);
      panel.onDidDispose(() => this.open.delete(title), undefined, this.context.subscriptions);
    }
    const nonce = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16)).join("");
    panel.webview.html = page
      .replace("script-src ", `script-src 'nonce-${nonce}' `)
      .replace(/<\/body>/, `<script nonce="${nonce}">${follower}</script></body>`);
    panel.reveal(undefined, false);
    return panel;
  }

  draw(answer: Answer, model: vscode.Uri): void {
    if (!answer.picture) throw new Error(answer.not_drawn ?? answer.result.error ?? "there is no picture");
    const title = model.path.split("/").pop() ?? "model";
    const panel = vscode.window.createWebviewPanel("inev.picture", title, vscode.ViewColumn.Beside, {});
    const data = btoa(String.fromCharCode(...new TextEncoder().encode(answer.picture)));
    panel.webview.html = `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><body style="background:#fff"><img alt="the model, coloured by whether runs can end" src="data:image/svg+xml;base64,${data}">`;
  }

  private placeOf(answer: Answer, model: vscode.Uri, step: number): { uri: vscode.Uri; line: number } | null {
    const run = answer.result.counterexample;
    const source = run?.decisions?.find((decision) => decision.step === step + 1)?.source;
    if (source) return { uri: vscode.Uri.joinPath(model, "..", source.file), line: source.line };
    const line = answer.result.packed ? undefined : run?.lines?.[step];
    return line ? { uri: model, line } : null;
  }

  private async reveal(uri: vscode.Uri, line: number): Promise<void> {
    if ((await vscode.workspace.fs.stat(uri)).size > mostBytes) return;
    const range = new vscode.Range(line - 1, 0, line - 1, 1000);
    const column = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString())?.viewColumn ?? vscode.ViewColumn.One;
    await vscode.window.showTextDocument(uri, { viewColumn: column, preserveFocus: true, preview: true, selection: range });
  }
}
