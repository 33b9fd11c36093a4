// The contract between the server of an upstream and the provider that it plays.
import type { ProviderError } from "../../../src/index.ts";
import type { ReceivedRequest } from "../../../src/testkit/index.ts";
import type { FullAnswer } from "./script.ts";
import type { Json } from "./rejection.ts";
import type { IssuedSeals } from "./issued-seals.ts";

/** What a request asks for, wherever the wire says it. */
export interface ProviderRequest {
  model: string;
  stream: boolean;
  body: Json;
}

/** A body that is an error, and the status that goes with it. */
export interface Failure {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** One answer on the wire: whole, and as the texts of the events of a stream. */
export interface WireAnswer {
  body: object;
  events: string[];
}

export interface SimulatedProvider {
  /** The models it has; the first one is the usual one. */
  readonly models: readonly string[];
  /** What stands after the address of the server in a base URL. */
  readonly version: string;
  /** Reads where the request goes, its key and its headers. Throws a `Refusal`. */
  open(request: ReceivedRequest): ProviderRequest;
  /** Throws a `Refusal` for what the real one would not take. */
  check(question: ProviderRequest): void;
  /** With `upTo`, the events of so many parts only, and no end. */
  answer(answer: FullAnswer, question: ProviderRequest, upTo?: number): WireAnswer;
  failure(error: ProviderError): Failure;
  /** An error within a stream. */
  failureEvent(error: ProviderError): string;
}

/** Makes the provider that an upstream plays. */
export type CreateProvider = (
  secrets: IssuedSeals,
  options: { apiKey: string; vendor: string | undefined },
) => SimulatedProvider;

/** The time at which all upstreams live. */
export const NOW = 1_790_000_000;

/** One server-sent event. */
export function sse(data: object | "[DONE]", event?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}
