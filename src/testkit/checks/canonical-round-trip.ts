// Checks that canonical messages are unchanged after encoding and decoding. A value may differ only if a loss covers
// it, or if the decoder must fill it in.
import type { Dialect, Encoded } from "../../dialects/dialect.ts";
import { sameJson } from "../../model/json/index.ts";
import type { Message } from "../../model/message.ts";
import { pointerStep } from "../../model/json/pointer.ts";
import { roundTripConversations } from "../samples/round-trip-conversations.ts";
import { isCoveredByLoss } from "../oracle/loss-coverage.ts";
import { assertHolds } from "../conformance-case.ts";
import type { JsonDifference } from "../json/json-differences.ts";
import { isWithin } from "../json/json-nodes.ts";
import { isInputText, isPart, isResidue } from "../oracle/model-paths.ts";
import { isPlainRecord } from "../../model/value-kind.ts";

interface SentValue {
  path: string;
  value: unknown;
}
/** Returns the difference between a sent value and a decoded value; undefined if both are equal. */
type CompareSentValue<T> = (sent: SentValue, decoded: T | undefined) => JsonDifference | undefined;

export function assertCanonicalRoundTrip(dialect: Dialect, messages: readonly Message[]): void {
  messages.forEach((message, index) => assertMessagesRoundTrip(dialect, `Message ${index}`, [message]));
  assertMessagesRoundTrip(dialect, "The whole conversation", messages);
  for (const { name, messages: list } of roundTripConversations(dialect.id)) {
    assertMessagesRoundTrip(dialect, `The conversation "${name}"`, list);
  }
}

function assertMessagesRoundTrip(dialect: Dialect, subject: string, messages: readonly Message[]): void {
  const encoded = dialect.encodeMessages(messages);
  const difference = findMessageDifference(messages, dialect.decodeMessages(encoded.wire), encoded);
  if (difference === undefined) return;
  const { path, was, is } = difference;
  assertHolds(false, `${subject} came back different at "${path}".`, "was:", was, "is:", is);
}

function findMessageDifference(
  messages: readonly Message[],
  decoded: readonly Message[],
  encoded: Encoded,
): JsonDifference | undefined {
  const sentParts = messages.map((message, index) => listSentParts(message, `/${index}`));
  // If messages were split, merged, moved or dropped, only the sequence of parts with their roles is compared.
  if (messages.some((_, index) => isRegrouped(encoded, `/${index}`))) {
    const roles = new Map(messages.map(({ role }, index) => [`/${index}`, role]));
    const decodedParts = decoded.flatMap(({ role, parts }) => parts.map((part) => ({ role, part })));
    return findListDifference(sentParts.flat(), decodedParts, encoded, "", ({ path, value }, read) => {
      const messagePath = path.slice(0, path.indexOf("/", 1));
      const [was, is] = [roles.get(messagePath), read?.role];
      if (was !== is && !isCoveredByLoss(encoded, `${messagePath}/role`))
        return { path: `${messagePath}/role`, was, is };
      return findValueDifference(value, read?.part, encoded, path);
    });
  }
  if (messages.length !== decoded.length) return { path: "", was: messages, is: decoded };
  for (const [index, { role }] of messages.entries()) {
    const [path, is] = [`/${index}/role`, decoded[index]?.role];
    if (role !== is && !isCoveredByLoss(encoded, path)) return { path, was: role, is };
    const difference = findElementDifference(
      sentParts[index] ?? [],
      decoded[index]?.parts ?? [],
      encoded,
      `/${index}/parts`,
    );
    if (difference) return difference;
  }
  return undefined;
}

function listSentParts({ parts }: Message, path: string): SentValue[] {
  return parts.map((value, index) => ({ path: `${path}/parts/${index}`, value }));
}

function isRegrouped(encoded: Encoded, path: string): boolean {
  const isMoved = encoded.losses.some((loss) => loss.action === "moved" && loss.path === `${path}/role`);
  return isMoved || isCoveredByLoss(encoded, `${path}/parts`);
}

