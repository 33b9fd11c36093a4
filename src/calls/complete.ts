// Calls a model for a complete answer. A reply that is a stream, although none was requested, is read to its end.
import type { ModelRequest, ModelResponse } from "../model/index.ts";
import type { TargetInfo } from "./answer-metadata.ts";
import { withAnswerMetadata } from "./answer-metadata.ts";
import { AnswerReader } from "./answer-reader.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import { runAttempts } from "./attempt-loop.ts";
import type { OpenAttempt } from "./attempt-log.ts";
import type { ClientContext } from "./client-context.ts";
import type { HttpExchange } from "./http-exchange.ts";
import { decodeReply, isEventStream, openReplyStream, readReplyText, sendRequest } from "./http-exchange.ts";
import type { PreparedCall, Target } from "./model-call.ts";
import { ModelCall } from "./model-call.ts";
import { createExchange, openAnswerReader, targetInfoFor } from "./start-attempt.ts";
import type { Answer, CallOptions, HttpReply } from "./types.ts";

/** Calls a model and returns the complete answer. */
export async function complete(context: ClientContext, request: ModelRequest, options: CallOptions): Promise<Answer> {
  const call = new ModelCall(context, request, options, false);
  try {
    const { value, target, attempt } = await runAttempts(call, (...args) => attemptWholeAnswer(call, ...args));
    attempt.end({ usage: value.usage });
    return { ...value, provider: target.info.provider, losses: attempt.losses, attempts: call.log.attempts };
  } finally {
    call.scope.close();
  }
}

/** Makes one attempt at a complete answer. Throws an `AttemptFailure` if the answer is not complete. */
export async function attemptWholeAnswer(
  call: ModelCall,
  target: Target,
  preparedCall: PreparedCall,
  attempt: OpenAttempt,
): Promise<ModelResponse> {
  const exchange = createExchange(call, target, preparedCall, attempt);
  if (exchange === undefined) return readToEnd(await openAnswerReader(call, target, preparedCall, attempt));
  return readWholeReply(call, targetInfoFor(target, preparedCall), exchange, await sendRequest(exchange));
}

/** Reads the complete answer from a reply. `onText` receives the text of a reply that is not a stream. */
export async function readWholeReply(
  call: ModelCall,
  info: TargetInfo,
  exchange: HttpExchange,
  reply: HttpReply,
  onText?: (text: string) => void,
): Promise<ModelResponse> {
  // Some servers send a stream although the request did not ask for one.
  if (isEventStream(reply)) {
    return readToEnd(new AnswerReader(await openReplyStream(reply, exchange), info, call.scope));
  }
  const text = await readReplyText(reply, exchange);
  const response = withAnswerMetadata(decodeReply(text, reply, exchange), info);
  onText?.(text);
  if (response.error === undefined) return response;
  const { message } = response;
  const partial = { ...response, message: { ...message, metadata: { ...message.metadata, interrupted: true } } };
  throw new AttemptFailure(response.error, { partial });
}

async function readToEnd(reader: AnswerReader): Promise<ModelResponse> {
  while ((await reader.next()) !== undefined);
  return reader.response();
}
