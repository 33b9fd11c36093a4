// Requests that providers reject: a change to a valid request, the status, and a part of the error message.
import type { UpstreamDialect } from "./index.ts";
import { toObject, toObjects } from "./rejection.ts";
import type { Body } from "./valid-requests.ts";

/** Creates a change from the upstream's first answer and the request that would continue it; `headers` are its headers. */
type Change = (content: readonly Body[], next: Body) => Body;
type Row = readonly [sentence: string, change: Change, status: number, message: string];

/** The request with one element of its list changed, or removed if the change returns undefined. */
function at(field: string, index: number, change: (element: Body) => Body | undefined): Change {
  return (_, next) => {
    const elements = toObjects(next[field]).map((each) => ({ ...each }));
    const changed = change(elements.at(index) ?? {});
    elements.splice(index, 1, ...(changed === undefined ? [] : [changed]));
    return { [field]: elements };
  };
}

/** The list without all that comes from an index on, but with something else. */
function cutAt(field: string, index: number, ...instead: Body[]): Change {
  return (_, next) => ({ [field]: [...toObjects(next[field]).slice(0, index), ...instead] });
}

function within(
  field: string,
  index: number,
  inner: string,
  place: number,
  change: (it: Body) => Body | undefined,
): Change {
  return at(field, index, (element) => {
    const parts = toObjects(element[inner]).map((each) => ({ ...each }));
    const changed = change(parts.at(place) ?? {});
    parts.splice(place, 1, ...(changed === undefined ? [] : [changed]));
    return { ...element, [inner]: parts };
  });
}

const removed = (): undefined => undefined;
const plus = (more: Body) => (it: Body) => ({ ...it, ...more });
const always =
  (body: Body): Change =>
  () =>
    body;

const CHAT: readonly Row[] = [
  ["a request without a key", always({ headers: { authorization: "" } }), 401, "provide an API key"],
  ["a wrong key", always({ headers: { authorization: "Bearer no" } }), 401, "Incorrect API key"],
  ["an unknown model", always({ model: "gpt-none" }), 404, "does not exist"],
  ["an unknown field", always({ top_k: 3 }), 400, "Unknown parameter: 'top_k'"],
  ["an unknown field of a message", at("messages", 1, plus({ reasoning_content: "Hm." })), 400, "reasoning_content"],
  ["an empty list of tools", always({ tools: [] }), 400, "empty array"],
  ["a tool choice without tools", always({ tools: undefined, tool_choice: "auto" }), 400, "only allowed when 'tools'"],
  ["calls without results", cutAt("messages", 2), 400, "must be followed by tool messages"],
  ["a call without its result", at("messages", 3, removed), 400, "did not have response messages"],
  ["a result without its call", at("messages", 1, removed), 400, "must be a response to a preceeding message"],
  [
    "a result of a call that does not exist",
    at("messages", 3, () => ({ role: "tool", tool_call_id: "x", content: "" })),
    400,
    "preceeding",
  ],
  ["an assistant message without content", cutAt("messages", 1, { role: "assistant", content: null }), 400, "got null"],
  ["an unknown role", cutAt("messages", 0, { role: "model", content: "?" }), 400, "Invalid value: 'model'"],
  ["settings of other models", always({ reasoning_effort: "low" }), 400, "Unsupported parameter"],
  ["metadata without storage", always({ metadata: { a: "b" } }), 400, "only allowed when 'store' is enabled"],
  ["stream options without a stream", always({ stream_options: { include_usage: true } }), 400, "stream_options"],
];

