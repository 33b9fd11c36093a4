// What a message holds beside what is shown of it: nothing of a message is hidden, though little of this is for every day.
// Pure.
import type { Message, Part } from "koine";

type Facts = Record<string, unknown>;

/** Facts of a message that are shown elsewhere, or are the ledger's own. */
const SHOWN = new Set([
  "schemaVersion",
  "runId",
  "responseId",
  "model",
  "provider",
  "finishReason",
  "interrupted",
  "invalidToolCalls",
  // The key under which the page said it.
  "page",
]);

/** By the names that they have in the message; undefined where all of it is shown. */
export function unseenOf({ role, name, extra, metadata, parts }: Message): Facts | undefined {
  const facts: Facts = {};
  // Of everybody else the name is shown as that of the speaker.
  if (name !== undefined && role === "assistant") facts["name"] = name;
  if (extra !== undefined) facts["extra"] = extra;
  const more = Object.entries(metadata ?? {}).filter(
    ([key]) => !SHOWN.has(key) && key !== "usage" && key !== "response",
  );
  // The id of an answer is its run's to tell.
  const response = without(metadata?.["response"], "id");
  if (response !== undefined) more.push(["response", response]);
  // Its raw words say the same counts again.
  const usage = pick(metadata?.usage, ["extra"]);
  if (usage !== undefined) more.push(["usage", usage]);
  if (more.length > 0) facts["metadata"] = Object.fromEntries(more);
  const told = parts.flatMap((part, index) => {
    const unseen = unseenOfPart(part);
    return unseen === undefined ? [] : [[`${index} ${part.type}`, unseen] as const];
  });
  if (told.length > 0) facts["parts"] = Object.fromEntries(told);
  return Object.keys(facts).length === 0 ? undefined : facts;
}

function unseenOfPart(part: Part): Facts | undefined {
  const names = ["extra", "cache"];
  // Thoughts and calls tell of their seals themselves.
  if (part.type !== "reasoning" && part.type !== "tool-call") names.push("seals");
  if (part.type === "tool-result") names.push("executor", "format", "tool");
  if (part.type !== "tool-call" && part.type !== "tool-result") names.push("issuer");
  const facts = pick(part, names) ?? {};
  const annotations = part.type === "text" ? (part.annotations ?? []) : [];
  const noted = annotations.map((each) => pick(each, ["source", "fileId", "seals", "extra"]));
  if (noted.some((each) => each !== undefined)) facts["annotations"] = noted.map((each) => each ?? {});
  return Object.keys(facts).length === 0 ? undefined : facts;
}

function without(from: unknown, name: string): Facts | undefined {
  if (typeof from !== "object" || from === null) return undefined;
  const rest = Object.entries(from).filter(([key]) => key !== name);
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

function pick(from: object | undefined, names: readonly string[]): Facts | undefined {
  const found = Object.entries(from ?? {}).filter(([name, value]) => names.includes(name) && isSaid(value));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function isSaid(value: unknown): boolean {
  if (value === undefined) return false;
  return !Array.isArray(value) || value.length > 0;
}
