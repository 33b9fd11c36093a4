// Restores a response from the ledger: the stored answer, and the settings of the recorded request.
import { disassemble } from "../../../assembly/index.ts";
import { dialect } from "../../../dialects/index.ts";
import type { RunInfo } from "../../../ledger/index.ts";
import type { JsonObject, JsonValue, ModelResponse } from "../../../model/index.ts";
import { isObject } from "../../../model/value-kind.ts";
import { formatSse } from "../../../sse/index.ts";
import { ServerError } from "../../errors.ts";
import { withCreatedAt } from "../../gateway/client-stream.ts";
import type { Caller } from "../../types.ts";
import { responseAlias, findRunByAlias } from "../run-aliases.ts";
import { createAmbiguousIdError } from "../thread-position.ts";
import { readAnswer, toStoredResponse } from "../stored-answer.ts";
import { readStoredRequest } from "../stored-request.ts";
import { echoSettings } from "./echo-settings.ts";

const responses = dialect("openai-responses");
const protocol = { id: "openai-responses" } as const;

/** Returns the run of a response id. Throws if the response does not exist, or if several runs have the id. */
export async function requireResponseRun(caller: Caller, id: string): Promise<RunInfo> {
  const run = await findRunByAlias(caller.ledger, responseAlias(caller, id));
  if (run === "several") throw createAmbiguousIdError(id, "id");
  // Only a committed or superseded run has a complete answer.
  if (run !== undefined && (run.state === "committed" || run.state === "superseded")) return run;
  const message = `There is no response "${id}": it was not recorded, failed, or was deleted.`;
  throw new ServerError("not-found", message, { path: "id" });
}

interface StoredResponse {
  response: ModelResponse;
  /** Returns a copy of a response object with the request's settings. */
  echo: (wire: JsonObject) => JsonObject;
}

async function readStoredResponse(caller: Caller, id: string): Promise<StoredResponse> {
  const { ledger } = caller;
  const run = await requireResponseRun(caller, id);
  const answer = await readAnswer(ledger, run);
  if (answer === undefined) throw new ServerError("not-found", `The response "${id}" was deleted.`, { path: "id" });
  // If the provider sent no creation time, the time at which the answer was stored is used.
  const response = withCreatedAt(protocol, { ...toStoredResponse(answer, run), id }, () => answer.createdAt);
  const request = await readStoredRequest(ledger, run);
  return { response, echo: echoSettings(response, request) };
}

export async function encodeStoredResponse(caller: Caller, id: string): Promise<JsonValue> {
  const { response, echo } = await readStoredResponse(caller, id);
  const { wire } = responses.encodeResponse(response);
  return echo(wire as JsonObject); // The cast is safe, because a response is encoded as an object.
}

/** Returns the SSE text of a response's events whose sequence number is greater than `after`. */
export async function encodeResponseEvents(caller: Caller, id: string, after: number): Promise<string> {
  const { response, echo } = await readStoredResponse(caller, id);
  const encoder = responses.streamEncoder();
  const events = disassemble(response).flatMap((delta) => encoder.push(delta));
  let text = "";
  for (const { event, data } of [...events, ...encoder.end()]) {
    if (!isObject(data) || Number(data["sequence_number"]) <= after) continue;
    const whole = isObject(data["response"]) ? { ...data, response: echo(data["response"]) } : data;
    text += formatSse(event === undefined ? { data: whole } : { event, data: whole });
  }
  return text;
}
