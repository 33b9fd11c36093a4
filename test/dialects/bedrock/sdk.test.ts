// Compares Koine with the official SDK: it sends Koine's requests, decodes Koine's responses and streams, and both read
// each other's frames.
import { Readable } from "node:stream";
import type { BedrockRuntimeClientConfig, ConverseStreamOutput } from "@aws-sdk/client-bedrock-runtime";
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { describe, expect, test } from "vitest";
import { assemble } from "../../../src/assembly/assemble.ts";
import { disassemble } from "../../../src/assembly/disassemble.ts";
import { bedrock } from "../../../src/dialects/bedrock/index.ts";
import type { JsonObject } from "../../../src/model/json/index.ts";
import { stringifyJson } from "../../../src/model/json/index.ts";
import { isObject } from "../../../src/model/value-kind.ts";
import { system, toolResult, user } from "../../../src/model/message.ts";
import type { ModelRequest } from "../../../src/model/request.ts";
import type { ModelResponse } from "../../../src/model/response.ts";
import type { Reply } from "../../../src/testkit/index.ts";
import { cutRandomly, replayServer, canonicalResponses, seededRandom } from "../../../src/testkit/index.ts";
import { formatStream, decodeEvents, encodeDeltas } from "../../../src/testkit/checks/stream-helpers.ts";
import { responseSamples } from "./response-samples.ts";
import { delta, metadata, open, start, stop, streamSamples } from "./stream-samples.ts";

const dialect = bedrock();
const MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

interface SdkHttpRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Sends the SDK's request over HTTP/1.1: the SDK prefers HTTP/2, which the test server does not support. */
async function sendOverHttp({
  method,
  protocol,
  hostname,
  port,
  path,
  headers,
  body,
}: SdkHttpRequest): Promise<{ response: object }> {
  const { host: _, ...sent } = headers;
  const init: RequestInit = { method, headers: sent };
  if (body !== undefined) init.body = typeof body === "string" ? body : new TextDecoder().decode(body);
  const reply = await fetch(`${protocol}//${hostname}:${port}${path}`, init);
  const received = Object.fromEntries(reply.headers);
  return {
    response: { statusCode: reply.status, headers: received, body: Readable.from(reply.body ?? []) },
  };
}

/** Runs an SDK call against a server with a prepared reply; returns the result and the request. */
async function callSdk<T>(
  reply: Reply,
  call: (client: BedrockRuntimeClient) => Promise<T>,
): Promise<{ result: T; requests: unknown[] }> {
  await using server = await replayServer({ "*": reply });
  const config: BedrockRuntimeClientConfig = {
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    maxAttempts: 1,
    requestHandler: { handle: sendOverHttp },
  };
  const client = new BedrockRuntimeClient(config);
  try {
    return { result: await call(client), requests: server.requests.map(({ path, body }) => ({ path, body })) };
  } finally {
    client.destroy();
  }
}

/** Converts a value of the SDK to JSON: bytes in base64, without undefined fields. */
function toWireJson(value: unknown): unknown {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? Number(each) : each));
  return JSON.parse(
    text.replaceAll(/\{"0":\d+(?:,"\d+":\d+)*\}/g, (each) => {
      return JSON.stringify(Buffer.from(Object.values(JSON.parse(each) as Record<string, number>)).toString("base64"));
    }),
  ) as unknown;
}

/** Converts a wire value to the SDK's input: bytes as an array. */
function toSdkInput(value: unknown): unknown {
  return parseBytes(structuredClone(value));
}

function parseBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(parseBytes);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]): [string, unknown] => {
      const isBytes = (key === "bytes" || key === "redactedContent") && typeof each === "string";
      return [key, isBytes ? new Uint8Array(Buffer.from(each, "base64")) : parseBytes(each)];
    }),
  );
}

