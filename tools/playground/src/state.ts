// What is asked, as the fragment of the address has it: a link is a report of a bug. What is
// behind # is sent to no server.

import { unzip, zip } from "./engine.js";

/** How many bytes of a model, compressed, go into a link. */
const most = 30_000;

export interface Question {
  formula: string;
  fair: string;
  full: boolean;
  view: string;
  action: string;
}

export interface Model {
  name: string;
  data: Uint8Array<ArrayBuffer>;
  /** The example that it is, "" for a reader's own. */
  example: string;
}

function toText(data: Uint8Array): string {
  let text = "";
  for (const byte of data) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromText(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, (c) => c.charCodeAt(0));
}

/** A name under which a model can be a file in a folder, and stand in a command line. */
export function fileName(text: string): string {
  const name = text.replaceAll(/[/\\\p{Cc}]/gu, "_").replace(/^[-.]+/, "_").slice(0, 200);
  return name === "" ? "model.aut" : name;
}

/** The fragment; carries tells whether it has the model. */
export async function written(model: Model, q: Question): Promise<{ fragment: string; carries: boolean }> {
  const words = new URLSearchParams();
  let carries = true;
  if (model.example !== "") words.set("example", model.example);
  else {
    words.set("name", model.name);
    const data = model.data.length > 100 * most ? null : await zip(model.data);
    carries = data !== null && data.length <= most;
    if (data && carries) words.set("model", toText(data));
  }
  words.set("formula", q.formula);
  if (q.fair !== "") words.set("fair", q.fair);
  if (q.full) words.set("full", "1");
  if (q.view !== "text") words.set("view", q.view);
  if (q.action !== "") words.set("not", q.action);
  return { fragment: `#${words}`, carries };
}

export interface Link extends Question {
  example: string;
  model: Model | null;
  /** The name of a model that the link does not carry. */
  missing: string;
}

/** What a fragment asks for; null if it asks for nothing. */
export async function read(fragment: string): Promise<Link | null> {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const name = fileName(words.get("name") ?? "");
  const packed = words.get("model");
  if (!words.has("formula") && !words.has("example") && packed === null) return null;
  let model: Model | null = null;
  if (packed !== null && packed.length <= 2 * most) {
    try {
      model = { name, data: new Uint8Array(await unzip(fromText(packed))), example: "" };
    } catch {
      throw new Error("The model in this link is damaged: the link may have been cut.");
    }
  }
  return {
    formula: words.get("formula") ?? "", fair: words.get("fair") ?? "", full: words.get("full") === "1",
    view: words.get("view") ?? "text", action: words.get("not") ?? "",
    example: words.get("example") ?? "", model, missing: model === null && words.has("name") ? name : "",
  };
}
