// Stateless clients: the part of an answer that each adds to its history, completely or with standard fields only.
import type { Message, ModelResponse } from "../../../src/index.ts";
import { dialect } from "../../../src/index.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json/index.ts";
import { isObject } from "../../../src/model/value-kind.ts";

/** The completeness of a client's echo. */
export const ECHO_MODES = ["whole", "standard fields"] as const;
export type EchoMode = (typeof ECHO_MODES)[number];

export interface EchoingClient {
  readonly dialect: string;
  /** The answer as the client receives it and adds it to its history. */
  answer(response: ModelResponse, manner: EchoMode): JsonValue[];
  /** Decodes a history. */
  read(history: readonly JsonValue[]): Message[];
  user(text: string): JsonValue;
  /** The message that the client adds for the result of a call. */
  result(call: JsonObject, output: string): JsonValue[];
  /** The calls in the client's history entry. */
  calls(answer: readonly JsonValue[]): JsonObject[];
}

/** Returns a copy after JSON encoding. */
export function copyJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

const object = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});
const objects = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.map(object) : []);

const toText = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

function pick(from: JsonValue | undefined, ...keys: string[]): JsonObject {
  return Object.fromEntries(Object.entries(object(from)).filter(([key]) => keys.includes(key)));
}

/** A client of a dialect with requests and responses. */
interface ClientHistoryFormat {
  /** Selects the history entry of a response. */
  historyEntries(response: JsonObject): JsonObject[];
  /** The same with standard fields only. */
  plain(entry: JsonObject): JsonObject[];
  request(history: JsonValue[]): JsonObject;
}

function createExchangeClient(
  id: string,
  format: ClientHistoryFormat & Pick<EchoingClient, "user" | "result" | "calls">,
): EchoingClient {
  const { user, result, calls } = format;
  return {
    dialect: id,
    answer: (response, manner) => {
      const entries = format.historyEntries(object(copyJson(dialect(id).encodeResponse(response).wire)));
      return manner === "whole" ? entries : entries.flatMap((each) => format.plain(each));
    },
    read: (history) => dialect(id).decodeRequest(copyJson(format.request([...history]))).messages,
    user,
    result,
    calls,
  };
}

/** A client of a dialect with messages only. */
function createMessageClient(
  id: string,
  plain: (message: JsonObject) => JsonObject,
  format: Pick<EchoingClient, "user" | "result" | "calls">,
): EchoingClient {
  return {
    dialect: id,
    answer: ({ message }, manner) => {
      const { wire } = dialect(id).encodeMessages([message], { newId: () => "message-1" });
      const entries = objects(copyJson(wire));
      return manner === "whole" ? entries : entries.map(plain);
    },
    read: (history) => dialect(id).decodeMessages(copyJson(history)),
    ...format,
  };
}

const chat = createExchangeClient("openai-chat", {
  historyEntries: ({ choices }) =>
    objects(choices)
      .slice(0, 1)
      .map(({ message }) => object(message)),
  plain: (message) => {
    const plain = pick(message, "role", "content", "refusal");
    if (message["tool_calls"] === undefined) return [plain];
    const calls = objects(message["tool_calls"]).map((call): JsonObject => {
      if (call["type"] === "custom")
        return { ...pick(call, "id", "type"), custom: pick(call["custom"], "name", "input") };
      return { ...pick(call, "id", "type"), function: pick(call["function"], "name", "arguments") };
    });
    return [{ ...plain, tool_calls: calls }];
  },
  request: (messages) => ({ model: "m", messages }),
  user: (content) => ({ role: "user", content }),
  result: ({ id = "" }, content) => [{ role: "tool", tool_call_id: id, content }],
  calls: (answer) => answer.flatMap((message) => objects(object(message)["tool_calls"])),
});

const PROVIDER_ITEMS = /^(?:reasoning|web_search|file_search|code_interpreter|image_generation|mcp_(?:call|list))/;

const responses = createExchangeClient("openai-responses", {
  historyEntries: ({ output }) => objects(output),
  plain: (item) => {
    if (item["type"] === "message") {
      const texts = objects(item["content"]).map(({ text, refusal }) => toText(text ?? refusal));
      return [{ role: "assistant", content: texts.join("") }];
    }
    if (PROVIDER_ITEMS.test(toText(item["type"]))) return [];
    const { id: _, status: __, ...rest } = item;
    // These are identified by their id alone.
    return [/^(?:mcp_|local_shell)/.test(toText(item["type"])) ? item : rest];
  },
  request: (input) => ({ model: "m", input }),
  user: (content) => ({ role: "user", content }),
  result: ({ call_id: id = "" }, output) => [{ type: "function_call_output", call_id: id, output }],
  calls: (answer) => answer.map(object).filter(({ type }) => type === "function_call"),
});

