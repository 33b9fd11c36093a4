// The interface between the HTTP server of an upstream and the simulated provider.
import type { ProviderError } from "../../../src/index.ts";
import type { ReceivedRequest } from "../../../src/testkit/index.ts";
import type { FullAnswer } from "./script.ts";
import type { Json } from "./rejection.ts";
import type { IssuedSeals } from "./issued-seals.ts";

/** A request with the model and the stream flag, which some wires have in the URL. */
export interface ProviderRequest {
  model: string;
  stream: boolean;
  body: Json;
}

/** An error body with its status. */
export interface Failure {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** One answer on the wire: the whole body, and the texts of the stream events. */
export interface WireAnswer {
  body: object;
  events: string[];
}

export interface SimulatedProvider {
  /** The models; the first is the default. */
  readonly models: readonly string[];
  /** The path of the base URL. */
  readonly version: string;
  /** Checks path, key and headers. Throws a `Rejection`. */
  open(request: ReceivedRequest): ProviderRequest;
  /** Throws a `Rejection` for a request that the real provider rejects. */
  check(question: ProviderRequest): void;
  /** Encodes an answer; with `upTo`, the events of that many parts without an end. */
  answer(answer: FullAnswer, question: ProviderRequest, upTo?: number): WireAnswer;
  failure(error: ProviderError): Failure;
  /** An error within a stream. */
  failureEvent(error: ProviderError): string;
}

/** Creates a simulated provider. */
export type CreateProvider = (
  secrets: IssuedSeals,
  options: { apiKey: string; vendor: string | undefined },
) => SimulatedProvider;

/** The fixed clock of all upstreams, in seconds. */
export const NOW = 1_790_000_000;

/** One server-sent event. */
export function sse(data: object | "[DONE]", event?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}
