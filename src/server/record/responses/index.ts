// The state of Responses, answered from the ledger for every upstream; and the end of runs that are under way.
import { dialect } from "../../../dialects/index.ts";
import { stringifyJson } from "../../../model/index.ts";
import type { JsonValue } from "../../../model/index.ts";
import { ServerError } from "../../errors.ts";
import { failureOfCall, failureReply } from "../../gateway/failure.ts";
import type { Caller, Operation, ServerModule, Reply, Route, ServerRequest, Services } from "../../types.ts";
import { responseAlias } from "../names.ts";
import { Recovery } from "../recovery.ts";
import { dropItems } from "../references.ts";
import { requestOf } from "../stored-request.ts";
import type { Recorder } from "../types.ts";
import { inputItems, invalid, pageOf } from "./items.ts";
import { responseEvents, runOfResponse, wholeResponse } from "./stored.ts";

const door = { dialect: dialect("openai-responses") };
const NOT_FOUND = { description: "No such response." };
const OBJECT = { type: "object" } as const;

/** Routes of stored responses and of runs, and the care for runs that a former process left. */
export function responsesPart(services: Services, recorder: Recorder): ServerModule {
  const recovery = new Recovery(services);
  return {
    routes: [get, remove, items, cancelResponse, cancelRun(recorder)],
    start: () => recovery.start(),
    stop: () => recovery.stop(),
  };
}

/** A path with and without its version, and with the version that some SDKs add once more. */
function paths(tail: string): [string, ...string[]] {
  return [`/v1/responses/:id${tail}`, `/responses/:id${tail}`, `/v1/v1/responses/:id${tail}`];
}

function route(
  method: Route["method"],
  tail: string,
  operation: Omit<Operation, "tag">,
  run: (request: ServerRequest, caller: Caller) => Promise<Reply>,
): Route {
  return {
    method,
    paths: paths(tail),
    operation: { tag: "gateway", ...operation },
    formatError: (error) => failureReply(door, failureOfCall(error)),
    run,
  };
}

function json(value: JsonValue): Reply {
  return { status: 200, headers: { "content-type": "application/json" }, body: stringifyJson(value) };
}

/** The router has matched the path. */
function idOf({ params }: ServerRequest): string {
  return params["id"] ?? "";
}

const get = route(
  "GET",
  "",
  {
    id: "getResponse",
    summary: "A stored response, whichever provider answered; with `stream=true` its events again.",
    query: {
      stream: { type: "boolean", description: "Replay the events." },
      starting_after: { type: "integer", description: "Only events with a larger sequence_number." },
    },
    replies: { 200: { description: "The response, as OpenAI describes it.", schema: OBJECT }, 404: NOT_FOUND },
  },
  async (request, caller) => {
    const { query } = request;
    if (query.get("stream") !== "true") return json(await wholeResponse(caller, idOf(request)));
    const after = Number(query.get("starting_after") ?? -1);
    if (!Number.isInteger(after)) throw invalid("starting_after", "a whole number");
    const body = await responseEvents(caller, idOf(request), after);
    return { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, body };
  },
);

const remove = route(
  "DELETE",
  "",
  {
    id: "deleteResponse",
    summary: "Forgets a response's id. The conversation stays in its thread: delete that to delete it.",
    replies: { 200: { description: "It is forgotten.", schema: OBJECT }, 404: NOT_FOUND },
  },
  async (request, caller) => {
    const id = idOf(request);
    const run = await runOfResponse(caller, id);
    // First, so that whoever is told of a failure finds it by its id once more.
    await dropItems(caller, run, id);
    await caller.ledger.dropAlias(responseAlias(caller, id));
    return json({ id, object: "response", deleted: true });
  },
);

const items = route(
  "GET",
  "/input_items",
  {
    id: "listInputItems",
    summary: "The items that a response was made from, earlier answers included.",
    query: {
      order: { type: "string", enum: ["asc", "desc"], description: "Default desc." },
      limit: { type: "integer", minimum: 1, maximum: 100, description: "Default 20." },
      after: { type: "string", description: "The id of the item that the page comes after." },
    },
    replies: { 200: { description: "A page of items, as OpenAI lists them.", schema: OBJECT }, 404: NOT_FOUND },
  },
  async (request, caller) => {
    const { ledger } = caller;
    const run = await runOfResponse(caller, idOf(request));
    const asked = await requestOf(ledger, run);
    return json(pageOf(inputItems(asked?.messages ?? [], run.threadId), request.query));
  },
);

const cancelResponse = route(
  "POST",
  "/cancel",
  {
    id: "cancelResponse",
    summary: "Refused: only background responses can be cancelled by their id, and there are none.",
    replies: { 400: { description: "How to end a call that is under way.", schema: OBJECT }, 404: NOT_FOUND },
  },
  async (request, caller) => {
    await runOfResponse(caller, idOf(request));
    const message =
      "Only responses with background: true can be cancelled, and Koine has none of those. A call that is under way is ended by POST /v1/runs/{x-koine-run}/cancel.";
    throw new ServerError("unsupported", message, { status: 400, path: "id" });
  },
);

function cancelRun(recorder: Recorder): Route {
  return {
    method: "POST",
    paths: ["/v1/runs/:id/cancel"],
    operation: {
      id: "cancelRun",
      tag: "ledger",
      summary: "Ends a call that is under way, on whichever instance: what had arrived is kept, marked interrupted.",
      replies: {
        200: {
          description: "It has ended.",
          schema: {
            type: "object",
            required: ["id", "cancelled"],
            properties: { id: { type: "string" }, cancelled: { const: true } },
          },
        },
        404: { description: "No such run is under way." },
        409: { description: "The run belongs to a task." },
      },
    },
    async run(request, caller) {
      const id = idOf(request);
      if (await recorder.cancel(caller, id)) return json({ id, cancelled: true });
      throw new ServerError("not-found", `No run "${id}" is under way.`, { path: "id" });
    },
  };
}
