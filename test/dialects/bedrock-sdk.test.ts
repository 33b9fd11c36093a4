// The official SDK as judge: it sends what Koine writes, and finds in what Koine writes what stands in it, whole and in
// events, whose bytes are cut at random. Its own codec and Koine's read each other's frames.
import { Readable } from "node:stream";
import type { BedrockRuntimeClientConfig, ConverseStreamOutput } from "@aws-sdk/client-bedrock-runtime";
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { describe, expect, test } from "vitest";
import { assemble } from "../../src/assembly/assemble.ts";
import { disassemble } from "../../src/assembly/disassemble.ts";
import { bedrock } from "../../src/dialects/bedrock/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { stringifyJson } from "../../src/model/json.ts";
import { isObject } from "../../src/model/kind.ts";
import { system, toolResult, user } from "../../src/model/message.ts";
import type { ModelRequest } from "../../src/model/request.ts";
import type { ModelResponse } from "../../src/model/response.ts";
import type { Reply } from "../../src/testkit/index.ts";
import { cut, replayServer, responseGallery, seededRandom } from "../../src/testkit/index.ts";
import { bytesOf, decodeEvents, encodeDeltas } from "../../src/testkit/stream-reading.ts";
import { responseSamples } from "./bedrock-response-samples.ts";
import { delta, metadata, open, start, stop, streamSamples } from "./bedrock-stream-samples.ts";

const dialect = bedrock();
const MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

interface Sent {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** HTTP/2 is the SDK's own choice, which the server does not speak. */
async function overHttp({
  method,
  protocol,
  hostname,
  port,
  path,
  headers,
  body,
}: Sent): Promise<{ response: object }> {
  const { host: _, ...sent } = headers;
  const init: RequestInit = { method, headers: sent };
  if (body !== undefined) init.body = typeof body === "string" ? body : new TextDecoder().decode(body);
  const reply = await fetch(`${protocol}//${hostname}:${port}${path}`, init);
  const received = Object.fromEntries(reply.headers);
  return {
    response: { statusCode: reply.status, headers: received, body: Readable.from(reply.body ?? []) },
  };
}

/** The SDK against a server of prepared replies; what the server was asked is returned beside the outcome. */
async function ask<T>(
  reply: Reply,
  call: (client: BedrockRuntimeClient) => Promise<T>,
): Promise<{ said: T; asked: unknown[] }> {
  await using server = await replayServer({ "*": reply });
  const config: BedrockRuntimeClientConfig = {
    endpoint: server.url,
    region: "us-east-1",
    credentials: { accessKeyId: "none", secretAccessKey: "none" },
    maxAttempts: 1,
    requestHandler: { handle: overHttp },
  };
  const client = new BedrockRuntimeClient(config);
  try {
    return { said: await call(client), asked: server.requests.map(({ path, body }) => ({ path, body })) };
  } finally {
    client.destroy();
  }
}

/** A value of the SDK as JSON has it: bytes in base64, and nothing that is undefined. */
function asWire(value: unknown): unknown {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? Number(each) : each));
  return JSON.parse(
    text.replaceAll(/\{"0":\d+(?:,"\d+":\d+)*\}/g, (each) => {
      return JSON.stringify(Buffer.from(Object.values(JSON.parse(each) as Record<string, number>)).toString("base64"));
    }),
  ) as unknown;
}

