// What is known of the values of states, where the model has a table of them: what a step
// changes, and the values of a state as trees.

import { find, make, printable, type Child } from "./elements.js";
import type { Run } from "./explanation.js";
import type { Explanation, Values } from "./schema.js";
import type { Walk } from "./walk.js";

/** The number of characters of values that stand beside a step. */
const shownValues = 60;

/** Changed components of one value that are told; of one more, none is left out. */
const shownChanges = 3;

type Value = Values[number];

/** Values in a few words, and what changes within one at its place. */
export function saidValues(values: Values): string {
  const said = printable(values.map(saidValue).join(", "));
  return said.length <= shownValues ? said : [...said].slice(0, shownValues - 1).join("") + "…";
}

function saidValue({ name, value, changes }: Value): string {
  if (!changes?.length) return `${name} = ${value}`;
  const said = saidChanges(name, changes);
  if (said.length > shownChanges + 1) {
    const more = said.length - shownChanges;
    said.splice(shownChanges, more, `${more} more changes of ${name}`);
  }
  return said.join(", ");
}

/** The changes of a value: one text for all that is added to one component, or removed from it. */
function saidChanges(name: string, changes: NonNullable<Value["changes"]>): string[] {
  const said: string[] = [];
  changes.forEach(({ path, before, after }, i) => {
    const last = changes[i - 1];
    const joins = last?.path === path;
    if (joins && before === undefined && last.before === undefined) said.push(`${said.pop() ?? ""}, ${after ?? ""}`);
    else if (joins && after === undefined && last.after === undefined) said.push(`${said.pop() ?? ""}, ${before ?? ""}`);
    else if (before === undefined) said.push(`${name}${path}: + ${after ?? ""}`);
    else said.push(after === undefined ? `${name}${path}: - ${before}` : `${name}${path}: ${before} → ${after}`);
  });
  return said;
}

/** The values that a step of the counterexample, from 1, changes; none where none are. */
export function valuesAfter(explanation: Explanation, number: number): string {
  return saidValues(explanation.values?.steps.find((s) => s.step === number)?.changed ?? []);
}

/** A value with its parts, each at the end of a path such as [1] or .type. */
interface Tree {
  text: string;
  parts: { path: string; name: string; tree: Tree }[];
}

const closers: Record<string, string> = { "<<": ">>", "{": "}", "[": "]", "(": ")" };

/** How deep values are taken apart; what lies deeper is a text. */
const deepest = 20;

/** Takes a value apart, as TLA+, mCRL2 and LTSmin write them. What cannot be is a leaf. */
export function readTree(text: string, depth = 0): Tree {
  const whole = text.trim();
  const leaf: Tree = { text: whole, parts: [] };
  const open = whole.startsWith("<<") ? "<<" : whole.slice(0, 1);
  const close = closers[open];
  if (close === undefined || !whole.endsWith(close) || depth > deepest) return leaf;
  const inner = whole.slice(open.length, -close.length);
  const items = divided(inner, open === "(" ? "@@" : ",");
  if (items === null || items.length === 0) return leaf;
  const first = open === "<<" ? 1 : 0;
  const parts = items.map((item, i) => {
    const [key, value] = halves(item, open === "(" ? ":>" : "|->");
    if (value === null || (open !== "(" && open !== "[")) return { path: `[${i + first}]`, name: open === "{" ? "" : `[${i + first}]`, tree: readTree(item, depth + 1) };
    const name = open === "(" ? `[${key}]` : `.${key}`;
    // A function from texts is a record: a change is told at its field.
    const field = /^"([A-Za-z_]\w*)"$/.exec(key)?.[1];
    return { path: field === undefined ? name : `.${field}`, name, tree: readTree(value, depth + 1) };
  });
  if (open === "(" && parts.length === 1 && halves(items[0] ?? "", ":>")[1] === null) return leaf;
  return { text: whole, parts };
}

/** Divides a text at a sign that stands outside of all brackets and quotes; null where
 * brackets do not match. */
