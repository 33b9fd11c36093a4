// Creates the reply to a request for a whole answer: the upstream's text if the client's body was forwarded, and
// otherwise a translation. The reply is created only after the answer has been recorded.
import type { HttpReply, OpenAttempt, PreparedCall, Target } from "../../calls/index.ts";
import {
  attemptWholeAnswer,
  createExchange,
  isEventStream,
  readReplyText,
  readWholeReply,
  sendRequest,
  targetInfoFor,
} from "../../calls/index.ts";
import type { Loss, ModelResponse } from "../../model/index.ts";
import { stringifyJson } from "../../model/json/index.ts";
import { isObject } from "../../model/value-kind.ts";
import { echoSettings } from "../record/responses/echo-settings.ts";
import type { ServerReply } from "../types.ts";
import { countLosses } from "./call-counters.ts";
import type { ClientProtocol } from "./protocols.ts";
import type { OpenCall } from "./open-call.ts";
import { withCreatedAt } from "./client-stream.ts";
import { koineHeaders, upstreamHeaders } from "./reply-headers.ts";

/** A whole answer: the decoded response, or the upstream's text if the text can be forwarded, or both. */
interface WholeAnswer {
  response?: ModelResponse;
  text?: { reply: HttpReply; text: string };
}

/**
 * Runs one attempt. The reply to a forwarded request is decoded only if the call is recorded or the reply is a stream.
 */
async function attemptWhole(
  { call, recording }: OpenCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<WholeAnswer> {
  const exchange = call.isForwarded ? createExchange(call, target, ready, attempt) : undefined;
  if (exchange === undefined) return { response: await attemptWholeAnswer(call, target, ready, attempt) };
  const reply = await sendRequest(exchange);
  if (recording === undefined && !isEventStream(reply)) {
    return { text: { reply, text: await readReplyText(reply, exchange) } };
  }
  const whole: WholeAnswer = {};
  const storeText = (text: string): void => {
    whole.text = { reply, text };
  };
  whole.response = await readWholeReply(call, targetInfoFor(target, ready), exchange, reply, storeText);
  return whole;
}

/** Returns the reply with the whole answer. Rejects if the call fails. */
export async function wholeReply(
  open: OpenCall,
  protocol: ClientProtocol,
  responseId: string | undefined,
): Promise<ServerReply> {
  const { response, text } = await open.runAttempts((...attempt) => attemptWhole(open, ...attempt));
  if (text !== undefined) {
    await finish(open, response, [], response?.id);
    const { reply, text: body } = text;
    const headers = { "content-type": "application/json", ...upstreamHeaders(reply), ...koineHeaders(open, 0) };
    return { status: reply.status, headers, body };
  }
  if (response === undefined) throw new Error("An attempt returned neither a response nor a text.");
  const id = responseId ?? response.id;
  const answer = withCreatedAt(protocol, id === response.id ? response : { ...response, id }, open.services.clock);
  const { wire, losses } = protocol.dialect.encodeResponse(answer);
  await finish(open, response, losses, id);
  const headers = koineHeaders(open, countLosses(open.losses) + countLosses(losses));
  const body = stringifyJson(echoRequestSettings(open, protocol, response, wire));
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body };
}

/** Ends the call. Throws if the answer could not be recorded and `record.onFailure` is "refuse". */
async function finish(
  open: OpenCall,
  response: ModelResponse | undefined,
  losses: readonly Loss[],
  responseId: string | undefined,
): Promise<void> {
  const recordError = await open.finish(response, losses, response && { response, responseId });
  if (recordError !== undefined) throw recordError;
}

/** Replies with the stored answer of an earlier call that has the same idempotency key (B95). */
export function replayWholeReply(open: OpenCall, earlierAnswer: ModelResponse, protocol: ClientProtocol): ServerReply {
  const { wire, losses } = protocol.dialect.encodeResponse(withCreatedAt(protocol, earlierAnswer, open.services.clock));
  open.discard();
  return {
    status: 200,
    headers: { "content-type": "application/json", ...koineHeaders(open, countLosses(losses)) },
    body: stringifyJson(echoRequestSettings(open, protocol, earlierAnswer, wire)),
  };
}

/** Adds the request's settings to a Responses object; objects of other protocols do not contain settings. */
function echoRequestSettings(
  { spec }: OpenCall,
  { id }: ClientProtocol,
  response: ModelResponse,
  wire: unknown,
): unknown {
  if (id !== "openai-responses" || !isObject(wire)) return wire;
  return echoSettings(response, (spec.getOriginalRequest ?? spec.getRequest)())(wire);
}