const request: ModelRequest = {
  model: MODEL,
  messages: [
    system("Be brief."),
    user([
      { type: "text", text: "What is this?", cache: {} },
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
      { type: "file", mimeType: "application/pdf", name: "Laws", data: "JVBERi0xLjQ=" },
      { type: "video", mimeType: "video/mp4", url: "s3://agora/walk.mp4" },
    ]),
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "Hm.", seals: [{ dialect: "bedrock", kind: "signature", value: "c2ln" }] },
        { type: "reasoning", text: "", seals: [{ dialect: "bedrock", kind: "redacted", value: "cmVk" }] },
        { type: "tool-call", toolCallId: "t1", toolName: "look", input: { at: "agora" } },
      ],
    },
    toolResult({ toolCallId: "t1", toolName: "look" }, { seen: true }, { isError: true }),
  ],
  tools: [
    { type: "function", name: "look", description: "Looks.", inputSchema: { type: "object" }, cache: { ttl: "1h" } },
  ],
  toolChoice: "auto",
  sampling: { maxOutputTokens: 100, temperature: 0.5, topP: 0.9, topK: 5, stop: ["END"] },
  reasoning: { effort: "high" },
  output: { type: "json-schema", schema: { type: "object" }, name: "place" },
  metadata: { team: "agora" },
};

test("the SDK sends Koine's request unchanged", async () => {
  const { wire, address, losses } = dialect.encodeRequest(request);
  expect(losses).toStrictEqual([]);
  const input = { ...(toSdkInput(wire) as JsonObject), modelId: address?.model };
  const answer = dialect.encodeResponse(canonicalResponses()[0]?.value as ModelResponse).wire as object;
  const { requests } = await callSdk({ body: answer }, (client) => client.send(new ConverseCommand(input)));
  expect(requests).toStrictEqual([{ path: `/model/${encodeURIComponent(MODEL)}/converse`, body: wire }]);
});

test("the SDK's input, bytes included, round-trips", () => {
  const { wire } = dialect.encodeRequest(request);
  const input = { ...(toSdkInput(wire) as JsonObject), modelId: MODEL };
  const again = dialect.encodeRequest(dialect.decodeRequest(input));
  expect(again.wire).toStrictEqual(input);
  expect(again.address).toStrictEqual({ model: MODEL });
});

/** Fields that the SDK does not know and drops. */
const UNKNOWN_TO_SDK =
  /hologram|mood|serverToolUsage|nova_grounding_result|"type":"(?:tool_use|text)"|\$metadata|cachePoint|guardContent|"document"|"audio"|"video"|oracle/;
const answers: [name: string, response: ModelResponse][] = [
  ...canonicalResponses().map(({ name, value }): [string, ModelResponse] => [name, value]),
  ...responseSamples.map(({ name, wire }): [string, ModelResponse] => [name, dialect.decodeResponse(wire)]),
].filter(
  ([, value]) => value.error === undefined && !UNKNOWN_TO_SDK.test(stringifyJson(dialect.encodeResponse(value).wire)),
);

describe("the SDK decodes Koine's answer", () => {
  test("the list of answers is not empty", () => {
    expect(answers.length).toBeGreaterThan(12);
  });

  test.each(answers)("whole: %s", async (_, response) => {
    const { wire } = dialect.encodeResponse(response);
    const { result } = await callSdk({ body: wire as object }, (client) =>
      client.send(new ConverseCommand({ modelId: MODEL, messages: [] })),
    );
    const { $metadata: __, ...decoded } = result;
    expect(toWireJson(decoded)).toStrictEqual(JSON.parse(stringifyJson(wire)));
  });

  test.each(answers)("in events: %s", async (_, response) => {
    const { events } = encodeDeltas(dialect, disassemble(response));
    const decoded = await decodeStreamWithSdk(formatStream(dialect, events));
    expect(decoded).toStrictEqual(events.map(({ data }) => JSON.parse(stringifyJson(data)) as unknown));
    // The SDK's events decode to the whole response.
    const whole = dialect.decodeResponse(dialect.encodeResponse(response).wire);
    expect(assemble(decodeEvents(dialect, decoded)).message.parts).toStrictEqual(whole.message.parts);
  });
});

/** Returns the events that the SDK decodes from the bytes of a stream, sent in random chunks. */
async function decodeStreamWithSdk(bytes: Uint8Array): Promise<unknown[]> {
  const reply: Reply = {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
    chunks: cutRandomly(bytes, seededRandom(bytes.length), Math.max(16, bytes.length / 12)),
  };
  const { result } = await callSdk(reply, async (client) => {
    const decoded: ConverseStreamOutput[] = [];
    const { stream: events = [] } = await client.send(new ConverseStreamCommand({ modelId: MODEL, messages: [] }));
    for await (const event of events as AsyncIterable<ConverseStreamOutput>) decoded.push(event);
    return decoded;
  });
  return toWireJson(result) as unknown[];
}

