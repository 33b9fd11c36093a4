// Helpers that break a correct dialect: a changed value before encoding, a changed wire, a changed decoded value, or a
// changed error.
import type { Dialect, Encoded, Message, Part, ModelRequest, ModelResponse } from "../../src/index.ts";
import { DialectError } from "../../src/index.ts";

/** Returns replacements for some methods of a correct dialect. */
export type DialectFault = (good: Dialect) => Partial<Dialect>;
/** The fault as a phrase, a pattern of the title of the case that must fail, and the fault itself. */
export type DialectFaultRow = readonly [sentence: string, noticed: RegExp, fault: DialectFault];
export type Wire = Record<string, unknown>;

/** Changes a request before it is encoded. */
export function changesRequest(change: (request: ModelRequest) => ModelRequest): DialectFault {
  return (good) => ({ encodeRequest: (request, options) => good.encodeRequest(change(request), options) });
}
export function changesResponse(change: (response: ModelResponse) => ModelResponse): DialectFault {
  return (good) => ({ encodeResponse: (response, options) => good.encodeResponse(change(response), options) });
}
export function changesMessages(change: (message: Message) => Message): DialectFault {
  return (good) => ({
    ...changesRequest((request) => ({ ...request, messages: request.messages.map(change) }))(good),
    ...changesResponse((response) => ({ ...response, message: change(response.message) }))(good),
  });
}
export function changesParts(change: (part: Part) => Part): DialectFault {
  return changesMessages((message) => ({ ...message, parts: message.parts.map(change) }));
}
/** Changes the encoding of requests and responses. */
export function changesEncoded(change: (encoded: Encoded & { wire: Wire }) => Encoded): DialectFault {
  // The cast holds: requests and responses are objects in this dialect.
  const changed = (encoded: Encoded): Encoded => change(encoded as Encoded & { wire: Wire });
  return (good) => ({
    encodeRequest: (request, options) => changed(good.encodeRequest(request, options)),
    encodeResponse: (response, options) => changed(good.encodeResponse(response, options)),
  });
}
/** Changes decoded requests and responses. */
export function changesDecoded(
  change: <T extends ModelRequest | ModelResponse>(value: T, wire: unknown) => T,
): DialectFault {
  return (good) => ({
    decodeRequest: (wire, options) => change(good.decodeRequest(wire, options), wire),
    decodeResponse: (wire, options) => change(good.decodeResponse(wire, options), wire),
  });
}
export function changesErrors(change: (error: DialectError) => unknown): DialectFault {
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
export function combines(one: DialectFault, other: DialectFault): DialectFault {
  return (good) => ({ ...one(good), ...other(good) });
}
