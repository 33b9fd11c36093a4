// Reads the request of an upstream from the wire of its own protocol, without Koine's code.
import type { ReceivedRequest } from "../../../src/testkit/index.ts";
import { toObject, toObjects, toString } from "../../support/upstreams/rejection.ts";
import type { Json } from "../../support/upstreams/rejection.ts";
import type { UpstreamDialect } from "../../support/upstreams/index.ts";
import type { Call, UpstreamRequest } from "./types.ts";

type Read = (body: Json) => UpstreamRequest;

const parsed = (text: unknown): unknown => JSON.parse(toString(text)) as unknown;
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(toString) : []);
const number = (value: unknown): { maxOutputTokens?: number } =>
  typeof value === "number" ? { maxOutputTokens: value } : {};
const withSchema = (schema: unknown): { schema?: unknown } => (schema === undefined ? {} : { schema });

/** Returns the texts of a content, which is a text or a list of parts. */
function texts(content: unknown): string {
  if (typeof content === "string") return content;
  return toObjects(content)
    .map((part) => toString(part["text"]))
    .join("");
}

/** Returns the data of a `data:` URL. */
function inUrl(url: unknown): string[] {
  const [, data] = /^data:image\/png;base64,(.*)$/.exec(toString(url)) ?? [];
  return data === undefined ? [] : [data];
}

const chat: Read = (body) => {
  const messages = toObjects(body["messages"]);
  const by = (...roles: string[]): Json[] => messages.filter(({ role }) => roles.includes(toString(role)));
  const { stop, max_completion_tokens: max, max_tokens: older } = body;
  const calls = by("assistant").flatMap((message) => toObjects(message["tool_calls"]));
  return {
    system: by("system", "developer")
      .map(({ content }) => texts(content))
      .join("\n"),
    user: texts(by("user").at(-1)?.["content"]),
    images: by("user").flatMap(({ content }) =>
      toObjects(content).flatMap((part) => inUrl(toObject(part["image_url"])["url"])),
    ),
    tools: toObjects(body["tools"]).map((tool) => toString(toObject(tool["function"])["name"])),
    results: by("tool").map(({ content }) => texts(content)),
    calls: calls.map(({ function: call }) => calledBy(toObject(call)["name"], parsed(toObject(call)["arguments"]))),
    ...withSchema(toObject(toObject(body["response_format"])["json_schema"])["schema"]),
    stop: typeof stop === "string" ? [stop] : strings(stop),
    ...number(max ?? older),
    isReasoning: body["reasoning_effort"] !== undefined || body["reasoning"] !== undefined,
  };
};

const responses: Read = (body) => {
  const items =
    typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : toObjects(body["input"]);
  const by = (...roles: string[]): Json[] => items.filter(({ role }) => roles.includes(toString(role)));
  const of = (type: string): Json[] => items.filter((item) => toObject(item)["type"] === type);
  return {
    system: [toString(body["instructions"]), ...by("system", "developer").map(({ content }) => texts(content))]
      .filter((text) => text !== "")
      .join("\n"),
    user: texts(by("user").at(-1)?.["content"]),
    images: by("user").flatMap(({ content }) => toObjects(content).flatMap((part) => inUrl(part["image_url"]))),
    tools: toObjects(body["tools"]).map((tool) => toString(tool["name"])),
    results: of("function_call_output").map(({ output }) => texts(output)),
    calls: of("function_call").map(({ name, arguments: text }) => calledBy(name, parsed(text))),
    ...withSchema(toObject(toObject(body["text"])["format"])["schema"]),
    stop: [],
    ...number(body["max_output_tokens"]),
    isReasoning: body["reasoning"] !== undefined,
    ...(typeof body["previous_response_id"] === "string" && { isContinued: true as const }),
  };
};

const anthropic: Read = (body) => {
  const messages = toObjects(body["messages"]);
  const blocks = messages.flatMap(({ content }) => toObjects(content));
  const of = (type: string): Json[] => blocks.filter((block) => block["type"] === type);
  return {
    system: texts(body["system"]),
    user: texts(messages.findLast(({ role, content }) => role === "user" && texts(content) !== "")?.["content"]),
    images: of("image").map(({ source }) => toString(toObject(source)["data"])),
    tools: toObjects(body["tools"]).map(({ name }) => toString(name)),
    results: of("tool_result").map(({ content }) => texts(content)),
    calls: of("tool_use").map(({ name, input }) => calledBy(name, input)),
    ...withSchema(toObject(toObject(body["output_config"])["format"])["schema"]),
    stop: strings(body["stop_sequences"]),
    ...number(body["max_tokens"]),
    isReasoning: body["thinking"] !== undefined && toObject(body["thinking"])["type"] !== "disabled",
  };
};

const gemini: Read = (body) => {
  const contents = toObjects(body["contents"]);
  const parts = contents.flatMap((content) => toObjects(content["parts"]));
  const readTexts = (content: Json | undefined): string => texts(toObject(content)["parts"]);
  const of = (field: string): Json[] =>
    parts.flatMap((part) => (part[field] === undefined ? [] : [toObject(part[field])]));
  const config = toObject(body["generationConfig"]);
  const declared = toObjects(body["tools"]).flatMap((tool) => toObjects(tool["functionDeclarations"]));
  return {
    system: readTexts(toObject(body["systemInstruction"])),
    user: readTexts(contents.findLast((content) => content["role"] !== "model" && readTexts(content) !== "")),
    images: of("inlineData").map(({ data }) => toString(data)),
    tools: declared.map(({ name }) => toString(name)),
    results: of("functionResponse").map(({ response }) => resultText(toObject(response))),
    calls: of("functionCall").map(({ name, args }) => calledBy(name, args)),
    ...withSchema(config["responseJsonSchema"] ?? config["responseSchema"]),
    stop: strings(config["stopSequences"]),
    ...number(config["maxOutputTokens"]),
    isReasoning: Object.keys(toObject(config["thinkingConfig"])).length > 0,
  };
};

function calledBy(name: unknown, input: unknown): Call {
  return { name: toString(name), input };
}

/** SDKs have the text of a result under one of these names. */
function resultText({ output, result, content }: Json): string {
  return toString(output ?? result ?? content);
}

const READS: Readonly<Record<UpstreamDialect, Read>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  anthropic,
  gemini,
};

export function readUpstreamRequest(dialect: UpstreamDialect, { body }: ReceivedRequest): UpstreamRequest {
  return READS[dialect](toObject(body));
}
