// Joining two dialects: a payload of the one, in the other's words, with everything that did not arrive.
import type { Delta } from "../model/delta.ts";
import type { Loss } from "../model/loss.ts";
import type { ModelRequest } from "../model/request.ts";
import type { RequestEnvelope, Dialect, Encoded, Renames, PayloadKind, WireEvent } from "./dialect.ts";
import { DialectError } from "./errors.ts";
import type { DialectId } from "./registry.ts";
import { dialect, dialects } from "./registry.ts";

/** A dialect, or the id of one. */
export type DialectLike = Dialect | DialectId | (string & {});

export interface TranslateOptions {
  from: DialectLike;
  to: DialectLike;
  kind: PayloadKind;
  /** The body; for a stream the list of its events. */
  wire: unknown;
  /** The model to ask, where it is another one than the payload says. */
  model?: string;
  /** What came beside the body of a request: Gemini's URL, headers. */
  address?: RequestEnvelope;
  /** What the request had to rename, for a reply to it. */
  names?: Renames;
  /** The HTTP status of an error. */
  status?: number;
  /** false: no repairs. */
  repair?: boolean;
}

export interface TranslateResult extends Encoded {
  /** The HTTP status of an error. */
  status?: number;
}

export function resolveDialect(like: DialectLike): Dialect {
  return typeof like === "string" ? dialect(like) : like;
}

/** Translates one payload; what does not arrive is in `losses`. */
export function translate(translation: TranslateOptions): TranslateResult {
  const { kind, wire, names, repair, status } = translation;
  const [from, to] = [resolveDialect(translation.from), resolveDialect(translation.to)];
  switch (kind) {
    case "request":
      return to.encodeRequest(readRequest(from, translation), { repair });
    case "response":
      return to.encodeResponse(from.decodeResponse(wire, { names }), { repair });
    case "error":
      return { ...to.encodeError(from.decodeError(wire, status)), losses: [] };
    case "stream":
      return translateStream(from, to, wire, names);
    default:
      throw new DialectError(from.id, "", "wrong-type", `A payload is no "${String(kind)}".`);
  }
}

function readRequest(from: Dialect, { wire, address, model }: TranslateOptions): ModelRequest {
  const request = from.decodeRequest(wire, address === undefined ? {} : { address });
  return model === undefined ? request : { ...request, model };
}

function translateStream(from: Dialect, to: Dialect, wire: unknown, names: Renames | undefined): TranslateResult {
  if (!Array.isArray(wire)) throw new DialectError(from.id, "", "wrong-type", "Expected a list of events.");
  const decoder = from.streamDecoder({ names });
  const encoder = to.streamEncoder({ includeUsage: true });
  const events: WireEvent[] = [];
  const write = (deltas: readonly Delta[]): void => {
    for (const delta of deltas) events.push(...encoder.push(delta));
  };
  for (const event of wire as unknown[]) write(decoder.push(event));
  write(decoder.end());
  events.push(...encoder.end());
  return { wire: events, losses: encoder.losses };
}

/** Preflight: what a target would not take as it is, and what would be done about it. Nothing is changed. */
export function checkRequest(request: ModelRequest, target: DialectLike): Loss[] {
  return resolveDialect(target).encodeRequest(request).losses;
}

/** Which dialect a payload is of, and what it is; undefined where it could be two, or none. */
export function detectDialect(wire: unknown): { dialect: DialectId; kind: PayloadKind } | undefined {
  let found: { dialect: DialectId; kind: PayloadKind } | undefined;
  for (const id of dialects) {
    const kind = dialect(id).detectKind(wire);
    if (kind === undefined) continue;
    if (found !== undefined) return undefined;
    found = { dialect: id, kind };
  }
  return found;
}
