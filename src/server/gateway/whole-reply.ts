// The reply to a request for a whole answer: the upstream's own bytes where they are in the client's dialect and nothing
// was restored, else a translation. It is given out when it is recorded.
import type { OpenAttempt } from "../../client/calls/attempts.ts";
import type { PreparedCall, Target } from "../../client/calls/call.ts";
import { readReply, tryWhole } from "../../client/calls/complete.ts";
import { isEventStream, readAnswer, send } from "../../client/calls/http.ts";
import { askedOf, exchangeOf } from "../../client/calls/open.ts";
import type { HttpReply } from "../../client/types.ts";
import type { Loss, Response } from "../../model/index.ts";
import { stringifyJson } from "../../model/json.ts";
import { isObject } from "../../model/kind.ts";
import { restating } from "../record/responses/restate.ts";
import type { Reply } from "../types.ts";
import { countLosses } from "./counters.ts";
import type { ClientProtocol } from "./doors.ts";
import type { OpenCall } from "./open-call.ts";
import { dated } from "./outgoing.ts";
import { koineHeaders, upstreamHeaders } from "./reply-headers.ts";

/** An answer, and its own text where that can go on as it is. */
interface Whole {
  response?: Response;
  text?: { reply: HttpReply; text: string };
}

/** One try. What nobody records is not even looked into. */
async function tryReply(
  { call, recording }: OpenCall,
  target: Target,
  ready: PreparedCall,
  attempt: OpenAttempt,
): Promise<Whole> {
  const exchange = call.isForwarded ? exchangeOf(call, target, ready, attempt) : undefined;
  if (exchange === undefined) return { response: await tryWhole(call, target, ready, attempt) };
  const reply = await send(exchange);
  if (recording === undefined && !isEventStream(reply)) {
    return { text: { reply, text: await readAnswer(reply, exchange) } };
  }
  const whole: Whole = {};
  const keep = (text: string): void => {
    whole.text = { reply, text };
  };
  whole.response = await readReply(call, askedOf(target, ready), exchange, reply, keep);
  return whole;
}

/** Rejects where the call fails. */
export async function wholeReply(open: OpenCall, door: ClientProtocol, responseId: string | undefined): Promise<Reply> {
  const { response, text } = await open.ask((...tried) => tryReply(open, ...tried));
  if (text !== undefined) {
    await finish(open, response, [], response?.id);
    const { reply, text: body } = text;
    const headers = { "content-type": "application/json", ...upstreamHeaders(reply), ...koineHeaders(open, 0) };
    return { status: reply.status, headers, body };
  }
  if (response === undefined) throw new Error("An attempt gave neither an answer nor its text.");
  const id = responseId ?? response.id;
  const said = dated(door, id === response.id ? response : { ...response, id }, open.services.clock);
  const { wire, losses } = door.dialect.encodeResponse(said);
  await finish(open, response, losses, id);
  const headers = koineHeaders(open, countLosses(open.losses) + countLosses(losses));
  const body = stringifyJson(restatedWhole(open, door, response, wire));
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body };
}

/** Throws where it could not be recorded, and such calls are refused. */
async function finish(
  open: OpenCall,
  response: Response | undefined,
  losses: readonly Loss[],
  responseId: string | undefined,
): Promise<void> {
  const refused = await open.finish(response, losses, response && { response, responseId });
  if (refused !== undefined) throw refused;
}

/** An answer that was given before (B95). */
export function earlierReply(open: OpenCall, earlier: Response, door: ClientProtocol): Reply {
  const { wire, losses } = door.dialect.encodeResponse(dated(door, earlier, open.services.clock));
  open.discard();
  return {
    status: 200,
    headers: { "content-type": "application/json", ...koineHeaders(open, countLosses(losses)) },
    body: stringifyJson(restatedWhole(open, door, earlier, wire)),
  };
}

/** Responses say what they were asked, whoever answered. */
function restatedWhole({ spec }: OpenCall, { id }: ClientProtocol, response: Response, wire: unknown): unknown {
  if (id !== "openai-responses" || !isObject(wire)) return wire;
  return restating(response, (spec.said ?? spec.request)())(wire);
}
