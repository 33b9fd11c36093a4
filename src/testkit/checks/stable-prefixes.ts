// Checks B44: the encoding of a longer history begins with the same bytes, so that prompt caches can be used.
import type { Encoded } from "../../dialects/dialect.ts";
import type { Message } from "../../model/message.ts";
import type { ModelRequest } from "../../model/request.ts";
import { pickEvenly } from "../pick-evenly.ts";
import { assertNoDifferences } from "../json/json-differences.ts";
import type { WireSampleCheck } from "./payload-codec.ts";
import { compareAppendOnly } from "./append-only-differences.ts";
import { haveDifferentRepairs } from "./reported-repairs.ts";

/** The maximum number of tested prefixes of one conversation. */
const PREFIX_LIMIT = 8;

/** True if every tool call in the first `length` messages has its result in them. */
function isTurnEnd(messages: readonly Message[], length: number): boolean {
  const openCallIds = new Set<string>();
  for (const part of messages.slice(0, length).flatMap(({ parts }) => parts)) {
    if (part.type === "tool-call") openCallIds.add(part.toolCallId);
    if (part.type === "tool-result") openCallIds.delete(part.toolCallId);
  }
  return openCallIds.size === 0;
}

export const assertStablePrefixes: WireSampleCheck = (codec, dialect, sample) => {
  if (codec.capability !== "requests") return;
  comparePrefixes(dialect.decodeRequest(sample.wire, sample), (request, repair) =>
    dialect.encodeRequest(request, { repair }),
  );
};

/**
 * Compares the encodings of prefixes of the messages with the encoding of all messages. With repairs, only prefixes
 * without an open tool call are compared. Prefixes with other repairs than the whole are skipped.
 */
function comparePrefixes(request: ModelRequest, encode: (request: ModelRequest, repair: boolean) => Encoded): void {
  const { messages } = request;
  const lengths = messages.map((_, index) => index).filter((length) => length > 0);
  for (const repair of [false, true]) {
    const whole = encode(request, repair);
    const prefixLengths = repair ? lengths.filter((length) => isTurnEnd(messages, length)) : lengths;
    for (const length of pickEvenly(prefixLengths, PREFIX_LIMIT)) {
      const prefix = encode({ ...request, messages: messages.slice(0, length) }, repair);
      if (haveDifferentRepairs(prefix, whole, ({ path }) => isBefore(path, length))) continue;
      const { changes } = compareAppendOnly(prefix.wire, whole.wire);
      const message = `Later messages changed the encoding of the first ${length} messages.`;
      assertNoDifferences(changes, message, `repair: ${repair}`);
    }
  }
}

/** True if the path is within the first `length` messages or outside all messages. */
function isBefore(path: string, length: number): boolean {
  const index = /^\/messages\/(\d+)/.exec(path)?.[1];
  return index === undefined || Number(index) < length;
}
