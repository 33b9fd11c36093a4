// What was encoded without a loss decodes to the same. Only what a loss names may differ, and what a decoder fills in.
import type { Dialect, Encoded } from "../dialects/dialect.ts";
import { sameJson } from "../model/json/index.ts";
import type { Message } from "../model/message.ts";
import { pointerStep } from "../model/json/pointer.ts";
import { conversations } from "./conversations.ts";
import { isCovered } from "./coverage.ts";
import { demand } from "./demand.ts";
import { isWithin } from "./places.ts";
import { isInputText, isPart, isResidue } from "./positions.ts";
import { isPlainRecord } from "../model/value-kind.ts";

/** The first place that differs, with what is there now. */
interface Difference {
  path: string;
  was: unknown;
  is: unknown;
}
interface Sent {
  path: string;
  value: unknown;
}
/** Compares what was sent with what was read in its place. */
type Compare<T> = (sent: Sent, read: T | undefined) => Difference | undefined;

export function decodesToTheSame(dialect: Dialect, messages: readonly Message[]): void {
  messages.forEach((message, index) => comesBackSame(dialect, `Message ${index}`, [message]));
  comesBackSame(dialect, "The whole conversation", messages);
  for (const { name, messages: list } of conversations(dialect.id)) comesBackSame(dialect, `"${name}"`, list);
}

function comesBackSame(dialect: Dialect, what: string, messages: readonly Message[]): void {
  const encoded = dialect.encodeMessages(messages);
  const found = difference(messages, dialect.decodeMessages(encoded.wire), encoded);
  if (found === undefined) return;
  const { path, was, is } = found;
  demand(false, `${what} came back different at "${path}".`, "was:", was, "is:", is);
}

function difference(
  messages: readonly Message[],
  decoded: readonly Message[],
  encoded: Encoded,
): Difference | undefined {
  const all = messages.map((message, index) => partsOf(message, `/${index}`));
  // Split, merged, moved or dropped: who says what is compared, wherever a message ends.
  if (messages.some((_, index) => isRegrouped(encoded, `/${index}`))) {
    const voices = new Map(messages.map(({ role }, index) => [`/${index}`, role]));
    const said = decoded.flatMap(({ role, parts }) => parts.map((part) => ({ role, part })));
    return listDifference(all.flat(), said, encoded, "", ({ path, value }, read) => {
      const message = path.slice(0, path.indexOf("/", 1));
      const [was, is] = [voices.get(message), read?.role];
      if (was !== is && !isCovered(encoded, `${message}/role`)) return { path: `${message}/role`, was, is };
      return valueDifference(value, read?.part, encoded, path);
    });
  }
  if (messages.length !== decoded.length) return { path: "", was: messages, is: decoded };
  for (const [index, { role }] of messages.entries()) {
    const [path, is] = [`/${index}/role`, decoded[index]?.role];
    if (role !== is && !isCovered(encoded, path)) return { path, was: role, is };
    const found = valuesDifference(all[index] ?? [], decoded[index]?.parts ?? [], encoded, `/${index}/parts`);
    if (found) return found;
  }
  return undefined;
}

function partsOf({ parts }: Message, path: string): Sent[] {
  return parts.map((value, index) => ({ path: `${path}/parts/${index}`, value }));
}

function isRegrouped(encoded: Encoded, path: string): boolean {
  const isMoved = encoded.losses.some((loss) => loss.action === "moved" && loss.path === `${path}/role`);
  return isMoved || isCovered(encoded, `${path}/parts`);
}

/** Whether a value may be gone, or be another one: a loss names it, or a part of it is now said in another way. */
function isFree(encoded: Encoded, path: string): boolean {
  if (isCovered(encoded, path)) return true;
  if (!isPart(path)) return false;
  if (isCovered(encoded, `${path}/type`)) return true;
  return encoded.losses.some((loss) => ELSEWHERE.has(loss.action) && isWithin(loss.path, path));
}
const ELSEWHERE: ReadonlySet<string> = new Set(["moved", "approximated", "repaired"]);

/** Without a loss, as many as there were, each the same; with one, the others in their order. */
function listDifference<T>(
  sent: readonly Sent[],
  read: readonly T[],
  encoded: Encoded,
  path: string,
  compare: Compare<T>,
): Difference | undefined {
  const kept = sent.filter((each) => !isFree(encoded, each.path));
  const isWhole = kept.length === sent.length;
  if (isWhole && sent.length !== read.length) return { path, was: sent.map(({ value }) => value), is: read };
  let next = 0;
  for (const each of kept) {
    const first = compare(each, read[next]);
    const rest = isWhole ? [] : read.slice(next + 1);
    const skipped = first && rest.findIndex((value) => compare(each, value) === undefined);
    if (skipped === -1) return first;
    next += 1 + (skipped === undefined ? 0 : skipped + 1);
  }
  return undefined;
}

function valuesDifference(
  sent: readonly Sent[],
  read: readonly unknown[],
  encoded: Encoded,
  path: string,
): Difference | undefined {
  return listDifference(sent, read, encoded, path, (each, is) => valueDifference(each.value, is, encoded, each.path));
}

/** Whether a decoder may say something else at a field of a part. */
function isFilledIn(part: Record<string, unknown>, key: string, is: unknown, encoded: Encoded, path: string): boolean {
  if (part["type"] !== "tool-result") return false;
  // The name is that of the call, which may not be there.
  if (key === "toolName") return is === "";
  // What stands for an output that is not there may be read as either.
  return SAID.includes(key) && SAID.some((each) => isCovered(encoded, `${path}/${each}`));
}
const SAID: readonly string[] = ["output", "content"];

/** What is gone altogether had nothing in it, if each thing in it was lost. */
function emptied(was: unknown): unknown {
  if (Array.isArray(was)) return was.length > 0 ? [] : undefined;
  return isPlainRecord(was) && Object.keys(was).length > 0 ? {} : undefined;
}

function valueDifference(was: unknown, now: unknown, encoded: Encoded, path: string): Difference | undefined {
  if (isCovered(encoded, path) || isInputText(path) || isResidue(path)) return undefined;
  const is = now === undefined && !isPart(path) ? emptied(was) : now;
  if (Array.isArray(was) && Array.isArray(is)) {
    const sent = was.map((value: unknown, index) => ({ path: `${path}/${index}`, value }));
    return valuesDifference(sent, is, encoded, path);
  }
  if (!isPlainRecord(was) || !isPlainRecord(is)) return sameJson(was, is) ? undefined : { path, was, is };
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (isPart(path) && isFilledIn(was, key, is[key], encoded, path)) continue;
    const found = valueDifference(was[key], is[key], encoded, path + pointerStep(key));
    if (found) return found;
  }
  return undefined;
}