const anthropic = createExchangeClient("anthropic", {
  historyEntries: ({ content = [] }) => [{ role: "assistant", content }],
  plain: ({ content, ...message }) => [
    {
      ...message,
      content: objects(content).flatMap((block): JsonObject[] => {
        if (block["type"] === "text") return [pick(block, "type", "text")];
        return block["type"] === "tool_use" ? [pick(block, "type", "id", "name", "input")] : [];
      }),
    },
  ],
  request: (messages) => ({ model: "m", max_tokens: 100, messages }),
  user: (content) => ({ role: "user", content }),
  result: ({ id = "" }, content) => [{ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }],
  calls: (answer) =>
    answer.flatMap((message) => objects(object(message)["content"])).filter(({ type }) => type === "tool_use"),
});

const gemini = createExchangeClient("gemini", {
  historyEntries: ({ candidates }) => [object(objects(candidates)[0]?.["content"])],
  // Ids are optional, and many clients drop them.
  plain: ({ parts }) => [
    {
      role: "model",
      parts: objects(parts).flatMap((part): JsonObject[] => {
        if (part["thought"] === true) return [];
        if (part["text"] !== undefined) return [pick(part, "text")];
        return part["functionCall"] === undefined ? [] : [{ functionCall: pick(part["functionCall"], "name", "args") }];
      }),
    },
  ],
  request: (contents) => ({ contents }),
  user: (text) => ({ role: "user", parts: [{ text }] }),
  result: (call, output) => [
    { role: "user", parts: [{ functionResponse: { ...pick(call, "id", "name"), response: { output } } }] },
  ],
  calls: (answer) =>
    answer
      .flatMap((content) => objects(object(content)["parts"]))
      .flatMap(({ functionCall }) => (isObject(functionCall) ? [functionCall] : [])),
});

const bedrock = createExchangeClient("bedrock", {
  historyEntries: ({ output }) => [object(object(output)["message"])],
  plain: ({ role = "assistant", content }) => [
    {
      role,
      content: objects(content).flatMap((block): JsonObject[] => {
        if (block["text"] !== undefined) return [pick(block, "text")];
        if (block["toolUse"] !== undefined) return [{ toolUse: pick(block["toolUse"], "toolUseId", "name", "input") }];
        return objects(object(block["citationsContent"])["content"]).map((piece) => pick(piece, "text"));
      }),
    },
  ],
  request: (messages) => ({ modelId: "m", messages }),
  user: (text) => ({ role: "user", content: [{ text }] }),
  result: ({ toolUseId = "" }, text) => [
    { role: "user", content: [{ toolResult: { toolUseId, content: [{ text }] } }] },
  ],
  calls: (answer) =>
    answer
      .flatMap((message) => objects(object(message)["content"]))
      .flatMap(({ toolUse }) => (isObject(toolUse) ? [toolUse] : [])),
});

function isClientTool({ type, providerExecuted }: JsonObject): boolean {
  return /^(?:tool-|dynamic-tool$)/.test(toText(type)) && providerExecuted !== true;
}

const ui = createMessageClient(
  "ai-sdk-ui",
  ({ parts, ...message }) => ({
    ...pick(message, "id", "role"),
    parts: objects(parts).flatMap((part): JsonObject[] => {
      if (part["type"] === "text") return [pick(part, "type", "text")];
      if (part["type"] === "step-start") return [part];
      if (!isClientTool(part)) return [];
      return [pick(part, "type", "toolName", "toolCallId", "state", "input", "rawInput", "output", "errorText")];
    }),
  }),
  {
    user: (text) => ({ id: "message-0", role: "user", parts: [{ type: "text", text }] }),
    // In a UI message the result is part of the call, and adds no message.
    result: (call, output) => {
      Object.assign(call, { state: "output-available", output });
      return [];
    },
    calls: (answer) => answer.flatMap((message) => objects(object(message)["parts"])).filter(isClientTool),
  },
);

function isClientCall({ type, providerExecuted }: JsonObject): boolean {
  return type === "tool-call" && providerExecuted !== true;
}

const model = createMessageClient(
  "ai-sdk-model",
  ({ content, ...message }) => ({
    ...pick(message, "role"),
    content: objects(content).flatMap((part): JsonObject[] => {
      if (part["type"] === "text") return [pick(part, "type", "text")];
      return isClientCall(part) ? [pick(part, "type", "toolCallId", "toolName", "input")] : [];
    }),
  }),
  {
    user: (content) => ({ role: "user", content }),
    result: (call, value) => {
      const result = { type: "tool-result", ...pick(call, "toolCallId", "toolName"), output: { type: "text", value } };
      return [{ role: "tool", content: [result] }];
    },
    calls: (answer) => answer.flatMap((message) => objects(object(message)["content"])).filter(isClientCall),
  },
);

/** The dialects of clients. */
export const CLIENTS: readonly EchoingClient[] = [chat, responses, anthropic, gemini, bedrock, ui, model];
