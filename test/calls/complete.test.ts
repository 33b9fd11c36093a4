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
  test("an answer over HTTP is what the dialect reads, with the facts of where it came from", async () => {
    await using server = await replayServer({ "*": { body: wholeBody(id), headers: { "x-request-id": "req_1" } } });
    await leavingNothing(server, async () => {
      const result = await clientAt(server, id).complete(QUESTION);
      const { provider, losses, attempts, message, ...rest } = result;
      const { metadata, ...said } = message;
      const read = theirs(id).decodeResponse(parseJson(stringifyJson(wholeBody(id))));
      expect({ ...rest, message: said }).toStrictEqual(read);
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

  test("B74: a server that streams though it was asked for a whole answer is understood", async () => {
    await using server = await replayServer({
      "*": { ...streamReply(id), headers: { "content-type": "text/event-stream" } },
    });
    const result = await clientAt(server, id).complete(QUESTION);
    expect(result.message.parts).toMatchObject(ANSWER.message.parts);
    expect(result.usage).toMatchObject({ inputTokens: 11, outputTokens: 23 });
  });
});

test("the request asks for a whole answer, whatever it says itself", async () => {
  await using server = await replayServer({ "*": { body: wholeBody("openai-chat") } });
  await clientAt(server).complete({ ...QUESTION, stream: true });
  expect(server.requests[0]?.body).not.toHaveProperty("stream", true);
});

describe("money", () => {
  const prices = { "model-*": { input: 1_000_000, output: 2_000_000 } };

  test("the price table says what the provider does not", async () => {
    await using server = await replayServer({ "*": { body: wholeBody("openai-chat") } });
    const result = await clientAt(server, "openai-chat", { prices }).complete(QUESTION);
    expect(result.usage?.cost).toBe(11 + 2 * 23);
    expect(result.message.metadata?.usage?.cost).toBe(57);
    expect(result.attempts[0]?.usage?.cost).toBe(57);
  });

  test("what the provider says itself counts", async () => {
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, cost: 0.25 };
    const provider: LocalProvider = { answer: () => answer(delta("usage", usage)) };
    const client = createClient({ providers: { here: provider }, prices: { "*": { input: 1, output: 1 } } });
    expect((await client.complete({ ...QUESTION, model: "any" })).usage?.cost).toBe(0.25);
  });
});

describe("what a provider would be asked otherwise", () => {
  /** A history that only the provider that stored it knows. */
  const broken: ModelRequest = { ...QUESTION, extra: { "openai-responses": { previous_response_id: "resp_1" } } };

  test("is refused, and nothing is sent", async () => {
    await using server = await replayServer({ "*": { body: wholeBody("anthropic") } });
    const error = await errorOf(clientAt(server, "anthropic").complete(broken));
    expect(error).toMatchObject({ code: "untranslatable", provider: "there", model: MODEL });
    expect(error.path).toMatch(/^\/extra\/openai-responses/);
    expect(error.message).toContain('onBreaks: "send"');
    expect(server.requests).toHaveLength(0);
  });

  test("is sent where the caller says so", async () => {
    await using server = await replayServer({ "*": { body: wholeBody("anthropic") } });
    const result = await clientAt(server, "anthropic").complete(broken, { onBreaks: "send" });
    expect(result.losses.map(({ level }) => level)).toContain("breaks");
  });

  test("what cannot be said at all has the place where it stands", async () => {
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

  test("is asked with the model's own name, and answers with its deltas", async () => {
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
    ["throws an error of any kind", () => raise(new TypeError("no such tensor")), "unknown", 1],
    ["throws what the taxonomy knows", () => raise({ kind: "overloaded", message: "busy" }), "overloaded", 3],
    ["says that it failed", () => [START, delta("error", { errorCode: "quota" })], "quota", 1],
    ["ends without an end", () => [START, delta("text", { textDelta: "Hel" })], "truncated", 3],
    ["says nothing", () => [], "truncated", 3],
    ["breaks a rule of deltas", () => [START, START], "server", 1],
    ["begins with something else", () => [delta("text", { textDelta: "Hel" })], "server", 1],
    ["gives nothing to iterate over", () => undefined as unknown as Delta[], "server", 1],
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

test("every attempt is told to whoever listens, and middleware wraps the call from the outside in", async () => {
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

test("what Koine noted about earlier answers is no loss: it was never meant for the wire", async () => {
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

test("object answers go through the same call", async () => {
  const provider: LocalProvider = { answer: () => answer(delta("text", { textDelta: '{"a":1}' })) };
  const client = createClient({ providers: { here: provider } });
  const result = await client.generateObject({ model: "m", messages: [user("?")], schema: { type: "object" } });
  expect(result.object).toStrictEqual({ a: 1 });
  expect(result.answer.provider).toBe("here");
});

describeBodies((samplesOf) => {
  test.each(DIALECTS)("%s: recorded bodies over HTTP, cut anywhere, are what the dialect reads", async (id) => {
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
