// A response as its client was given it, made again from the record: the answer, and what it says about its request.
import { disassemble } from "../../../assembly/index.ts";
import { dialect } from "../../../dialects/index.ts";
import type { RunInfo } from "../../../ledger/index.ts";
import type { JsonObject, JsonValue, Response } from "../../../model/index.ts";
import { isObject } from "../../../model/kind.ts";
import { formatSse } from "../../../sse/index.ts";
import { ServerError } from "../../errors.ts";
import { dated } from "../../gateway/outgoing.ts";
import type { Caller } from "../../types.ts";
import { responseAlias, runNamed } from "../names.ts";
import { severalResponses } from "../place.ts";
import { answerOf, responseOf } from "../stored-answer.ts";
import { requestOf } from "../stored-request.ts";
import { restating } from "./restate.ts";

const responses = dialect("openai-responses");
const door = { id: "openai-responses" } as const;

/** The run behind an id. Throws "not-found". */
export async function runOfResponse(caller: Caller, id: string): Promise<RunInfo> {
  const run = await runNamed(caller.ledger, responseAlias(caller, id));
  if (run === "several") throw severalResponses(id, "id");
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

async function storedResponse(caller: Caller, id: string): Promise<StoredResponse> {
  const { ledger } = caller;
  const run = await runOfResponse(caller, id);
  const answer = await answerOf(ledger, run);
  if (answer === undefined) throw new ServerError("not-found", `The response "${id}" was deleted.`, { path: "id" });
  // Where its provider said no time, it is that of the record.
  const response = dated(door, { ...responseOf(answer, run), id }, () => answer.createdAt);
  const asked = await requestOf(ledger, run);
  return { response, restate: restating(response, asked) };
}

export async function wholeResponse(caller: Caller, id: string): Promise<JsonValue> {
  const { response, restate } = await storedResponse(caller, id);
  const { wire } = responses.encodeResponse(response);
  return restate(wire as JsonObject); // a response is an object
}

/** The events of the response as a stream would have had them, after a number. */
export async function responseEvents(caller: Caller, id: string, after: number): Promise<string> {
  const { response, restate } = await storedResponse(caller, id);
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
