// A response as its client was given it, made again from the record: the answer, and what it says about its request.
import { disassemble } from "../../../assembly/index.ts";
import { dialect } from "../../../dialects/index.ts";
import type { Ledger, RunInfo } from "../../../ledger/index.ts";
import type { JsonObject, JsonValue, Request, Response } from "../../../model/index.ts";
import { isObject } from "../../../model/kind.ts";
import { formatSse } from "../../../sse/index.ts";
import { ServerError } from "../../errors.ts";
import { responseAlias } from "../place.ts";
import { leadingOf } from "../said.ts";
import { answerOf, responseOf } from "../stored-answer.ts";
import { requestOf } from "../stored-request.ts";

const RESPONSES = "openai-responses";
const responses = dialect(RESPONSES);

/** What an answer says about its request. */
const ECHOED: readonly string[] =
  "instructions max_output_tokens max_tool_calls metadata parallel_tool_calls previous_response_id prompt_cache_key reasoning safety_identifier service_tier store temperature text tool_choice tools top_logprobs top_p truncation user".split(
    " ",
  );

/** The run behind an id. Throws "not-found". */
export async function runOfResponse(ledger: Ledger, id: string): Promise<RunInfo> {
  const run = await ledger.runByAlias(responseAlias(id));
  // One that is under way has its id at its end.
  if (run !== undefined && (run.state === "committed" || run.state === "superseded")) return run;
  const message = `There is no response "${id}": it was not recorded, failed, or was deleted.`;
  throw new ServerError("not-found", message, { path: "id" });
}

interface StoredResponse {
  response: Response;
  /** Puts what the request said into the wire form of the response. */
  restate: (wire: JsonObject) => JsonObject;
}

async function storedResponse(ledger: Ledger, id: string): Promise<StoredResponse> {
  const run = await runOfResponse(ledger, id);
  const answer = await answerOf(ledger, run);
  if (answer === undefined) throw new ServerError("not-found", `The response "${id}" was deleted.`, { path: "id" });
  const response = { ...responseOf(answer, run), id };
  const asked = await askedBy(ledger, run);
  const own = response.extra?.[RESPONSES] ?? {};
  const restate = (wire: JsonObject): JsonObject => {
    const whole = { ...wire };
    for (const field of ECHOED) {
      const value = own[field] === undefined || own[field] === null ? asked[field] : undefined;
      if (value !== undefined) whole[field] = value;
    }
    return whole;
  };
  return { response, restate };
}

/** The settings of a request in this dialect's words. */
async function askedBy(ledger: Ledger, run: RunInfo): Promise<JsonObject> {
  const asked = await requestOf(ledger, run);
  if (asked === undefined) return {};
  const request: Request = { ...asked, messages: [...leadingOf(asked.messages)] };
  const { wire } = responses.encodeRequest(request, { repair: false });
  const { input: _, ...said } = isObject(wire) ? wire : {};
  return { store: true, ...said };
}

export async function wholeResponse(ledger: Ledger, id: string): Promise<JsonValue> {
  const { response, restate } = await storedResponse(ledger, id);
  const { wire } = responses.encodeResponse(response);
  return restate(wire as JsonObject); // a response is an object
}

/** The events of the response as a stream would have had them, after a number. */
export async function responseEvents(ledger: Ledger, id: string, after: number): Promise<string> {
  const { response, restate } = await storedResponse(ledger, id);
  const encoder = responses.streamEncoder();
  const events = disassemble(response).flatMap((delta) => encoder.push(delta));
  let text = "";
  for (const { event, data } of [...events, ...encoder.end()]) {
    if (!isObject(data) || Number(data["sequence_number"]) <= after) continue;
    const whole = isObject(data["response"]) ? { ...data, response: restate(data["response"]) } : data;
    text += formatSse(event === undefined ? { data: whole } : { event, data: whole });
  }
  return text;
}
