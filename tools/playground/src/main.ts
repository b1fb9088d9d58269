// The playground: a model, a property, and every answer that inev has.

import { Completion } from "./complete.js";
import { Engine, nextToThePage, Stopped } from "./engine.js";
import { carriedModel, facts, insideThePage, prefix } from "./inside.js";
import type { Outcome } from "./messages.js";
import { fileName, read, written, type Model, type Question } from "./state.js";

/** What the script of the page around asks, see main.ts there. */
interface ToEngine {
  question: { of: string; state: string; q: string; label: string };
  take: (found: unknown) => void;
  fail: (error: unknown) => void;
}

interface Example {
  name: string;
  file: string;
  formula: string;
}

function find<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(prefix + id);
  if (!element) throw new Error(`there is no ${id}`);
  return element as T;
}

const [formula, fair, fairOf, full] = [find<HTMLTextAreaElement>("formula"), find<HTMLSelectElement>("fair"), find<HTMLInputElement>("fair-of"), find<HTMLInputElement>("full")];
const [example, file, action, kind] = [find<HTMLSelectElement>("example"), find<HTMLInputElement>("file"), find<HTMLSelectElement>("action"), find<HTMLSelectElement>("kind")];
const [text, drawn, page, pending] = [find("text"), find("drawn"), find<HTMLIFrameElement>("page"), find("pending")];
const [picture, size] = [find<HTMLImageElement>("picture"), find<HTMLButtonElement>("size")];
const [wrong, progress, info, stop, verdict] = [find("wrong"), find("progress"), find("info"), find<HTMLButtonElement>("stop"), find("verdict")];
const tabs = [...find("tabs").querySelectorAll<HTMLButtonElement>("[role=tab]")];

const kinds: { name: string; file: string; flag: string[] }[] = [
  { name: "text (.txt)", file: "explanation.txt", flag: ["--format", "text", "-o"] },
  { name: "Markdown (.md)", file: "explanation.md", flag: ["--format", "markdown", "-o"] },
  { name: "JSON", file: "explanation.json", flag: ["--quiet", "--json"] },
  { name: "page (.html)", file: "explanation.html", flag: ["--quiet", "--html"] },
  { name: "picture (.svg)", file: "explanation.svg", flag: ["--quiet", "--svg"] },
  { name: "Graphviz (.dot)", file: "explanation.dot", flag: ["--quiet", "--dot"] },
  { name: "counterexample (.seq)", file: "counterexample.seq", flag: ["--quiet", "--trace"] },
  { name: "certificate (.json)", file: "certificate.json", flag: ["--quiet", "--certificate"] },
];

let begun: Engine | null = null;
/** The engine, which is loaded when it is first asked for. */
const engine = (): Engine =>
  (begun ??= new Engine(facts ? insideThePage : nextToThePage, (doing, detail) => (progress.textContent = detail === "" ? doing : `${doing}, ${detail}`)));
const completion = new Completion(formula, find("labels"), find("offered"), prefix);
let examples: Example[] = [];
let model: Model | null = null;
let view = "text";
let addresses: string[] = [];
/** Fulfilled when it is known what the model is, so that its labels are offered. */
let described = Promise.resolve();
let endDescription = (): void => undefined;

const question = (): Question => ({
  formula: formula.value.trim(), fair: fair.value.endsWith(":") ? (fairOf.value.trim() === "" ? "" : fair.value + fairOf.value.trim()) : fair.value,
  full: full.checked, view, action: action.value,
});

/** A command of inev about the model and what is asked. */
function words(command: string, ...more: string[]): string[] {
  const q = question();
  const line = ["inev", command, model?.name ?? "", q.formula, ...more];
  return q.fair === "" ? line : [...line, "--fair", q.fair];
}

function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=+,@%-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

