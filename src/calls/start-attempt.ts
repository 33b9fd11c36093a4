// Starts one attempt: creates its HTTP exchange or local source, and the reader of its answer.
import type { TargetInfo } from "./answer-metadata.ts";
import { AnswerReader } from "./answer-reader.ts";
import type { OpenAttempt } from "./attempt-log.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { openReplyStream, sendRequest } from "./http-exchange.ts";
import { LocalDeltaSource } from "./local-source.ts";
import type { ModelCall, PreparedCall, Target } from "./model-call.ts";
import { Secrets } from "./secrets.ts";

/** Creates the HTTP exchange of an attempt; returns undefined for a local provider. */
export function createExchange(
  { context, scope }: ModelCall,
  { adapter, timeouts }: Target,
  preparedCall: PreparedCall,
  attempt: OpenAttempt,
): HttpExchange | undefined {
  if (adapter.kind !== "http" || preparedCall.kind !== "http") return undefined;
  const { prepared } = preparedCall;
  return { adapter, prepared, transport: context.transport(), scope, attempt, timeouts, secrets: new Secrets() };
}

/** Returns the target's info with the `answerMetadata` function of its prepared request, if there is one. */
export function targetInfoFor({ info }: Target, preparedCall: PreparedCall): TargetInfo {
  const answerMetadata = preparedCall.kind === "http" ? preparedCall.prepared.answerMetadata : undefined;
  return answerMetadata === undefined ? info : { ...info, answerMetadata };
}

/** Sends the request and returns a reader of the answer's deltas; no delta has been read yet. */
export async function openAnswerReader(
  call: ModelCall,
  target: Target,
  preparedCall: PreparedCall,
  attempt: OpenAttempt,
): Promise<AnswerReader> {
  const { adapter, info } = target;
  if (adapter.kind === "local" && preparedCall.kind === "local") {
    const source = new LocalDeltaSource(adapter.config, preparedCall.request, call.scope, target.timeouts);
    return new AnswerReader(source, info, call.scope);
  }
  const exchange = createExchange(call, target, preparedCall, attempt);
  if (exchange === undefined) throw new Error("The request was prepared for a provider of another kind.");
  const source = await openReplyStream(await sendRequest(exchange), exchange);
  return new AnswerReader(source, targetInfoFor(target, preparedCall), call.scope);
}
