// Creates the Responses module: the routes that serve the stored responses of all providers from the ledger, and the
// route that cancels a run.
import { dialect } from "../../../dialects/index.ts";
import { stringifyJson } from "../../../model/index.ts";
import type { JsonValue } from "../../../model/index.ts";
import { ServerError } from "../../errors.ts";
import { toCallFailure, encodeFailureReply } from "../../gateway/call-failure.ts";
import type { Caller, Operation, ServerModule, ServerReply, Route, ServerRequest, Services } from "../../types.ts";
import { responseAlias } from "../run-aliases.ts";
import { RunRecovery } from "../run-recovery.ts";
import { dropItemAliases } from "../item-references.ts";
import { readStoredRequest } from "../stored-request.ts";
import type { Recorder } from "../types.ts";
import { listInputItems, createQueryError, paginateItems } from "./input-items.ts";
import { encodeResponseEvents, requireResponseRun, encodeStoredResponse } from "./stored-response.ts";

const protocol = { dialect: dialect("openai-responses") };
const NOT_FOUND = { description: "The response does not exist." };
const OBJECT = { type: "object" } as const;

/** Creates the routes of stored responses and of run cancellation. The module also recovers runs of dead processes. */
export function responsesModule(services: Services, recorder: Recorder): ServerModule {
  const recovery = new RunRecovery(services);
  return {
    routes: [
      getResponseRoute,
      deleteResponseRoute,
      inputItemsRoute,
      cancelResponseRoute,
      createCancelRunRoute(recorder),
    ],
    start: () => recovery.start(),
    stop: () => recovery.stop(),
  };
}

/** Returns the path with the version, without it, and with it twice, because some SDKs add the version again. */
function versionedPaths(tail: string): [string, ...string[]] {
  return [`/v1/responses/:id${tail}`, `/responses/:id${tail}`, `/v1/v1/responses/:id${tail}`];
}

function route(
  method: Route["method"],
  tail: string,
  operation: Omit<Operation, "tag">,
  run: (request: ServerRequest, caller: Caller) => Promise<ServerReply>,
): Route {
  return {
    method,
    paths: versionedPaths(tail),
    operation: { tag: "gateway", ...operation },
    formatError: (error) => encodeFailureReply(protocol, toCallFailure(error)),
    run,
  };
}

function json(value: JsonValue): ServerReply {
  return { status: 200, headers: { "content-type": "application/json" }, body: stringifyJson(value) };
}

/** Returns the id in the path. The router guarantees that the parameter exists. */
function readPathId({ params }: ServerRequest): string {
  return params["id"] ?? "";
}

const getResponseRoute = route(
  "GET",
  "",
  {
    id: "getResponse",
    summary: "A stored response of any provider; with `stream=true`, its events.",
    query: {
      stream: { type: "boolean", description: "Replays the events." },
      starting_after: { type: "integer", description: "Only events with a larger sequence_number." },
    },
    replies: { 200: { description: "The response, as OpenAI describes it.", schema: OBJECT }, 404: NOT_FOUND },
  },
  async (request, caller) => {
    const { query } = request;
    if (query.get("stream") !== "true") return json(await encodeStoredResponse(caller, readPathId(request)));
    const after = Number(query.get("starting_after") ?? -1);
    if (!Number.isInteger(after)) throw createQueryError("starting_after", "a whole number");
    const body = await encodeResponseEvents(caller, readPathId(request), after);
    return { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, body };
  },
);

const deleteResponseRoute = route(
  "DELETE",
  "",
  {
    id: "deleteResponse",
    summary: "Deletes a response id. The conversation stays in its thread; delete the thread to delete it.",
    replies: { 200: { description: "The id is deleted.", schema: OBJECT }, 404: NOT_FOUND },
  },
  async (request, caller) => {
    const id = readPathId(request);
    const run = await requireResponseRun(caller, id);
    // The item aliases are removed first: if that fails, the response can still be found and deleted again.
    await dropItemAliases(caller, run, id);
    await caller.ledger.dropAlias(responseAlias(caller, id));
    return json({ id, object: "response", deleted: true });
  },
);

const inputItemsRoute = route(
  "GET",
  "/input_items",
  {
    id: "listInputItems",
    summary: "The input items of a response, including earlier answers.",
    query: {
      order: { type: "string", enum: ["asc", "desc"], description: "Default desc." },
      limit: { type: "integer", minimum: 1, maximum: 100, description: "Default 20." },
      after: { type: "string", description: "The id of the last item of the previous page." },
    },
    replies: { 200: { description: "A page of items, as OpenAI lists them.", schema: OBJECT }, 404: NOT_FOUND },
  },
  async (request, caller) => {
    const { ledger } = caller;
    const run = await requireResponseRun(caller, readPathId(request));
    const stored = await readStoredRequest(ledger, run);
    return json(paginateItems(listInputItems(stored?.messages ?? [], run.threadId), request.query));
  },
);

const cancelResponseRoute = route(
  "POST",
  "/cancel",
  {
    id: "cancelResponse",
    summary: "Always rejected: only background responses can be cancelled by id, and Koine has none.",
    replies: {
      400: { description: "The error names the route that cancels an open call.", schema: OBJECT },
      404: NOT_FOUND,
    },
  },
  async (request, caller) => {
    await requireResponseRun(caller, readPathId(request));
    const message =
      "Only responses with background: true can be cancelled, and Koine does not support them. Cancel an open call with POST /v1/runs/{x-koine-run}/cancel.";
    throw new ServerError("unsupported", message, { status: 400, path: "id" });
  },
);

function createCancelRunRoute(recorder: Recorder): Route {
  return {
    method: "POST",
    paths: ["/v1/runs/:id/cancel"],
    operation: {
      id: "cancelRun",
      tag: "ledger",
      summary: "Cancels an open call on any instance. The partial answer is stored, marked interrupted.",
      replies: {
        200: {
          description: "The run is cancelled.",
          schema: {
            type: "object",
            required: ["id", "cancelled"],
            properties: { id: { type: "string" }, cancelled: { const: true } },
          },
        },
        404: { description: "The run is not open." },
        409: { description: "The run belongs to a task." },
      },
    },
    async run(request, caller) {
      const id = readPathId(request);
      if (await recorder.cancel(caller, id)) return json({ id, cancelled: true });
      throw new ServerError("not-found", `No run "${id}" is open.`, { path: "id" });
    },
  };
}