async function run(line: string[], wanted: string[] = []): Promise<Outcome> {
  if (!model) throw new Error("There is no model.");
  stop.disabled = false;
  const shown = setTimeout(() => (progress.textContent ||= "working"), 300);
  try {
    return await engine().run(line, [[model.name, model.data]], wanted);
  } finally {
    clearTimeout(shown);
    stop.disabled = true;
    progress.textContent = "";
  }
}

function fail(message: string): void {
  wrong.textContent = message;
  wrong.hidden = message === "";
  formula.setAttribute("aria-invalid", String(message !== ""));
}

function report(error: unknown): void {
  if (error instanceof Stopped) {
    progress.textContent = "Stopped.";
    if (pending.textContent === "Working.") pending.textContent = "Stopped: nothing is shown.";
  } else fail(error instanceof Error ? error.message : String(error));
}

/** Shows one thing in the panel. */
function show(what: HTMLElement): void {
  for (const e of [text, drawn, page, pending]) e.hidden = e !== what;
}

function address(data: Uint8Array | string, type: string): string {
  const made = URL.createObjectURL(new Blob([data as BlobPart], { type }));
  addresses.push(made);
  return made;
}

function forget(): void {
  for (const old of addresses) URL.revokeObjectURL(old);
  addresses = [];
}

let asked = 0;
let typing = 0;

/** Asks what is written, and shows the answer. */
async function ask(): Promise<void> {
  const turn = ++asked;
  clearTimeout(typing); // the answer says what is wrong, and of the labels, too
  find("why-not").hidden = view !== "why";
  if (facts) await wake();
  if (!model) return;
  void remember();
  pending.textContent = "Working.";
  verdict.hidden = true;
  show(pending);
  try {
    await answer(turn);
  } catch (error) {
    report(error);
  }
  if (turn === asked) document.documentElement.dataset["answered"] = String(turn);
}

async function answer(turn: number): Promise<void> {
  if (question().formula === "" && view !== "labels") {
    pending.textContent = "Write a property, such as Inev(REQ, ACK).";
    return;
  }
  if (view === "why") {
    await described;
    if (turn !== asked) return;
    if (action.options.length === 0) {
      if (wrong.hidden) pending.textContent = "The model has no label that could be asked about.";
      return;
    }
  }
  const { line, wanted } = commandOf(view);
  const out = await run(line, wanted);
  if (turn !== asked) return;
  tellCommand(line);
  fail(out.code === 2 ? out.stderr.trimEnd() : "");
  if (out.code === 2) {
    pending.textContent = "There is no answer.";
    return;
  }
  forget();
  present(out, wanted);
  tellVerdict(out);
  if (!facts) void engine().prepare();
}

/** The command line of a view, and the files that it is to write. */
function commandOf(what: string): { line: string[]; wanted: string[] } {
  const more = full.checked ? ["--full"] : [];
  switch (what) {
    case "page":
      return { line: words("explain", ...more, "--quiet", "--html", "explanation.html"), wanted: ["explanation.html"] };
    case "picture":
      return { line: words("explain", ...more, "--quiet", "--svg", "explanation.svg"), wanted: ["explanation.svg"] };
    case "advice":
      return { line: words("repair"), wanted: [] };
    case "why":
      return { line: words("why", "--not", Completion.quoted(action.value)), wanted: [] };
    case "labels":
      return { line: ["inev", "labels", model?.name ?? ""], wanted: [] };
  }
  return { line: words("explain", ...more), wanted: [] };
}

function present(out: Outcome, wanted: string[]): void {
  const data = out.written.get(wanted[0] ?? "");
  if (data && view === "page") {
    page.src = address(data, "text/html");
    show(page);
  } else if (data && view === "picture") {
    picture.src = address(data, "image/svg+xml");
    picture.alt = `A picture of why ${model?.name ?? "the model"} ${out.code === 1 ? "violates" : "satisfies"} ${formula.value.trim()}; the text says the same.`;
    show(drawn);
  } else {
    text.textContent = out.stdout + (out.stderr === "" ? "" : `\n${out.stderr}`);
    show(text);
  }
}

