// Ways to break a good dialect: another value encoded, another wire written, another value read, another error thrown.
import type { Dialect, Encoded, Message, Part, ModelRequest, ModelResponse } from "../../src/index.ts";
import { DialectError } from "../../src/index.ts";

/** The good dialect's methods, some of them replaced. */
export type Fault = (good: Dialect) => Partial<Dialect>;
/** What is wrong, which case must notice, and how it is done. */
export type FaultRow = readonly [sentence: string, noticed: RegExp, fault: Fault];
export type Wire = Record<string, unknown>;

/** Encodes another request than it was given. */
export function asks(change: (request: ModelRequest) => ModelRequest): Fault {
  return (good) => ({ encodeRequest: (request, options) => good.encodeRequest(change(request), options) });
}
export function answers(change: (response: ModelResponse) => ModelResponse): Fault {
  return (good) => ({ encodeResponse: (response, options) => good.encodeResponse(change(response), options) });
}
export function says(change: (message: Message) => Message): Fault {
  return (good) => ({
    ...asks((request) => ({ ...request, messages: request.messages.map(change) }))(good),
    ...answers((response) => ({ ...response, message: change(response.message) }))(good),
  });
}
export function saysParts(change: (part: Part) => Part): Fault {
  return says((message) => ({ ...message, parts: message.parts.map(change) }));
}
/** Writes something else than it should, in both. */
export function writes(change: (encoded: Encoded & { wire: Wire }) => Encoded): Fault {
  // Both are objects on this wire.
  const changed = (encoded: Encoded): Encoded => change(encoded as Encoded & { wire: Wire });
  return (good) => ({
    encodeRequest: (request, options) => changed(good.encodeRequest(request, options)),
    encodeResponse: (response, options) => changed(good.encodeResponse(response, options)),
  });
}
/** Reads something else than it should, in both. */
export function reads(change: <T extends ModelRequest | ModelResponse>(value: T, wire: unknown) => T): Fault {
  return (good) => ({
    decodeRequest: (wire, options) => change(good.decodeRequest(wire, options), wire),
    decodeResponse: (wire, options) => change(good.decodeResponse(wire, options), wire),
  });
}
export function throws(change: (error: DialectError) => unknown): Fault {
  const changed = <T>(step: () => T): T => {
    try {
      return step();
    } catch (error) {
      throw error instanceof DialectError ? change(error) : error;
    }
  };
  return (good) => ({
    decodeRequest: (wire, options) => changed(() => good.decodeRequest(wire, options)),
    decodeResponse: (wire, options) => changed(() => good.decodeResponse(wire, options)),
  });
}
export function both(one: Fault, other: Fault): Fault {
  return (good) => ({ ...one(good), ...other(good) });
}
