// B44: a conversation that goes on leaves what was sent before as it was, to the byte, so that prompt caches hit.
import type { Encoded } from "../dialects/dialect.ts";
import type { Message } from "../model/message.ts";
import type { ModelRequest } from "../model/request.ts";
import { evenly } from "./choice.ts";
import { demandNone } from "./differences.ts";
import type { SampleCheck } from "./exchange.ts";
import { growth } from "./growth.ts";
import { isExplained } from "./repairs.ts";

/** Prefixes of one conversation that are tried. */
const PREFIXES = 8;

/** Where a turn ends: before the next, after everything that it asked of tools has been answered. */
function isTurnEnd(messages: readonly Message[], length: number): boolean {
  const asked = new Set<string>();
  for (const part of messages.slice(0, length).flatMap(({ parts }) => parts)) {
    if (part.type === "tool-call") asked.add(part.toolCallId);
    if (part.type === "tool-result") asked.delete(part.toolCallId);
  }
  return asked.size === 0;
}

export const keepsPrefixes: SampleCheck = (exchange, dialect, sample) => {
  if (exchange.cargo !== "requests") return;
  comparePrefixes(dialect.decodeRequest(sample.wire, sample), (request, repair) =>
    dialect.encodeRequest(request, { repair }),
  );
};

/** Every prefix without repairs; with them those that end where a turn does, unless the report tells of a difference. */
function comparePrefixes(request: ModelRequest, encode: (request: ModelRequest, repair: boolean) => Encoded): void {
  const { messages } = request;
  const lengths = messages.map((_, index) => index).filter((length) => length > 0);
  for (const repair of [false, true]) {
    const whole = encode(request, repair);
    const ends = repair ? lengths.filter((length) => isTurnEnd(messages, length)) : lengths;
    for (const length of evenly(ends, PREFIXES)) {
      const part = encode({ ...request, messages: messages.slice(0, length) }, repair);
      if (isExplained(part, whole, ({ path }) => isBefore(path, length))) continue;
      const { faults } = growth(part.wire, whole.wire);
      const claim = `What follows the first ${length} messages changed what was sent before.`;
      demandNone(faults, claim, `repair: ${repair}`);
    }
  }
}

/** Whether a loss tells of something among the first messages, or beside them. */
function isBefore(path: string, length: number): boolean {
  const index = /^\/messages\/(\d+)/.exec(path)?.[1];
  return index === undefined || Number(index) < length;
}