function tellSize(): void {
  const frame = picture.parentElement;
  size.hidden = frame === null || (picture.naturalWidth <= frame.clientWidth && !drawn.classList.contains("enlarged"));
}

/** Shows the picture in its own size, to be scrolled, or as wide as there is room. */
function enlarge(isFull: boolean): void {
  drawn.classList.toggle("enlarged", isFull);
  size.setAttribute("aria-pressed", String(isFull));
}

/** Says the verdict below the question too, where the answer is out of sight on small screens. */
function tellVerdict(out: Outcome): void {
  const isText = view === "text";
  const sentence = isText ? (out.stdout.split("\n\n")[0] ?? "").replace(/\s+/g, " ").trim() : out.code === 1 ? "violated" : "satisfied";
  verdict.textContent = sentence.length > 300 ? `${sentence.slice(0, 299)}…` : sentence;
  verdict.hidden = sentence === "" || !(isText || view === "page" || view === "picture");
}

function tellCommand(line: string[]): void {
  find("command").textContent = line.map(shellWord).join(" ");
  find("command-row").hidden = false;
}

async function remember(): Promise<boolean> {
  if (!model || facts) return false;
  const { fragment, carries } = await written(model, question());
  if (fragment !== location.hash) history.replaceState(null, "", fragment);
  return carries;
}

/** Makes a model what is asked about. */
function put(next: Model): void {
  model = next;
  described = new Promise((resolve) => (endDescription = resolve));
  asked++;
  completion.use([]);
  example.value = next.example;
  find("model-name").textContent = next.name;
  info.hidden = true;
  fail("");
  find("command-row").hidden = true;
}

/** Says what a model is, and offers its labels. */
async function describe(next: Model): Promise<void> {
  const end = endDescription;
  try {
    const about = await run(["inev", "info", next.name]);
    if (model !== next) return;
    info.textContent = (about.code === 2 ? about.stderr : about.stdout).trimEnd();
    info.hidden = false;
    if (about.code === 2) {
      fail(about.stderr.trimEnd());
      pending.textContent = "This model cannot be read.";
      show(pending);
      return;
    }
    const listed = await run(["inev", "labels", next.name, "--format", "json"]);
    if (model !== next || listed.code !== 0) return;
    const { labels } = JSON.parse(listed.stdout) as { labels: { label: string }[] };
    const texts = labels.map((l) => l.label);
    completion.use(texts);
    const before = action.value;
    action.replaceChildren(...texts.slice(0, 5000).map((t) => new Option(t, t)));
    if (texts.includes(before)) action.value = before;
    if (!facts) find("version").textContent ||= (await run(["inev", "--version"])).stdout.replace(/^inev /, "").trim();
  } catch (error) {
    report(error);
  } finally {
    end();
    document.documentElement.dataset["described"] = next.name;
  }
}