/** What the SDK takes for what goes over the wire: bytes as an array. */
function asInput(value: unknown): unknown {
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

test("the SDK sends a request as Koine writes it", async () => {
  const { wire, address, losses } = dialect.encodeRequest(request);
  expect(losses).toStrictEqual([]);
  const input = { ...(asInput(wire) as JsonObject), modelId: address?.model };
  const answer = dialect.encodeResponse(responseGallery()[0]?.value as ModelResponse).wire as object;
  const { asked } = await ask({ body: answer }, (client) => client.send(new ConverseCommand(input)));
  expect(asked).toStrictEqual([{ path: `/model/${encodeURIComponent(MODEL)}/converse`, body: wire }]);
});

test("what the SDK takes is read, bytes included, and given back equal", () => {
  const { wire } = dialect.encodeRequest(request);
  const input = { ...(asInput(wire) as JsonObject), modelId: MODEL };
  const again = dialect.encodeRequest(dialect.decodeRequest(input));
  expect(again.wire).toStrictEqual(input);
  expect(again.address).toStrictEqual({ model: MODEL });
});

/** Answers without what the SDK does not know, which it leaves out. */
const UNKNOWN =
  /hologram|mood|serverToolUsage|nova_grounding_result|"type":"(?:tool_use|text)"|\$metadata|cachePoint|guardContent|"document"|"audio"|"video"|oracle/;
const answers: [name: string, response: ModelResponse][] = [
  ...responseGallery().map(({ name, value }): [string, ModelResponse] => [name, value]),
  ...responseSamples.map(({ name, wire }): [string, ModelResponse] => [name, dialect.decodeResponse(wire)]),
].filter(([, value]) => value.error === undefined && !UNKNOWN.test(stringifyJson(dialect.encodeResponse(value).wire)));

describe("an answer that the SDK finds", () => {
  test("is one of many", () => {
    expect(answers.length).toBeGreaterThan(12);
  });

  test.each(answers)("whole: %s", async (_, response) => {
    const { wire } = dialect.encodeResponse(response);
    const { said } = await ask({ body: wire as object }, (client) =>
      client.send(new ConverseCommand({ modelId: MODEL, messages: [] })),
    );
    const { $metadata: __, ...found } = said;
    expect(asWire(found)).toStrictEqual(JSON.parse(stringifyJson(wire)));
  });

  test.each(answers)("in events: %s", async (_, response) => {
    const { events } = encodeDeltas(dialect, disassemble(response));
    const found = await stream(bytesOf(dialect, events));
    expect(found).toStrictEqual(events.map(({ data }) => JSON.parse(stringifyJson(data)) as unknown));
    // And what it found is the answer that goes out whole.
    const whole = dialect.decodeResponse(dialect.encodeResponse(response).wire);
    expect(assemble(decodeEvents(dialect, found)).message.parts).toStrictEqual(whole.message.parts);
  });
});

/** What the SDK makes of the bytes of a stream, which it gets in random pieces. */
async function stream(bytes: Uint8Array): Promise<unknown[]> {
  const reply: Reply = {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
    chunks: cut(bytes, seededRandom(bytes.length), Math.max(16, bytes.length / 12)),
  };
  const { said } = await ask(reply, async (client) => {
    const found: ConverseStreamOutput[] = [];
    const { stream: events = [] } = await client.send(new ConverseStreamCommand({ modelId: MODEL, messages: [] }));
    for await (const event of events as AsyncIterable<ConverseStreamOutput>) found.push(event);
    return found;
  });
  return asWire(said) as unknown[];
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
  await expect(stream(bytesOf(dialect, events))).rejects.toMatchObject({
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
  const call = ask({ status, body: wire as object }, (client) =>
    client.send(new ConverseCommand({ modelId: MODEL, messages: [] })),
  );
  await expect(call).rejects.toMatchObject({ name, message: "It went wrong.", $metadata: { httpStatusCode: status } });
});

/** Frames as the SDK writes them, with headers of other types among those that matter. */
async function official(
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

const inEvents = streamSamples.filter(({ events }) => Object.keys(Object(events[0])).length === 1);

test.each(inEvents)("Koine reads the SDK's frames: $name", async ({ events }) => {
  const messages = events.map((event) => {
    const [[name, payload] = ["", null]] = Object.entries(event as JsonObject);
    const kind = name.endsWith("Exception") ? "exception" : "event";
    return { headers: { ":message-type": kind, [`:${kind}-type`]: name }, payload };
  });
  expect(decodeEvents(dialect, await official(messages))).toStrictEqual(decodeEvents(dialect, events));
});

describe("a stream whose bytes are damaged", () => {
  const bytes = bytesOf(dialect, [start, delta(0, { text: "The agora" }), open(1, {}), stop("end_turn"), metadata]);

  test.each([0, 3, 5, 9, 20, bytes.length - 2])("fails at byte %i, and says what came before", (at) => {
    const broken = Uint8Array.from(bytes);
    broken[at] = (broken[at] ?? 0) ^ 0x55;
    const deltas = decodeEvents(dialect, [...cut(broken, seededRandom(at), 30)]);
    expect(deltas.at(-1)?.kind).toBe(at === bytes.length - 2 ? "done" : "error");
  });

  test("a message of the type error ends it as well", async () => {
    const headers = { ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "It broke." };
    const frames = await official([{ headers, payload: {} }]);
    const deltas = decodeEvents(dialect, [dialect.formatEvent({ data: start }), ...frames]);
    expect(deltas.at(-1)).toMatchObject({ kind: "error", payload: { errorCode: "server", message: "It broke." } });
  });
});
