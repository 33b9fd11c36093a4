// The items that an answer was made from, as OpenAI lists them: each with an id and its content as a list, in pages.
import { dialect } from "../../../dialects/index.ts";
import type { JsonObject, JsonValue, Message } from "../../../model/index.ts";
import { isObject } from "../../../model/kind.ts";
import { ServerError } from "../../errors.ts";
import { leadingOf } from "../said.ts";

const responses = dialect("openai-responses");

/** Ids of items that have none of their own are made of `seed` and their place: the same every time. */
export function inputItems(messages: readonly Message[], seed: string): JsonObject[] {
  const { wire } = responses.encodeMessages(messages.slice(instructions(messages)));
  const listed = isObject(wire) ? wire["input"] : wire;
  const items: JsonValue[] = typeof listed === "string" ? [{ role: "user", content: listed }] : (listed as JsonValue[]);
  return items.filter(isObject).map((item, index) => whole(item, `msg_${seed}_${index}`));
}

/** How many messages the history begins with that go out as instructions, which are no items. */
function instructions(messages: readonly Message[]): number {
  const { wire } = responses.encodeMessages(leadingOf(messages));
  if (!isObject(wire)) return 0;
  return leadingOf(messages).length - (Array.isArray(wire["input"]) ? wire["input"].length : 0);
}

function whole(item: JsonObject, id: string): JsonObject {
  const { type = "message", role, content, ...rest } = item;
  if (type !== "message") return "id" in item ? item : { id, ...item };
  const isAnswer = role === "assistant";
  const text = { type: isAnswer ? "output_text" : "input_text", text: content as JsonValue };
  const block: JsonObject = isAnswer ? { ...text, annotations: [] } : text;
  const blocks = typeof content === "string" ? [block] : (content ?? []);
  return { id, type, status: "completed", role: role ?? "user", content: blocks, ...rest };
}

const MOST = 100;

/** A page of items, as the query asks for it. */
export function pageOf(items: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalid("order", '"asc" or "desc"');
  const limit = Number(query.get("limit") ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) throw invalid("limit", `a whole number from 1 to ${MOST}`);
  const ordered = order === "asc" ? items : items.toReversed();
  const after = query.get("after");
  const at = after === null ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== null && at === -1) throw invalid("after", "the id of an item of this response");
  const data = ordered.slice(at + 1, at + 1 + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: at + 1 + limit < ordered.length,
  };
}

export function invalid(field: string, wanted: string): ServerError {
  return new ServerError("invalid-request", `The query's "${field}" must be ${wanted}.`, { path: field });
}