function divided(text: string, sign: string): string[] | null {
  const items: string[] = [];
  let [depth, start, quoted] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    if (quoted) {
      if (c === "\\") i++;
      else quoted = c !== '"';
      continue;
    }
    if (c === '"') quoted = true;
    else if ("{[(".includes(c) || text.startsWith("<<", i)) {
      depth++;
      if (c === "<") i++;
    } else if ("}])".includes(c) || (text.startsWith(">>", i) && text[i - 1] !== ":")) {
      if (--depth < 0) return null;
      if (c === ">") i++;
    } else if (depth === 0 && text.startsWith(sign, i)) {
      items.push(text.slice(start, i));
      start = i + sign.length;
      i = start - 1;
    }
  }
  if (depth !== 0 || quoted) return null;
  if (text.slice(start).trim() !== "" || items.length > 0) items.push(text.slice(start));
  return items;
}

/** A key and what it stands for. */
function halves(item: string, sign: string): [key: string, value: string | null] {
  const parts = divided(item, sign);
  if (parts?.length !== 2) return [item.trim(), null];
  return [(parts[0] ?? "").trim(), parts[1] ?? ""];
}

/** Members of a value that are shown before the rest is counted. */
const shownParts = 200;

/** The values of the state at hand as trees, what the last step changed marked. */
export class ValueTree {
  private readonly unfolded = new Set<string>();

  constructor(
    private readonly box: HTMLElement,
    private readonly explanation: Explanation,
    private readonly run: Run,
    private readonly walk: Walk,
  ) {
    box.hidden = false;
    walk.listen(() => this.show());
    this.show();
  }

  private show(): void {
    const position = this.walk.position;
    const values = new Map<string, string>();
    const changed = new Map<string, Value>();
    for (const v of this.explanation.values?.initial ?? []) values.set(v.name, v.value);
    for (const step of this.explanation.values?.steps ?? []) {
      if (step.step > position) break;
      for (const v of step.changed) {
        values.set(v.name, v.value);
        if (step.step === position) changed.set(v.name, v);
      }
    }
    const state = position === 0 ? this.explanation.model.initial : this.run.steps[position - 1]?.to;
    const head = find("values-head");
    if (head) head.textContent = `Values in state ${state ?? ""}`;
    const rows = [...values].map(([name, value]) => this.row(name, name, readTree(value), changed.get(name)));
    this.box.querySelector("ul")?.replaceChildren(...rows);
  }

  /** A value, at a path from its parameter. */
  private row(path: string, name: string, tree: Tree, change: Value | undefined, inParameter = ""): HTMLElement {
    const here = change?.changes?.filter((c) => c.path === inParameter) ?? [];
    const within = change !== undefined && (!change.changes?.length || change.changes.some((c) => c.path.startsWith(inParameter)));
    const marked = here.length > 0 || (change !== undefined && !change.changes?.length && inParameter === "");
    const words: Child[] = [name !== "" && make("span", { class: "value-name" }, printable(name)), name !== "" && " = ", make("code", {}, printable(tree.text))];
    for (const { before, after } of here) {
      if (before !== undefined) words.push(" ", make("span", { class: "value-was" }, after === undefined ? `without ${printable(before)}` : `was ${printable(before)}`));
      else if (after !== undefined) words.push(" ", make("span", { class: "value-was" }, `new: ${printable(after)}`));
    }
    const row = make("li", marked ? { class: "value-changed" } : {});
    if (marked) words.unshift(make("span", { class: "value-mark", "aria-hidden": "true" }, "● "), make("span", { class: "hidden" }, "changed: "));
    if (tree.parts.length === 0) {
      row.append(...words.filter((w): w is Node | string => Boolean(w)));
      return row;
    }
    const details = make("details", {}, make("summary", {}, ...words));
    const unfold = (): void => {
      if (details.querySelector("ul")) return;
      const parts = tree.parts.slice(0, shownParts).map((p) => this.row(path + p.path, p.name, p.tree, change, inParameter + p.path));
      if (tree.parts.length > shownParts) parts.push(make("li", {}, `… ${tree.parts.length - shownParts} more`));
      details.append(make("ul", {}, ...parts));
    };
    details.addEventListener("toggle", () => {
      if (details.open) {
        this.unfolded.add(path);
        unfold();
      } else this.unfolded.delete(path);
    });
    if (this.unfolded.has(path) || (within && change?.changes?.length)) {
      unfold();
      details.open = true;
    }
    row.append(details);
    return row;
  }
}
