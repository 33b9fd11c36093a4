// Checks that a payload of one dialect, translated to another and back, is the same conversation.
import type { Dialect, Encoded, Renames } from "../../dialects/dialect.ts";
import { sameJson } from "../../model/json/index.ts";
import type { Loss } from "../../model/loss.ts";
import { isCoveredByLoss } from "../oracle/loss-coverage.ts";
import { assertHolds } from "../conformance-case.ts";
import { assertNoDifferences, findDifferences } from "../json/json-differences.ts";
import type { ConversationContent } from "./conversation-content.ts";
import { removeWhiteSpace, readConversationContent } from "./conversation-content.ts";
import type { PayloadCodec, WireSample } from "./payload-codec.ts";

/** A check of the translation from one dialect to another; throws if the check fails. */
export type PairCheck = <T>(codec: PayloadCodec<T>, from: Dialect, to: Dialect, sample: WireSample) => void;

interface PairCodecResult<T> {
  value: T;
  encoded: Encoded;
}

function encodeAndDecode<T>(codec: PayloadCodec<T>, dialect: Dialect, value: T): PairCodecResult<T> {
  const encoded = codec.encode(dialect, value);
  const { wire, address } = encoded;
  return { value: codec.decode(dialect, wire, address === undefined ? {} : { address }), encoded };
}

/**
 * Requires equal turns after a translation to the other dialect and back. If repairs rearranged the conversation,
 * requires only that all texts, calls and results are present.
 */
export const assertPairRoundTrip: PairCheck = (codec, from, to, sample) => {
  const original = codec.decode(from, sample.wire, sample);
  const translated = encodeAndDecode(codec, to, original);
  const returned = encodeAndDecode(codec, from, translated.value);
  const brokenPaths = new Set(translated.encoded.losses.filter(isBreakingLoss).map(({ path }) => path));
  const messages = codec.listMessages(original).flatMap(({ keys, message }) => {
    const path = `/${keys.join("/")}`;
    // Alternatives with a loss are not compared, because some dialects support only one choice.
    if (keys[0] === "alternatives" && isCoveredByLoss(translated.encoded, path)) return [];
    return [{ ...message, parts: message.parts.filter((_, index) => !brokenPaths.has(`${path}/parts/${index}`)) }];
  });
  const was = readConversationContent(messages);
  const is = readConversationContent(codec.listMessages(returned.value).map(({ message }) => message));
  restoreNames(is, returned.encoded.names);
  restoreNames(is, translated.encoded.names);
  const differences = findDifferences(was, is);
  if (differences.length === 0) return;
  const losses = [...translated.encoded.losses, ...returned.encoded.losses];
  const isRearranged = losses.some(isRearrangement);
  assertNoDifferences(
    isRearranged ? [] : differences,
    "The conversation changed on the way there and back.",
    translated.encoded.losses,
  );
  const texts = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "text" ? [removeWhiteSpace(part.text)] : [])),
  );
  assertContentPresent(was, is, texts);
};

/** True if a loss reports dropped data without which the conversation cannot continue. */
function isBreakingLoss({ action, level }: Loss): boolean {
  return action === "dropped" && level === "breaks";
}

/** True if a loss reports that content of a message was moved, changed or added. */
function isRearrangement({ action, level, path }: Loss): boolean {
  if (!/^\/(?:messages?|alternatives)(?:\/|$)/.test(path) || action === "dropped") return false;
  return action === "repaired" || action === "synthesized" || level !== "note";
}

function restoreNames({ turns }: ConversationContent, names: Renames | undefined): void {
  for (const call of turns.flatMap(({ calls }) => calls)) call.name = names?.toolNames?.[call.name] ?? call.name;
}

/**
 * True if the inputs are equal, or if the original input was a text that the new input contains: a dialect that allows
 * only objects as input wraps the text (B22).
 */
function isInputPresent(input: unknown, was: unknown): boolean {
  if (sameJson(input, was)) return true;
  return typeof was === "string" && JSON.stringify(input).includes(JSON.stringify(was));
}

/** Requires that every call is present in its order, every result with its call, and every text at any position. */
function assertContentPresent(was: ConversationContent, is: ConversationContent, texts: readonly string[]): void {
  const calls = is.turns.flatMap((turn) => turn.calls);
  const results = is.turns.flatMap((turn) => turn.results);
  let next = 0;
  for (const turn of was.turns) {
    for (const call of turn.calls) {
      const index = calls.findIndex(
        (each, position) => position >= next && each.name === call.name && isInputPresent(each.input, call.input),
      );
      assertHolds(index >= 0, "A call was lost on the way there and back.", call, calls);
      next = index + 1;
      const result = was.turns.flatMap((each) => each.results).find((each) => each.number === call.number);
      const number = calls[index]?.number;
      const hasResult = results.some((each) => each.number === number && each.text.includes(result?.text ?? ""));
      assertHolds(result === undefined || hasResult, "A result was lost on the way there and back.", result, results);
    }
  }
  const all = [is.instructions, ...is.turns.map(({ text }) => text), ...results.map(({ text }) => text)].join("\n");
  const lost = texts.find((text) => !all.includes(text));
  assertHolds(lost === undefined, "A text was lost on the way there and back.", lost);
}
