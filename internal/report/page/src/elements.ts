// Making and finding elements. The invariant: text becomes text. Nothing in this
// program parses HTML; every text of a model goes through `make`, which sets it
// as textContent or as the value of an attribute that is not interpreted.

export type Child = Node | string | null | undefined | false;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) if (child) element.append(child);
  return element;
}

/** The element with this id, null where the page does not have it. */
export function find<T extends Element = HTMLElement>(id: string): T | null {
  return document.getElementById(id) as unknown as T | null;
}

export function all<T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T[] {
  return [...within.querySelectorAll<T>(selector)];
}

/** Characters that hide, that move what is around them, or that are no text:
 * the counterpart of report.Printable. */
const hidden = /[^\P{C}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]|[\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\uffa0\ufff0-\ufff8]|(?! )\p{Zs}/gu;

/** The text as it can be shown anywhere: what hides is shown as \t or \u202e. */
export function printable(text: string): string {
  return text.replace(hidden, (c) => {
    const code = c.codePointAt(0) ?? 0;
    const named: Record<number, string> = { 9: "\\t", 10: "\\n", 13: "\\r" };
    if (code in named) return named[code] as string;
    if (code < 0x80) return "\\x" + code.toString(16).padStart(2, "0");
    if (code <= 0xffff) return "\\u" + code.toString(16).padStart(4, "0");
    return "\\U" + code.toString(16).padStart(8, "0");
  });
}

/** A printable text, cut where it is long: a label can have any length. */
export function brief(text: string, most = 160): string {
  if (text.length <= most) return printable(text);
  return printable([...text.slice(0, most)].slice(0, -1).join("")) + "…";
}

/** A label as code, in full where the pointer rests on it. */
export function label(text: string, most = 160): HTMLElement {
  const code = make("code", {}, text === "" ? "(empty label)" : brief(text, most));
  if (text.length > 24) code.title = brief(text, 2000);
  return code;
}

/** A sentence of inev, in which labels stand between two marks, as elements. */
export function sentence(text: string): Node[] {
  return text.split(/([\x02][^\x03]*[\x03])/).map((part) =>
    part.startsWith("\x02") ? make("code", {}, part.slice(1, -1)) : document.createTextNode(part),
  );
}

/** "1 step", "7 steps", with thin spaces between thousands. */
export function count(n: number, noun: string): string {
  return `${grouped(n)} ${noun}${n === 1 ? "" : "s"}`;
}

export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}