async function takeExample(name: string): Promise<void> {
  const wanted = examples.find((e) => e.name === name);
  if (!wanted) throw new Error(`There is no example ${name}.`);
  const answer = await fetch(`examples/${wanted.file}`);
  if (!answer.ok) throw new Error(`The example ${name} cannot be loaded (${answer.status}).`);
  if (formula.value.trim() === "" || examples.some((e) => e.formula === formula.value)) formula.value = wanted.formula;
  await explainNow({ name: wanted.file.replace(/^.*\//, ""), data: new Uint8Array(await answer.arrayBuffer()), example: wanted.name });
}

/** Answers first and says what the model is then, so that the answer is soonest there. */
async function explainNow(next: Model): Promise<void> {
  put(next);
  await Promise.all([ask(), describe(next)]);
}

let carried: Promise<Model> | null = null;
let awake: Promise<void> | null = null;

/** Takes the model that the page carries, when the reader begins to ask. */
function wake(): Promise<void> {
  return (awake ??= (async () => {
    const found = await (carried ??= carriedModel());
    if (model) return;
    put(found);
    void describe(found);
  })());
}

async function takeFile(chosen: File): Promise<void> {
  if (chosen.size > 1_000_000_000) {
    fail(`${chosen.name} is too large for a browser; install inev and run it there: inev explain ${shellWord(chosen.name)} …`);
    return;
  }
  const data = new Uint8Array(await chosen.arrayBuffer());
  if (examples.some((e) => e.formula === formula.value)) formula.value = "";
  await explainNow({ name: fileName(chosen.name), data, example: "" });
}

function choose(next: string): void {
  view = tabs.some((t) => t.id === `${prefix}tab-${next}`) ? next : "text";
  for (const tab of tabs) {
    const is = tab.id === `${prefix}tab-${view}`;
    tab.setAttribute("aria-selected", String(is));
    tab.tabIndex = is ? 0 : -1;
  }
  find("panel").setAttribute("aria-labelledby", `${prefix}tab-${view}`);
}

async function save(): Promise<void> {
  const wanted = kinds.find((k) => k.file === kind.value);
  if (!wanted || !model) return;
  try {
    const line = words("explain", ...(full.checked ? ["--full"] : []), ...wanted.flag, wanted.file);
    const out = await run(line, [wanted.file]);
    const data = out.written.get(wanted.file);
    fail(data ? "" : out.stderr.trimEnd());
    if (!data) return;
    tellCommand(line);
    const link = document.createElement("a");
    link.href = address(data, "application/octet-stream");
    link.download = wanted.file;
    link.click();
  } catch (error) {
    report(error);
  }
}

async function copy(): Promise<void> {
  const carries = await remember();
  const said = find("copied");
  const beside = carries ? "" : " The model is too large for a link: send the file of the model along with the link.";
  try {
    await navigator.clipboard.writeText(location.href);
    said.textContent = `Copied.${beside}`;
  } catch {
    said.textContent = `Copy it from the address bar.${beside}`;
  }
}

/** Says what is wrong with the formula while it is written. */
function checkSoon(): void {
  clearTimeout(typing);
  typing = window.setTimeout(() => {
    const written = formula.value.trim();
    const before = asked;
    if (written === "" || !stop.disabled) return;
    engine().run(["inev", "formula", written], []).then(
      (out) => before === asked && written === formula.value.trim() && fail(out.code === 2 ? out.stderr.trimEnd() : ""),
      () => undefined,
    );
  }, 400);
}

/** Writes a pattern in place of the formula, which can be undone, and selects its first label. */
function write(pattern: string): void {
  formula.focus();
  formula.select();
  if (!document.execCommand("insertText", false, pattern)) formula.value = pattern;
  const at = pattern.search(/\bA\b/);
  if (at >= 0) formula.setSelectionRange(at, at + 1);
}

function showFairness(): void {
  find("fair-of-label").hidden = !fair.value.endsWith(":");
}

function setFairness(assumption: string): void {
  const [type, of] = assumption.includes(":") ? [`${assumption.split(":")[0]}:`, assumption.slice(assumption.indexOf(":") + 1)] : [assumption, ""];
  fair.value = type;
  fairOf.value = of;
  if (fair.selectedIndex < 0) fair.value = "";
  showFairness();
}

async function follow(): Promise<void> {
  try {
    const link = await read(location.hash);
    if (link) {
      formula.value = link.formula;
      setFairness(link.fair);
      full.checked = link.full;
      if (link.action !== "") {
        action.replaceChildren(new Option(link.action, link.action));
        action.value = link.action;
      }
      choose(link.view);
      if (link.missing !== "") {
        pending.textContent = `This link is about ${link.missing}, which it does not carry: drop that file above.`;
        show(pending);
        return;
      }
      await (link.model ? explainNow(link.model) : takeExample(link.example || "travel"));
    } else await takeExample("travel");
  } catch (error) {
    report(error);
  }
}

function listen(): void {
  find("ask-form").addEventListener("submit", (event) => {
    event.preventDefault();
    void ask();
  });
  formula.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.defaultPrevented) {
      event.preventDefault();
      void ask();
    }
  });
  formula.addEventListener("input", checkSoon);
  for (const button of find("ask-form").querySelectorAll<HTMLButtonElement>("[data-pattern]")) {
    button.addEventListener("click", () => write(button.dataset["pattern"] ?? ""));
  }
  stop.addEventListener("click", () => begun?.stop());
  example.addEventListener("change", () => void takeExample(example.value).catch(report));
  file.addEventListener("change", () => file.files?.[0] && void takeFile(file.files[0]).catch(report));
  fair.addEventListener("change", () => {
    showFairness();
    if (!fair.value.endsWith(":")) void ask();
  });
  fairOf.addEventListener("change", () => void ask());
  full.addEventListener("change", () => void ask());
  action.addEventListener("change", () => void ask());
  find("download").addEventListener("click", () => void save());
  find("copy").addEventListener("click", () => void copy());
  size.addEventListener("click", () => enlarge(!drawn.classList.contains("enlarged")));
  // Shrunk to a small screen, no label could be read.
  if (matchMedia("(max-width: 40rem)").matches) enlarge(true);
  // A picture that fits has one size: the button would do nothing.
  picture.addEventListener("load", tellSize);
  addEventListener("resize", tellSize);
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      choose(tab.id.slice((prefix + "tab-").length));
      void ask();
    });
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      event.stopPropagation(); // the page around has its own use for arrows
      const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
      next?.focus();
      next?.click();
    });
  }
  listenToDrops();
}