test("B86: the SDK throws the exception that a failed stream ends with", async () => {
  const failed = [
    ...disassemble({
      id: "",
      model: "",
      message: { role: "assistant", parts: [{ type: "text", text: "I" }] },
      finishReason: { unified: "stop" },
    }).slice(0, -1),
    { kind: "error", payload: { errorCode: "rate-limit", message: "Slow down." } } as const,
  ];
  const { events } = encodeDeltas(dialect, failed);
  await expect(decodeStreamWithSdk(formatStream(dialect, events))).rejects.toMatchObject({
    name: "ThrottlingException",
    message: "Slow down.",
  });
});

test.each([
  ["rate-limit", "ThrottlingException"],
  ["invalid-request", "ValidationException"],
  ["permission", "AccessDeniedException"],
  ["not-found", "ResourceNotFoundException"],
  ["overloaded", "ServiceUnavailableException"],
  ["server", "InternalServerException"],
  ["timeout", "ModelTimeoutException"],
] as const)("B88: the SDK throws an error of the kind %s as %s", async (kind, name) => {
  const { status, wire } = dialect.encodeError({ kind, message: "It went wrong." });
  const call = callSdk({ status, body: wire as object }, (client) =>
    client.send(new ConverseCommand({ modelId: MODEL, messages: [] })),
  );
  await expect(call).rejects.toMatchObject({ name, message: "It went wrong.", $metadata: { httpStatusCode: status } });
});

/** Encodes frames with the SDK, with headers of other types among the required ones. */
async function encodeFramesWithSdk(
  messages: readonly { headers: Record<string, string>; payload: unknown }[],
): Promise<Uint8Array[]> {
  const { config } = new BedrockRuntimeClient({ region: "us-east-1" });
  const body = ({ payload }: { payload: unknown }): Uint8Array => new TextEncoder().encode(stringifyJson(payload));
  const frames = config.eventStreamSerdeProvider({ ...config }).serialize(Readable.from(messages), (message) => ({
    headers: {
      ...Object.fromEntries(
        Object.entries(message.headers).map(([name, value]) => [name, { type: "string" as const, value }]),
      ),
      flag: { type: "boolean", value: true },
      time: { type: "timestamp", value: new Date(0) },
      count: { type: "integer", value: 7 },
      bytes: { type: "binary", value: new Uint8Array(3) },
    },
    body: body(message),
  }));
  const all: Uint8Array[] = [];
  for await (const frame of frames as AsyncIterable<Uint8Array>) all.push(frame);
  return all;
}

const eventSamples = streamSamples.filter(({ events }) => Object.keys(Object(events[0])).length === 1);

test.each(eventSamples)("Koine reads the SDK's frames: $name", async ({ events }) => {
  const messages = events.map((event) => {
    const [[name, payload] = ["", null]] = Object.entries(event as JsonObject);
    const kind = name.endsWith("Exception") ? "exception" : "event";
    return { headers: { ":message-type": kind, [`:${kind}-type`]: name }, payload };
  });
  expect(decodeEvents(dialect, await encodeFramesWithSdk(messages))).toStrictEqual(decodeEvents(dialect, events));
});

describe("a damaged stream", () => {
  const bytes = formatStream(dialect, [
    start,
    delta(0, { text: "The agora" }),
    open(1, {}),
    stop("end_turn"),
    metadata,
  ]);

  test.each([0, 3, 5, 9, 20, bytes.length - 2])("fails at byte %i with the content before it", (at) => {
    const broken = Uint8Array.from(bytes);
    broken[at] = (broken[at] ?? 0) ^ 0x55;
    const deltas = decodeEvents(dialect, [...cutRandomly(broken, seededRandom(at), 30)]);
    expect(deltas.at(-1)?.kind).toBe(at === bytes.length - 2 ? "done" : "error");
  });

  test("a frame with the message type error ends the stream", async () => {
    const headers = { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "It broke." };
    const frames = await encodeFramesWithSdk([{ headers, payload: {} }]);
    const deltas = decodeEvents(dialect, [dialect.formatEvent({ data: start }), ...frames]);
    expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "server", message: "It broke." } });
  });
});