const RESPONSES: readonly Row[] = [
  ["a request without a key", always({ headers: { authorization: "" } }), 401, "provide an API key"],
  ["an unknown model", always({ model: "gpt-none" }), 400, "does not exist"],
  ["an unknown field", always({ max_tokens: 3 }), 400, "Unknown parameter: 'max_tokens'"],
  ["an unknown field of an item", at("input", 1, plus({ foo: 1 })), 400, "Unknown parameter: 'input[1].foo'"],
  ["altered encrypted content", at("input", 1, plus({ encrypted_content: "gAAA" })), 400, "could not be verified"],
  ["encrypted content of another item", at("input", 1, plus({ id: "rs_other" })), 400, "could not be verified"],
  ["reasoning that is not stored", at("input", 1, plus({ encrypted_content: undefined })), 404, "not found"],
  ["reasoning without the item that must follow", at("input", 2, removed), 400, "without its required following item"],
  ["an item without its reasoning", at("input", 1, removed), 400, "without its required 'reasoning' item"],
  ["a call without its output", at("input", -1, removed), 400, "No tool output found for function call"],
  ["an output without its call", at("input", 3, removed), 400, "No tool call found for function call output"],
  ["an id of another kind", at("input", 2, plus({ id: "toolu_1" })), 400, "Expected an ID that begins with 'msg'"],
  [
    "an item twice",
    (content, { input }) => ({ input: [...toObjects(input), content[2] ?? {}] }),
    400,
    "Duplicate item found",
  ],
  [
    "an assistant content type in a user message",
    at("input", 2, plus({ content: [{ type: "input_text", text: "" }] })),
    400,
    "output_text",
  ],
  ["an unknown previous response", always({ previous_response_id: "resp_no" }), 400, "not found"],
  ["sampling settings for a reasoning model", always({ temperature: 1 }), 400, "'temperature' is not supported"],
  [
    "reasoning settings for another model",
    always({ model: "gpt-4.1", reasoning: { effort: "low" } }),
    400,
    "'reasoning'",
  ],
  [
    "encrypted reasoning of a model without reasoning",
    always({ model: "gpt-4.1" }),
    400,
    "Encrypted content is not supported",
  ],
];

const ANTHROPIC: readonly Row[] = [
  ["a request without a key", always({ headers: { "x-api-key": "" } }), 401, "x-api-key header is required"],
  ["a wrong key", always({ headers: { "x-api-key": "no" } }), 401, "invalid x-api-key"],
  ["a request without a version", always({ headers: { "anthropic-version": "" } }), 400, "header is required"],
  ["a wrong version", always({ headers: { "anthropic-version": "2024-01-01" } }), 400, "not a valid version"],
  [
    "sampling settings in the newer version",
    always({ headers: { "anthropic-version": "2026-10-21" }, temperature: 1 }),
    400,
    "temperature: Extra inputs",
  ],
  ["an unknown model", always({ model: "claude-none" }), 404, "model: claude-none"],
  ["a missing max_tokens", always({ max_tokens: undefined }), 400, "max_tokens: Field required"],
  ["an unknown field", always({ foo: 1 }), 400, "foo: Extra inputs are not permitted"],
  ["an unknown field of a block", within("messages", 1, "content", 1, plus({ foo: 1 })), 400, "Extra inputs"],
  ["an altered signature", within("messages", 1, "content", 0, plus({ signature: "no" })), 400, "Invalid `signature`"],
  [
    "altered signed thinking",
    within("messages", 1, "content", 0, plus({ thinking: "So." })),
    400,
    "Invalid `signature`",
  ],
  ["thinking without a signature", within("messages", 1, "content", 0, plus({ signature: "" })), 400, "Field required"],
  [
    "redacted thinking of another provider",
    within("messages", 1, "content", 0, () => ({ type: "redacted_thinking", data: "x" })),
    400,
    "Invalid `data`",
  ],
  [
    "a thinking budget for an answer without leading thinking",
    (content, next) => ({
      ...within("messages", 1, "content", 0, removed)(content, next),
      model: "claude-haiku-4-5",
      thinking: { type: "enabled", budget_tokens: 1024 },
    }),
    400,
    "Expected `thinking` or `redacted_thinking`",
  ],
  ["calls without results", cutAt("messages", 2, { role: "user", content: "?" }), 400, "without `tool_result` blocks"],
  ["a call without its result", within("messages", 2, "content", 1, removed), 400, "without `tool_result` blocks"],
  ["a result without its call", within("messages", 1, "content", 3, removed), 400, "unexpected `tool_use_id`"],
  [
    "text before the results",
    at("messages", 2, (it) => ({ ...it, content: [{ type: "text", text: "So." }, ...toObjects(it["content"])] })),
    400,
    "must come first",
  ],
  ["two turns of one role", cutAt("messages", 1, { role: "user", content: "?" }), 400, "roles must alternate"],
  ["a leading assistant message", cutAt("messages", 0, { role: "assistant", content: "?" }), 400, "first message"],
  ["empty text", cutAt("messages", 0, { role: "user", content: [{ type: "text", text: "" }] }), 400, "non-empty"],
  [
    "blank text",
    cutAt("messages", 0, { role: "user", content: [{ type: "text", text: " \n" }] }),
    400,
    "non-whitespace",
  ],
  ["a message without content", cutAt("messages", 0, { role: "user", content: [] }), 400, "non-empty content"],
  [
    "a call id with invalid characters",
    within("messages", 1, "content", 2, plus({ id: "a.b" })),
    400,
    "should match pattern",
  ],
  ["thinking with a forced tool", always({ tool_choice: { type: "any" } }), 400, "forces tool use"],
  [
    "a prefilled answer",
    cutAt("messages", 1, { role: "assistant", content: "So" }),
    400,
    "does not support assistant message prefill",
  ],
];

