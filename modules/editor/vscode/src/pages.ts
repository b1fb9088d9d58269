// Pages of explanations beside the source.

import * as vscode from "vscode";

/** A line of a file that is shown next to a page. */
interface Place {
  uri: vscode.Uri;
  line: number;
}

export interface Answer {
  result: {
    status: string;
    error?: string;
    job: { model: string; path: string; formula: string };
    packed?: boolean;
    counterexample?: { lines?: number[] };
  };
  /** Where the action of each step stands in the specification. */
  places?: ({ file: string; line: number } | null)[];
  notes?: string[];
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
  document.getElementById("_defaultStyles")?.remove(); // the page has its own
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["aria-selected"] });
  look();
})();`;

/** The largest file that is opened to show a line of. */
const mostBytes = 5_000_000;

export class Pages {
  private readonly open = new Map<string, { panel: vscode.WebviewPanel; placeOf: (step: number) => Place | null }>();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly uriOf: (path: string) => vscode.Uri,
  ) {}

  show(answer: Answer, model: vscode.Uri): void {
    const { result } = answer;
    if (!answer.page) throw new Error(result.error ?? "there is no page");
    this.showPage(answer.page, `${result.job.model}: ${result.job.formula}`, (step) => this.placeOf(answer, model, step));
    if (answer.notes?.length) void vscode.window.showInformationMessage(`${result.job.model}: ${answer.notes.join("; ")}`);
  }

  showPage(page: string, title: string, placeOf: (step: number) => Place | null = () => null): void {
    let shown = this.open.get(title);
    if (!shown) {
      const panel = vscode.window.createWebviewPanel("inev.page", title, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false }, { enableScripts: true, retainContextWhenHidden: true });
      const made = { panel, placeOf };
      this.open.set(title, made);
      panel.onDidDispose(() => this.open.delete(title), undefined, this.context.subscriptions);
      panel.webview.onDidReceiveMessage(async ({ position }: { position: number }) => {
        const place = made.placeOf(position);
        if (place) await this.reveal(place);
      });
      shown = made;
    }
    shown.placeOf = placeOf;
    const nonce = [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16)).join("");
    shown.panel.webview.html = page
      .replace("script-src ", `script-src 'nonce-${nonce}' `)
      .replace(/<\/body>/, `<script nonce="${nonce}">${follower}</script></body>`);
    shown.panel.reveal(undefined, false);
  }

  draw(answer: Answer, model: vscode.Uri): void {
    if (!answer.picture) throw new Error(answer.not_drawn ?? answer.result.error ?? "there is no picture");
    const name = model.path.split("/").pop() ?? "model";
    const panel = vscode.window.createWebviewPanel("inev.picture", `Drawing of ${name}`, vscode.ViewColumn.Beside, {});
    const sizes = [["fit", "fit"], ["whole", "100 %"], ["double", "200 %"], ["large", "400 %"]];
    const style = `body{background:var(--vscode-editor-background);color:var(--vscode-editor-foreground);padding:0 8px}
.bar{position:sticky;top:0;left:0;display:flex;gap:12px;background:inherit;min-height:28px;align-items:center;z-index:1}.bar label{min-height:24px;display:flex;align-items:center}
img{display:block;max-width:100%}:has(#whole:checked,#double:checked,#large:checked)>img{max-width:none}:has(#double:checked)>img{zoom:2}:has(#large:checked)>img{zoom:4}
body.vscode-dark img,body.vscode-high-contrast:not(.vscode-high-contrast-light) img{filter:invert(.9) hue-rotate(180deg)}`;
    const bar = sizes.map(([id, text]) => `<label><input type="radio" name="size" id="${id}"${id === "fit" ? " checked" : ""}> ${text}</label>`).join("");
    panel.webview.html = `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><style>${style}</style><body><div class="bar" role="radiogroup" aria-label="size">${bar}</div><img alt="the states and transitions of the model" src="data:image/svg+xml;charset=utf-8,${encodeURIComponent(answer.picture)}">`;
  }

  /** Where a step stands; steps are counted from 1, as the page does. */
  private placeOf(answer: Answer, model: vscode.Uri, step: number): Place | null {
    const source = answer.places?.[step - 1];
    if (source) return { uri: this.uriOf(source.file), line: source.line };
    const line = answer.result.packed ? undefined : answer.result.counterexample?.lines?.[step - 1];
    return line ? { uri: model, line } : null;
  }

  private async reveal({ uri, line }: Place): Promise<void> {
    if ((await vscode.workspace.fs.stat(uri)).size > mostBytes) return;
    const range = new vscode.Range(line - 1, 0, line - 1, 1000);
    const column = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString())?.viewColumn ?? vscode.ViewColumn.One;
    await vscode.window.showTextDocument(uri, { viewColumn: column, preserveFocus: true, preview: true, selection: range });
  }
}
