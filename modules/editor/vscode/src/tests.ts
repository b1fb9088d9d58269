// Each question of a document is a test: it fails with the diagnosis, at the formula.

import * as vscode from "vscode";

export interface Verdicts {
  uri: string;
  version: number;
  items: Verdict[];
}

interface Verdict {
  formula: string;
  model: string;
  path: string;
  line: number;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
  status: string;
  passes: boolean;
  message?: string;
  ms?: number;
  /** The violating run. */
  output?: string;
}

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("inev", "inev");
  private readonly known = new Map<string, Verdicts>();
  private readonly waiting = new Set<() => void>();

  constructor(private readonly uriOf: (text: string) => vscode.Uri) {
    this.controller.createRunProfile("Check", vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
    this.controller.resolveHandler = async (item) => {
      if (item) return;
      for (const uri of await vscode.workspace.findFiles("**/*.inev", "**/node_modules/**", 200)) this.file(uri);
    };
  }

  dispose(): void {
    this.controller.dispose();
  }

  /** Shows what the server knows of a document. */
  show(verdicts: Verdicts): void {
    const uri = this.uriOf(verdicts.uri);
    if (verdicts.items.length === 0) this.known.delete(verdicts.uri);
    else this.known.set(verdicts.uri, verdicts);
    const file = this.file(uri);
    const asked = new Map<string, number>(); // the same question may stand in a file twice
    const items = verdicts.items.map((verdict) => {
      const question = `${verdict.formula} on ${verdict.path}`;
      asked.set(question, (asked.get(question) ?? 0) + 1);
      const id = `${question}, ${asked.get(question)}`;
      const item = file.children.get(id) ?? this.controller.createTestItem(id, verdict.formula, uri); // which keeps what was reported
      item.description = verdict.model;
      item.range = new vscode.Range(verdict.range.start.line, verdict.range.start.character, verdict.range.end.line, verdict.range.end.character);
      return item;
    });
    if (verdicts.items.length > 0) file.children.replace(items);
    if (verdicts.items.length > 0 && settled(verdicts)) {
      const run = this.controller.createTestRun(new vscode.TestRunRequest([file]), "inev", false);
      verdicts.items.forEach((verdict, i) => this.report(run, items[i], verdict));
      run.end();
    }
    for (const look of this.waiting) look();
  }

  private report(run: vscode.TestRun, item: vscode.TestItem | undefined, verdict: Verdict): void {
    if (!item?.uri || !item.range) return;
    if (verdict.output) run.appendOutput(verdict.output.replaceAll("\n", "\r\n"), undefined, item);
    if (verdict.passes) return run.passed(item, verdict.ms);
    const message = new vscode.TestMessage(verdict.message ?? verdict.status);
    message.location = new vscode.Location(item.uri, item.range);
    if (verdict.status === "violated" || verdict.status === "satisfied") run.failed(item, message, verdict.ms);
    else run.errored(item, message, verdict.ms);
  }

  private file(uri: vscode.Uri): vscode.TestItem {
    const id = uri.toString();
    let item = this.controller.items.get(id);
    if (!item) {
      item = this.controller.createTestItem(id, vscode.workspace.asRelativePath(uri), uri);
      this.controller.items.add(item);
    }
    return item;
  }

  /** Opens the documents, and waits until their questions have answers. */
  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const files = new Map<string, vscode.Uri>();
    const wanted = request.include ?? [...this.controller.items].map(([, item]) => item);
    for (const item of wanted) if (item.uri) files.set(item.uri.toString(), item.uri);
    for (const uri of files.values()) {
      if (token.isCancellationRequested) return;
      await vscode.workspace.openTextDocument(uri);
      const at = [...this.known].find(([text]) => this.uriOf(text).toString() === uri.toString());
      if (at && settled(at[1])) this.show(at[1]);
      else await this.until(uri, token);
    }
  }

  private until(uri: vscode.Uri, token: vscode.CancellationToken): Promise<void> {
    return new Promise((done) => {
      const look = (): void => {
        const is = [...this.known].some(([text, verdicts]) => this.uriOf(text).toString() === uri.toString() && settled(verdicts));
        if (!is && !token.isCancellationRequested) return;
        this.waiting.delete(look);
        done();
      };
      this.waiting.add(look);
      token.onCancellationRequested(look);
      look();
    });
  }

  /** The question of the formula in which the cursor of an editor stands. */
  nearest(editor: vscode.TextEditor | undefined): { uri: string; line: number; path: string; name: string } | null {
    if (!editor) return null;
    for (const verdicts of this.known.values()) {
      if (this.uriOf(verdicts.uri).toString() !== editor.document.uri.toString()) continue;
      const line = editor.selection.active.line;
      const found = verdicts.items.find((v) => v.range.start.line <= line && line <= v.range.end.line) ?? verdicts.items[0];
      if (found) return { uri: verdicts.uri, line: found.line, path: found.path, name: "" };
    }
    return null;
  }
}

function settled(verdicts: Verdicts): boolean {
  return verdicts.items.every(({ status }) => status !== "pending" && status !== "unknown");
}
