// Reads the request of an upstream from the wire of its own protocol, without Koine's code.
import type { ReceivedRequest } from "../../../src/testkit/index.ts";
import { json, list, string } from "../../support/upstreams/refusal.ts";
import type { Json } from "../../support/upstreams/refusal.ts";
import type { UpstreamDialect } from "../../support/upstreams/index.ts";
import type { Call, UpstreamRequest } from "./types.ts";

type Read = (body: Json) => UpstreamRequest;

const parsed = (text: unknown): unknown => JSON.parse(string(text)) as unknown;
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.map(string) : []);
const number = (value: unknown): { maxOutputTokens?: number } =>
  typeof value === "number" ? { maxOutputTokens: value } : {};
const withSchema = (schema: unknown): { schema?: unknown } => (schema === undefined ? {} : { schema });

/** Returns the texts of a content, which is a text or a list of parts. */
function texts(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => string(part["text"]))
    .join("");
}

/** Returns the data of a `data:` URL. */
function inUrl(url: unknown): string[] {
  const [, data] = /^data:image\/png;base64,(.*)$/.exec(string(url)) ?? [];
  return data === undefined ? [] : [data];
}

const chat: Read = (body) => {
  const messages = list(body["messages"]);
  const by = (...roles: string[]): Json[] => messages.filter(({ role }) => roles.includes(string(role)));
  const { stop, max_completion_tokens: max, max_tokens: older } = body;
  const calls = by("assistant").flatMap((message) => list(message["tool_calls"]));
  return {
    system: by("system", "developer")
      .map(({ content }) => texts(content))
      .join("\n"),
    user: texts(by("user").at(-1)?.["content"]),
    images: by("user").flatMap(({ content }) => list(content).flatMap((part) => inUrl(json(part["image_url"])["url"]))),
    tools: list(body["tools"]).map((tool) => string(json(tool["function"])["name"])),
    results: by("tool").map(({ content }) => texts(content)),
    calls: calls.map(({ function: call }) => calledBy(json(call)["name"], parsed(json(call)["arguments"]))),
    ...withSchema(json(json(body["response_format"])["json_schema"])["schema"]),
    stop: typeof stop === "string" ? [stop] : strings(stop),
    ...number(max ?? older),
    isReasoning: body["reasoning_effort"] !== undefined || body["reasoning"] !== undefined,
  };
};

const responses: Read = (body) => {
  const items = typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : list(body["input"]);
  const by = (...roles: string[]): Json[] => items.filter(({ role }) => roles.includes(string(role)));
  const of = (type: string): Json[] => items.filter((item) => json(item)["type"] === type);
  return {
    system: [string(body["instructions"]), ...by("system", "developer").map(({ content }) => texts(content))]
      .filter((text) => text !== "")
      .join("\n"),
    user: texts(by("user").at(-1)?.["content"]),
    images: by("user").flatMap(({ content }) => list(content).flatMap((part) => inUrl(part["image_url"]))),
    tools: list(body["tools"]).map((tool) => string(tool["name"])),
    results: of("function_call_output").map(({ output }) => texts(output)),
    calls: of("function_call").map(({ name, arguments: text }) => calledBy(name, parsed(text))),
    ...withSchema(json(json(body["text"])["format"])["schema"]),
    stop: [],
    ...number(body["max_output_tokens"]),
    isReasoning: body["reasoning"] !== undefined,
    ...(typeof body["previous_response_id"] === "string" && { isContinued: true as const }),
  };
};

const anthropic: Read = (body) => {
  const messages = list(body["messages"]);
  const blocks = messages.flatMap(({ content }) => list(content));
  const of = (type: string): Json[] => blocks.filter((block) => block["type"] === type);
  return {
    system: texts(body["system"]),
    user: texts(messages.findLast(({ role, content }) => role === "user" && texts(content) !== "")?.["content"]),
    images: of("image").map(({ source }) => string(json(source)["data"])),
    tools: list(body["tools"]).map(({ name }) => string(name)),
    results: of("tool_result").map(({ content }) => texts(content)),
    calls: of("tool_use").map(({ name, input }) => calledBy(name, input)),
    ...withSchema(json(json(body["output_config"])["format"])["schema"]),
    stop: strings(body["stop_sequences"]),
    ...number(body["max_tokens"]),
    isReasoning: body["thinking"] !== undefined && json(body["thinking"])["type"] !== "disabled",
  };
};

const gemini: Read = (body) => {
  const contents = list(body["contents"]);
  const parts = contents.flatMap((content) => list(content["parts"]));
  const readTexts = (content: Json | undefined): string => texts(json(content)["parts"]);
  const of = (field: string): Json[] => parts.flatMap((part) => (part[field] === undefined ? [] : [json(part[field])]));
  const config = json(body["generationConfig"]);
  const declared = list(body["tools"]).flatMap((tool) => list(tool["functionDeclarations"]));
  return {
    system: readTexts(json(body["systemInstruction"])),
    user: readTexts(contents.findLast((content) => content["role"] !== "model" && readTexts(content) !== "")),
    images: of("inlineData").map(({ data }) => string(data)),
    tools: declared.map(({ name }) => string(name)),
    results: of("functionResponse").map(({ response }) => resultText(json(response))),
    calls: of("functionCall").map(({ name, args }) => calledBy(name, args)),
    ...withSchema(config["responseJsonSchema"] ?? config["responseSchema"]),
    stop: strings(config["stopSequences"]),
    ...number(config["maxOutputTokens"]),
    isReasoning: Object.keys(json(config["thinkingConfig"])).length > 0,
  };
};

function calledBy(name: unknown, input: unknown): Call {
  return { name: string(name), input };
}

/** SDKs have the text of a result under one of these names. */
function resultText({ output, result, content }: Json): string {
  return string(output ?? result ?? content);
}

const READS: Readonly<Record<UpstreamDialect, Read>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  anthropic,
  gemini,
};

export function readUpstreamRequest(dialect: UpstreamDialect, { body }: ReceivedRequest): UpstreamRequest {
  return READS[dialect](json(body));
}
