// Complete answers of every provider, and their metadata.
import { describe, expect, test } from "vitest";
import type { Answer, Attempt, LocalProvider, Middleware } from "../../src/client/index.ts";
import { ClientError, createClient } from "../../src/client/index.ts";
import type { Delta, Message, Part, ModelRequest } from "../../src/index.ts";
import { assistant, parseJson, stringifyJson, user } from "../../src/index.ts";
import type { Reply } from "../../src/testkit/index.ts";
import { cutRandomly, replayServer, seededRandom } from "../../src/testkit/index.ts";
import { describeBodies } from "../support/corpus.ts";
import { answer, delta } from "../support/deltas.ts";
import { errorOf } from "./support/thrown-errors.ts";
import { leavingNothing } from "./support/leak-checks.ts";
import {
  ANSWER,
  clientAt,
  DIALECTS,
  MODEL,
  QUESTION,
  streamReply,
  theirs,
  wholeBody,
} from "./support/provider-fixtures.ts";

describe.each(DIALECTS)("%s", (id) => {
  test("an answer over HTTP equals the decoded body, with metadata about its origin", async () => {
    await using server = await replayServer({ "*": { body: wholeBody(id), headers: { "x-request-id": "req_1" } } });
    await leavingNothing(server, async () => {
      const result = await clientAt(server, id).complete(QUESTION);
      const { provider, losses, attempts, message, ...rest } = result;
      const { metadata, ...content } = message;
      const read = theirs(id).decodeResponse(parseJson(stringifyJson(wholeBody(id))));
      expect({ ...rest, message: content }).toStrictEqual(read);
      expect(provider).toBe("there");
      expect(losses).toStrictEqual(attempts[0]?.losses);
      // The two are independent copies.
      expect(losses).not.toBe(attempts[0]?.losses);
      expect(metadata).toMatchObject({
        provider: "there",
        model: MODEL,
        finishReason: read.finishReason,
        usage: read.usage,
      });
      expect(metadata?.["responseId"]).toBe(read.id === "" ? undefined : read.id);
      expect(attempts).toMatchObject([
        { provider: "there", model: MODEL, status: 200, requestId: "req_1", waitedMs: 0 },
      ]);
      expect(attempts[0]?.usage).toStrictEqual(read.usage);
      expect(server.requests).toHaveLength(1);
    });
  });

  test("B74: a streamed reply to a request for a complete answer is accepted", async () => {
    await using server = await replayServer({
      "*": { ...streamReply(id), headers: { "content-type": "text/event-stream" } },
    });
    const result = await clientAt(server, id).complete(QUESTION);
    expect(result.message.parts).toMatchObject(ANSWER.message.parts);
    expect(result.usage).toMatchObject({ inputTokens: 11, outputTokens: 23 });
  });
});

test("the request has no stream flag, even if the caller set one", async () => {
  await using server = await replayServer({ "*": { body: wholeBody("openai-chat") } });
  await clientAt(server).complete({ ...QUESTION, stream: true });
  expect(server.requests[0]?.body).not.toHaveProperty("stream", true);
});

describe("the cost", () => {
  const prices = { "model-*": { input: 1_000_000, output: 2_000_000 } };

  test("is computed from the price table if the provider reports none", async () => {
    await using server = await replayServer({ "*": { body: wholeBody("openai-chat") } });
    const result = await clientAt(server, "openai-chat", { prices }).complete(QUESTION);
    expect(result.usage?.cost).toBe(11 + 2 * 23);
    expect(result.message.metadata?.usage?.cost).toBe(57);
    expect(result.attempts[0]?.usage?.cost).toBe(57);
  });

  test("is the provider's value if it reports one", async () => {
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, cost: 0.25 };
    const provider: LocalProvider = { answer: () => answer(delta("usage", usage)) };
    const client = createClient({ providers: { here: provider }, prices: { "*": { input: 1, output: 1 } } });
    expect((await client.complete({ ...QUESTION, model: "any" })).usage?.cost).toBe(0.25);
  });
});

describe("a request that the target would receive changed", () => {
  /** A history that only the provider that stored it knows. */
  const broken: ModelRequest = { ...QUESTION, extra: { "openai-responses": { previous_response_id: "resp_1" } } };

  test("is rejected and not sent", async () => {
    await using server = await replayServer({ "*": { body: wholeBody("anthropic") } });
    const error = await errorOf(clientAt(server, "anthropic").complete(broken));
    expect(error).toMatchObject({ code: "untranslatable", provider: "there", model: MODEL });
    expect(error.path).toMatch(/^\/extra\/openai-responses/);
    expect(error.message).toContain('onBreaks: "send"');
    expect(server.requests).toHaveLength(0);
  });

  test("is sent if the caller allows losses", async () => {
    await using server = await replayServer({ "*": { body: wholeBody("anthropic") } });
    const result = await clientAt(server, "anthropic").complete(broken, { onBreaks: "send" });
    expect(result.losses.map(({ level }) => level)).toContain("breaks");
  });

  test("the error has the path of the part that the target does not support", async () => {
    await using server = await replayServer({ "*": { body: wholeBody("openai-chat") } });
    const call: Part = { type: "tool-call", toolCallId: "c", toolName: "t", input: { large: 10n } };
    const messages = [QUESTION.messages[0] as Message, assistant([call])];
    const error = await errorOf(clientAt(server).complete({ ...QUESTION, messages }));
    expect(error.code).toBe("untranslatable");
    expect(error.path).toContain("/messages/1");
    expect(server.requests).toHaveLength(0);
  });
});

