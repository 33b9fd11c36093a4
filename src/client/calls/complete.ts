// A whole answer.
import type { ModelRequest, Response } from "../../model/index.ts";
import type { Answer, CallOptions, HttpReply } from "../types.ts";
import { runAttempts } from "./ask.ts";
import type { OpenAttempt } from "./attempts.ts";
import type { PreparedCall, ClientContext, Target } from "./call.ts";
import { ModelCall } from "./call.ts";
import type { TargetInfo } from "./facts.ts";
import { withFacts } from "./facts.ts";
import { AttemptFailure } from "./failure.ts";
import type { HttpExchange } from "./http.ts";
import { decodeWhole, isEventStream, readAnswer, send, streamReply } from "./http.ts";
import { askedOf, exchangeOf, openReading } from "./open.ts";
import { Reading } from "./reading.ts";

/** Asks, and gives the answer once it is whole. */
export async function complete(session: ClientContext, request: ModelRequest, options: CallOptions): Promise<Answer> {
  const call = new ModelCall(session, request, options, false);
  try {
    const { value, target, attempt } = await runAttempts(call, (...tried) => tryWhole(call, ...tried));
    attempt.end({ usage: value.usage });
    return { ...value, provider: target.asked.provider, losses: attempt.losses, attempts: call.log.attempts };
  } finally {
    call.scope.close();
  }
}

/** One try at a whole answer. */
export async function tryWhole(
  call: ModelCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<Response> {
  const exchange = exchangeOf(call, target, ready, attempt);
  if (exchange === undefined) return readAll(await openReading(call, target, ready, attempt));
  return readReply(call, askedOf(target, ready), exchange, await send(exchange));
}

/** The answer of a reply. `told` is given the text of one that is whole. */
export async function readReply(
  call: ModelCall,
  asked: TargetInfo,
  exchange: HttpExchange,
  reply: HttpReply,
  told?: (text: string) => void,
): Promise<Response> {
  // A server that streams whatever it is asked for.
  if (isEventStream(reply)) return readAll(new Reading(await streamReply(reply, exchange), asked, call.scope));
  const text = await readAnswer(reply, exchange);
  const response = withFacts(decodeWhole(text, reply, exchange), asked);
  told?.(text);
  if (response.error === undefined) return response;
  const { message } = response;
  const partial = { ...response, message: { ...message, metadata: { ...message.metadata, interrupted: true } } };
  throw new AttemptFailure(response.error, { partial });
}

async function readAll(reading: Reading): Promise<Response> {
  while ((await reading.next()) !== undefined);
  return reading.response();
}