/** True if a loss covers the value; for a part, also if a loss reports a changed type or a change within the part. */
function mayDiffer(encoded: Encoded, path: string): boolean {
  if (isCoveredByLoss(encoded, path)) return true;
  if (!isPart(path)) return false;
  if (isCoveredByLoss(encoded, `${path}/type`)) return true;
  return encoded.losses.some((loss) => CHANGING_ACTIONS.has(loss.action) && isWithin(loss.path, path));
}
const CHANGING_ACTIONS: ReadonlySet<string> = new Set(["moved", "approximated", "repaired"]);

/**
 * Compares the sent elements with the decoded list. Elements that may differ because of a loss are left out; then the
 * remaining elements must be a subsequence of the decoded list.
 */
function findListDifference<T>(
  sent: readonly SentValue[],
  decoded: readonly T[],
  encoded: Encoded,
  path: string,
  compare: CompareSentValue<T>,
): JsonDifference | undefined {
  const required = sent.filter((each) => !mayDiffer(encoded, each.path));
  const isWhole = required.length === sent.length;
  if (isWhole && sent.length !== decoded.length) return { path, was: sent.map(({ value }) => value), is: decoded };
  let next = 0;
  for (const each of required) {
    const difference = compare(each, decoded[next]);
    const rest = isWhole ? [] : decoded.slice(next + 1);
    const skipped = difference && rest.findIndex((value) => compare(each, value) === undefined);
    if (skipped === -1) return difference;
    next += 1 + (skipped === undefined ? 0 : skipped + 1);
  }
  return undefined;
}

function findElementDifference(
  sent: readonly SentValue[],
  decoded: readonly unknown[],
  encoded: Encoded,
  path: string,
): JsonDifference | undefined {
  return findListDifference(sent, decoded, encoded, path, (each, is) =>
    findValueDifference(each.value, is, encoded, each.path),
  );
}

/** True if a decoder may fill in another value for the field `key` of a tool result. */
function isFilledIn(part: Record<string, unknown>, key: string, is: unknown, encoded: Encoded, path: string): boolean {
  if (part["type"] !== "tool-result") return false;
  // Decoders read the tool name from the call; without a call, the name is empty.
  if (key === "toolName") return is === "";
  // If a loss covers `output` or `content`, the encoder may have written a placeholder, which is decoded as one of the
  // two.
  return RESULT_FIELDS.includes(key) && RESULT_FIELDS.some((each) => isCoveredByLoss(encoded, `${path}/${each}`));
}
const RESULT_FIELDS: readonly string[] = ["output", "content"];

/**
 * Returns the value that is compared with `was` if the decoded value is absent: an empty list or object if `was` is a
 * non-empty list or object, so that its elements are compared one by one; otherwise undefined.
 */
function toEmptyContainer(was: unknown): unknown {
  if (Array.isArray(was)) return was.length > 0 ? [] : undefined;
  return isPlainRecord(was) && Object.keys(was).length > 0 ? {} : undefined;
}

function findValueDifference(
  was: unknown,
  decoded: unknown,
  encoded: Encoded,
  path: string,
): JsonDifference | undefined {
  if (isCoveredByLoss(encoded, path) || isInputText(path) || isResidue(path)) return undefined;
  const is = decoded === undefined && !isPart(path) ? toEmptyContainer(was) : decoded;
  if (Array.isArray(was) && Array.isArray(is)) {
    const sent = was.map((value: unknown, index) => ({ path: `${path}/${index}`, value }));
    return findElementDifference(sent, is, encoded, path);
  }
  if (!isPlainRecord(was) || !isPlainRecord(is)) return sameJson(was, is) ? undefined : { path, was, is };
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (isPart(path) && isFilledIn(was, key, is[key], encoded, path)) continue;
    const difference = findValueDifference(was[key], is[key], encoded, path + pointerStep(key));
    if (difference) return difference;
  }
  return undefined;
}