describe("a local provider", () => {
  const here = (provider: LocalProvider) => createClient({ providers: { here: provider }, retry: { baseMs: 0 } });
  const request: ModelRequest = { model: "m", messages: [user("hello")] };

  test("receives the model's own name and answers with deltas", async () => {
    const requests: ModelRequest[] = [];
    const client = here({
      *answer(request) {
        requests.push(request);
        yield* answer(delta("text", { textDelta: "Hello." }));
      },
    });
    const result = await client.complete({ ...request, model: "here/m" });
    expect(result).toMatchObject({ provider: "here", message: { parts: [{ type: "text", text: "Hello." }] } });
    expect(requests).toMatchObject([{ model: "m", messages: request.messages }]);
  });

  const START = delta("start", { modelId: "m", requestId: "r" });
  const endings: [title: string, give: () => Iterable<Delta>, code: string, attempts: number][] = [
    ["throws an unknown error", () => raise(new TypeError("no such tensor")), "unknown", 1],
    ["throws an error of a known kind", () => raise({ kind: "overloaded", message: "busy" }), "overloaded", 3],
    ["emits an error delta", () => [START, delta("error", { errorCode: "quota" })], "quota", 1],
    ["ends without a `done` delta", () => [START, delta("text", { textDelta: "Hel" })], "truncated", 3],
    ["emits no delta", () => [], "truncated", 3],
    ["violates the delta contract", () => [START, START], "server", 1],
    ["starts with another delta than `start`", () => [delta("text", { textDelta: "Hel" })], "server", 1],
    ["returns no iterable", () => undefined as unknown as Delta[], "server", 1],
  ];
  test.each(endings)("that %s is a typed error", async (_, give, code, attempts) => {
    const error = await errorOf(here({ answer: give }).complete(request));
    expect(error.code).toBe(code);
    expect(error.error?.kind).toBe(code);
    expect(error.attempts).toHaveLength(attempts);
    expect(error.message).toMatch(/^here\/m: /);
  });

  function* raise(error: unknown): Generator<Delta> {
    yield START;
    throw error;
  }
});

test("onAttempt is called for every attempt, and the first middleware is the outermost", async () => {
  await using server = await replayServer({ "*": [{ status: 500 }, { body: wholeBody("openai-chat") }] });
  const attempts: Attempt[] = [];
  const order: string[] = [];
  const layer = (name: string): Middleware => ({
    name,
    async complete(call, next) {
      order.push(`${name} in`);
      const result = await next({
        ...call,
        options: { ...call.options, metadata: { ...call.options.metadata, [name]: 1 } },
      });
      order.push(`${name} out`);
      return result;
    },
  });
  const last: Middleware = {
    complete: (call, next) => (order.push(JSON.stringify(call.options.metadata)), next(call)),
  };
  const client = clientAt(server, "openai-chat", {
    middleware: [layer("a"), layer("b"), last],
    onAttempt: (attempt) => attempts.push(attempt),
  });
  const result = await client.complete(QUESTION);
  expect(order).toStrictEqual(["a in", "b in", '{"a":1,"b":1}', "b out", "a out"]);
  expect(attempts).toStrictEqual(result.attempts);
  expect(attempts).toMatchObject([{ status: 500, error: { kind: "server" } }, { status: 200 }]);
});

test("the metadata that Koine adds to answers is not reported as a loss", async () => {
  await using server = await replayServer({ "*": { body: wholeBody("openai-chat") } });
  const client = clientAt(server);
  const first = await client.complete(QUESTION);
  expect(first.message.metadata).toMatchObject({ provider: "there" });
  const own = { ...user("And back?"), id: "message_1", metadata: { note: "mine" } };
  const { losses, attempts } = await client.complete({
    ...QUESTION,
    messages: [...QUESTION.messages, first.message, own],
  });
  expect(losses.map(({ path }) => path).filter((path) => path.endsWith("/metadata"))).toStrictEqual([]);
  // Other losses are still reported.
  expect(losses.map(({ path }) => path)).toContain("/messages/2/id");
  expect(attempts[0]?.losses).toStrictEqual(losses);
});

test("object answers use the same call", async () => {
  const provider: LocalProvider = { answer: () => answer(delta("text", { textDelta: '{"a":1}' })) };
  const client = createClient({ providers: { here: provider } });
  const result = await client.generateObject({ model: "m", messages: [user("?")], schema: { type: "object" } });
  expect(result.object).toStrictEqual({ a: 1 });
  expect(result.answer.provider).toBe("here");
});

describeBodies((samplesOf) => {
  test.each(DIALECTS)("%s: recorded bodies over HTTP, in any chunks, are decoded as usual", async (id) => {
    const random = seededRandom(3);
    let reply: Reply = {};
    await using server = await replayServer(() => reply);
    const client = clientAt(server, id);
    const samples = [...samplesOf(id, "responses"), ...samplesOf(id, "errors")];
    expect(samples.length).toBeGreaterThan(3);
    for (const { name, wire, status = name.includes("/errors/") ? 400 : 200 } of samples) {
      const chunks = cutRandomly(stringifyJson(wire), random, 4000);
      reply = { status, chunks, headers: { "content-type": "application/json" } };
      const outcome = await client.complete(QUESTION, { retry: { attempts: 1 } }).catch((error: unknown) => error);
      if (status >= 400) {
        expect(outcome, name).toMatchObject({ error: { kind: theirs(id).decodeError(wire, status).kind } });
      } else if (outcome instanceof ClientError) {
        expect(outcome.error, name).toStrictEqual(theirs(id).decodeResponse(wire).error);
      } else {
        const { provider: _, losses: __, attempts: ___, ...response } = outcome as Answer;
        const { metadata: ____, ...message } = response.message;
        expect({ ...response, message }, name).toStrictEqual(theirs(id).decodeResponse(wire));
      }
    }
  });
});
