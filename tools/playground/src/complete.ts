// Labels of the model, offered where one is being written.

const plain = /^[\p{L}\p{N}_.]+(\([^()]*\))?$/u;
const offered = 8;

/** What is said about labels that are offered. */
const sentence = (n: number): string => (n === 0 ? "" : `${n} ${n === 1 ? "label" : "labels"} offered; the arrow keys choose one`);

export class Completion {
  private labels: string[] = [];
  private shown: string[] = [];
  private at = -1;
  /** Whether Enter asks or takes a label, and does not begin a line. */
  private plainEnter = false;

  constructor(
    private readonly field: HTMLTextAreaElement,
    private readonly list: HTMLElement,
    /** Says how many labels are offered: a field of several lines is no combobox, so that screen readers say nothing themselves. */
    private readonly said: HTMLElement,
    /** What the names of the options begin with. */
    private readonly prefix: string,
  ) {
    field.addEventListener("input", () => this.offer());
    field.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    field.addEventListener("keydown", (event) => {
      this.plainEnter = event.key === "Enter" && !event.shiftKey;
      this.pressed(event);
    });
    field.addEventListener("beforeinput", (event) => {
      if (event.inputType === "insertLineBreak" && this.plainEnter) event.preventDefault();
    });
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option) this.take(Number(option.dataset["at"]));
    });
  }

  use(labels: string[]): void {
    this.labels = labels;
    this.close();
  }

  /** The text of a label as a formula has it. */
  static quoted(label: string): string {
    return plain.test(label) ? label : `"${label.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  }

  private begun(): { from: number; text: string } {
    const before = this.field.value.slice(0, this.field.selectionStart);
    const quotes = [...before.matchAll(/"/g)];
    const open = quotes.length % 2 === 1 ? (quotes.at(-1)?.index ?? 0) : -1;
    const from = open >= 0 ? open : before.length - (/[\p{L}\p{N}_.]*$/u.exec(before)?.[0].length ?? 0);
    return { from, text: before.slice(open >= 0 ? from + 1 : from) };
  }

  private offer(): void {
    const { text } = this.begun();
    const wanted = text.toLowerCase();
    const fit = wanted === "" ? [] : this.labels.filter((l) => l.toLowerCase().includes(wanted) && l !== text);
    const first = (l: string): number => (l.toLowerCase().startsWith(wanted) ? 0 : 1);
    this.shown = fit.sort((a, b) => first(a) - first(b)).slice(0, offered);
    this.at = -1;
    this.list.replaceChildren(
      ...this.shown.map((label, i) => {
        const option = document.createElement("li");
        option.setAttribute("role", "option");
        option.id = `${this.prefix}label-${i}`;
        option.dataset["at"] = String(i);
        option.setAttribute("aria-selected", "false");
        option.textContent = label;
        return option;
      }),
    );
    this.list.hidden = this.shown.length === 0;
    this.said.textContent = sentence(this.shown.length);
    this.field.removeAttribute("aria-activedescendant");
  }

  private pressed(event: KeyboardEvent): void {
    if (this.list.hidden) return;
    if (event.key === "Escape") this.close();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const n = this.shown.length;
      this.at = event.key === "ArrowDown" ? (this.at + 1) % n : (this.at + n - (this.at < 0 ? 0 : 1)) % n;
      [...this.list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === this.at)));
      this.field.setAttribute("aria-activedescendant", `${this.prefix}label-${this.at}`);
      this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter" && this.at >= 0) this.take(this.at);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  private take(i: number): void {
    const label = this.shown[i];
    if (label === undefined) return;
    const { from } = this.begun();
    const { value, selectionStart } = this.field;
    const quoted = Completion.quoted(label);
    this.field.value = value.slice(0, from) + quoted + value.slice(selectionStart);
    this.field.setSelectionRange(from + quoted.length, from + quoted.length);
    this.field.focus();
    this.close();
  }

  private close(): void {
    this.list.hidden = true;
    this.said.textContent = "";
    this.field.removeAttribute("aria-activedescendant");
  }
}