function listenToDrops(): void {
  const box = find("model");
  const where: HTMLElement | Window = facts ? box : window;
  where.addEventListener("dragover", (event) => {
    event.preventDefault();
    box.classList.add("over");
  });
  where.addEventListener("dragleave", () => box.classList.remove("over"));
  where.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("over");
    const dropped = (event as DragEvent).dataTransfer?.files[0];
    if (dropped) void takeFile(dropped).catch(report);
  });
}

/** Begins in a page that carries the engine: it is about its model, and sleeps until it is asked. */
function startInside(about: NonNullable<typeof facts>): void {
  for (const id of ["choose", "copy"]) find(id).hidden = true;
  formula.value = about.formula;
  setFairness(about.fair);
  find("model-name").textContent = about.name;
  pending.textContent = "Nothing is asked yet.";
  find("question").addEventListener("focusin", () => void wake().catch(report), { once: true });
  document.addEventListener("inev-ask", (event) => void lookUp(about, (event as CustomEvent<ToEngine>).detail));
}

/** Answers the page around about parts of its model that it does not show. */
async function lookUp(about: NonNullable<typeof facts>, { question: asked, take, fail: refuse }: ToEngine): Promise<void> {
  try {
    const { name, data } = await (carried ??= carriedModel());
    const line = ["inev", "walk", name, about.formula, `--question=${JSON.stringify(asked)}`, ...(about.fair === "" ? [] : ["--fair", about.fair])];
    const out = await engine().run(line, [[name, data]]);
    if (out.code === 0) take(JSON.parse(out.stdout));
    else refuse(new Error(out.stderr));
  } catch (error) {
    refuse(error);
  }
}

async function start(): Promise<void> {
  kind.replaceChildren(...kinds.map((k) => new Option(k.name, k.file)));
  listen();
  if (facts) {
    startInside(facts);
    return;
  }
  void engine();
  addEventListener("hashchange", () => void follow());
  const answer = await fetch("examples.json");
  examples = (await answer.json()) as Example[];
  example.replaceChildren(new Option("your own", ""), ...examples.map((e) => new Option(e.name, e.name)));
  document.documentElement.dataset["ready"] = "true";
  await follow();
}

void start().catch(report);
