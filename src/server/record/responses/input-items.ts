// Lists the input items of a response in pages. In OpenAI's format each item has an id, and the content of a message is
// a list.
import { dialect } from "../../../dialects/index.ts";
import type { JsonObject, JsonValue, Message } from "../../../model/index.ts";
import { isObject } from "../../../model/value-kind.ts";
import { ServerError } from "../../errors.ts";
import { leadingInstructions } from "../request-facts.ts";

const responses = dialect("openai-responses");

/** Encodes messages as input items. An item without an id gets a stable id that consists of `seed` and its index. */
export function listInputItems(messages: readonly Message[], seed: string): JsonObject[] {
  const { wire } = responses.encodeMessages(messages.slice(countInstructions(messages)));
  const input = isObject(wire) ? wire["input"] : wire;
  const items: JsonValue[] = typeof input === "string" ? [{ role: "user", content: input }] : (input as JsonValue[]);
  return items.filter(isObject).map((item, index) => completeItem(item, `msg_${seed}_${index}`));
}

/** Returns the number of leading messages that are encoded as `instructions` and not as items. */
function countInstructions(messages: readonly Message[]): number {
  const { wire } = responses.encodeMessages(leadingInstructions(messages));
  if (!isObject(wire)) return 0;
  return leadingInstructions(messages).length - (Array.isArray(wire["input"]) ? wire["input"].length : 0);
}

function completeItem(item: JsonObject, id: string): JsonObject {
  const { type = "message", role, content, ...rest } = item;
  if (type !== "message") return "id" in item ? item : { id, ...item };
  const isAnswer = role === "assistant";
  const text = { type: isAnswer ? "output_text" : "input_text", text: content as JsonValue };
  const block: JsonObject = isAnswer ? { ...text, annotations: [] } : text;
  const blocks = typeof content === "string" ? [block] : (content ?? []);
  return { id, type, status: "completed", role: role ?? "user", content: blocks, ...rest };
}

const MAX_PAGE_SIZE = 100;

/** Returns the page of items that the query selects. Throws if the query is invalid. */
export function paginateItems(items: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw createQueryError("order", '"asc" or "desc"');
  const limit = Number(query.get("limit") ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE_SIZE)
    throw createQueryError("limit", `a whole number from 1 to ${MAX_PAGE_SIZE}`);
  const ordered = order === "asc" ? items : items.toReversed();
  const after = query.get("after");
  const at = after === null ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== null && at === -1) throw createQueryError("after", "the id of an item of this response");
  const data = ordered.slice(at + 1, at + 1 + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: at + 1 + limit < ordered.length,
  };
}

export function createQueryError(field: string, expected: string): ServerError {
  return new ServerError("invalid-request", `The query's "${field}" must be ${expected}.`, { path: field });
}