const GEMINI: readonly Row[] = [
  ["a request without a key", always({ headers: { "x-goog-api-key": "" } }), 403, "unregistered callers"],
  ["a wrong key", always({ headers: { "x-goog-api-key": "no" } }), 400, "API key not valid"],
  ["an unknown model", always({ model: "gemini-none" }), 404, "is not found for API version v1beta"],
  ["an unknown field", always({ model_name: "x" }), 400, 'Unknown name "model_name": Cannot find field'],
  [
    "an unknown field of a part",
    within("contents", 1, "parts", 1, plus({ foo: 1 })),
    400,
    "Unknown name \"foo\" at 'contents[1].parts[1]'",
  ],
  ["no contents", always({ contents: [] }), 400, "contents is not specified"],
  ["a content without parts", cutAt("contents", 0, { role: "user", parts: [] }), 400, "must not be empty"],
  ["an unknown role", cutAt("contents", 0, { role: "assistant", parts: [{ text: "?" }] }), 400, "valid role"],
  [
    "a first call without its signature",
    within("contents", 1, "parts", 2, plus({ thoughtSignature: undefined })),
    400,
    "missing a thought_signature",
  ],
  [
    "an altered signature",
    within("contents", 1, "parts", 2, plus({ thoughtSignature: "bm8=" })),
    400,
    "Corrupted thought signature",
  ],
  [
    "a signature on another part",
    (content, next) =>
      within("contents", 1, "parts", 3, plus({ thoughtSignature: content[2]?.["thoughtSignature"] }))(content, next),
    400,
    "Corrupted thought signature",
  ],
  [
    "a signature that is not base64",
    within("contents", 1, "parts", 2, plus({ thoughtSignature: "?!" })),
    400,
    "Base64",
  ],
  [
    "calls without responses",
    cutAt("contents", 2, { role: "user", parts: [{ text: "?" }] }),
    400,
    "number of function response parts",
  ],
  ["a call without its response", within("contents", 2, "parts", 1, removed), 400, "number of function response parts"],
  ["responses without calls", at("contents", 1, removed), 400, "comes immediately after a function call turn"],
  [
    "a response without a name",
    within("contents", 2, "parts", 0, (it) => ({
      functionResponse: { ...toObject(it["functionResponse"]), name: "" },
    })),
    400,
    "Name cannot be empty",
  ],
  [
    "a model turn at the end",
    cutAt("contents", 1, { role: "model", parts: [{ text: "So." }] }),
    400,
    "end with a user role",
  ],
  [
    "unsupported schema keywords",
    always({
      tools: [{ functionDeclarations: [{ name: "f", parameters: { type: "object", additionalProperties: false } }] }],
    }),
    400,
    'Unknown name "additionalProperties"',
  ],
];

export const REJECTIONS: Readonly<Record<UpstreamDialect, readonly Row[]>> = {
  "openai-chat": CHAT,
  "openai-responses": RESPONSES,
  anthropic: ANTHROPIC,
  gemini: GEMINI,
};
