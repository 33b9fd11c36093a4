// Storage of the Responses API: encrypted reasoning without storage, and no repeated messages with it.
import { describe, expect, test } from "vitest";
import type { HttpProvider } from "../../../src/client/index.ts";
import { createClient } from "../../../src/client/index.ts";
import { createProviderAdapter } from "../../../src/calls/index.ts";
import type { Loss, Message, Part, ModelRequest, Seal } from "../../../src/index.ts";
import {
  assistant,
  developer,
  dialect,
  reasoning,
  system,
  text,
  toolCall,
  toolResult,
  user,
} from "../../../src/index.ts";
import { replayServer } from "../../../src/testkit/index.ts";

interface Wire {
  store?: boolean;
  include?: string[];
  previous_response_id?: string;
  instructions?: string;
  input: Record<string, unknown>[];
}

function sent(request: ModelRequest, config: Partial<HttpProvider>, model = "gpt-5"): { wire: Wire; losses: Loss[] } {
  const link = createProviderAdapter("openai", { dialect: "openai-responses", apiKey: "k", ...config });
  if (link.kind !== "http") return expect.unreachable();
  const { request: http, losses } = link.prepare(request, model, false, {});
  return { wire: JSON.parse(http.body) as Wire, losses };
}

const hello: ModelRequest = { messages: [user("Hello")] };
const ENCRYPTED = "reasoning.encrypted_content";
const read = (wire: object): ModelRequest =>
  dialect("openai-responses").decodeRequest({ model: "m", input: "Hello", ...wire });

describe("B13: with store false, encrypted reasoning is requested", () => {
  test.each<[model: string, include: string[] | undefined]>([
    ["gpt-5", [ENCRYPTED]],
    ["gpt-5.2-codex", [ENCRYPTED]],
    ["o3", [ENCRYPTED]],
    ["o4-mini", [ENCRYPTED]],
    ["openai/gpt-5-mini", [ENCRYPTED]],
    ["grok-4.7", [ENCRYPTED]],
    ["ft:o4-mini:acme::1", [ENCRYPTED]],
    ["acme-GPT-5-mini", [ENCRYPTED]],
    ["gpt-35-turbo", undefined],
    ["ft:gpt-4o-mini:acme::1", undefined],
    ["gpt-5-chat-latest", undefined],
    ["gpt-5.1-chat-latest", undefined],
    ["grok-4-fast-non-reasoning", undefined],
    ["gpt-4.1", undefined],
    ["gpt-4o", undefined],
    ["my-own", undefined],
  ])("only from reasoning models: %s", (model, include) => {
    const { wire } = sent(hello, { store: false }, model);
    expect(wire.store).toBe(false);
    expect(wire.include).toStrictEqual(include);
  });

  test.each<[what: string, request: ModelRequest, config: Partial<HttpProvider>, model: string, include: unknown]>([
    [
      "if the request enables reasoning",
      { ...hello, reasoning: { effort: "low" } },
      { store: false },
      "deployed",
      [ENCRYPTED],
    ],
    [
      "not if the request disables reasoning",
      { ...hello, reasoning: { effort: "none" } },
      { store: false },
      "gpt-5.1",
      undefined,
    ],
    [
      "not from a vendor that may not support it",
      { ...hello, reasoning: { effort: "low" } },
      { store: false, vendor: "groq" },
      "deployed",
      undefined,
    ],
    ["if the request itself has store false", read({ store: false }), {}, "gpt-5", [ENCRYPTED]],
    ["not if the request has store true", read({ store: true }), { store: false }, "gpt-5", undefined],
    ["not if the provider has store true", hello, { store: true }, "gpt-5", undefined],
    ["not without a store setting", hello, {}, "gpt-5", undefined],
    [
      "in addition to other includes",
      read({ include: ["file_search_call.results"] }),
      { store: false },
      "gpt-5",
      ["file_search_call.results", ENCRYPTED],
    ],
    ["once", read({ include: [ENCRYPTED] }), { store: false }, "gpt-5", [ENCRYPTED]],
    [
      "in addition to log probabilities",
      { ...hello, sampling: { logprobs: true } },
      { store: false },
      "gpt-5",
      [ENCRYPTED, "message.output_text.logprobs"],
    ],
  ])("%s", (_, request, config, model, include) => {
    const before = structuredClone(request);
    expect(sent(request, { baseUrl: "http://h:1", ...config }, model).wire.include).toStrictEqual(include);
    expect(request).toStrictEqual(before);
  });

  test("reasoning without encrypted content is dropped and reported; reasoning with it is sent back", () => {
    const id = (value: string): Seal => ({ dialect: "openai-responses", provider: "openai", kind: "id", value });
    const encrypted: Seal = { dialect: "openai-responses", provider: "openai", kind: "encrypted", value: "gAAA" };
    const answer = (...seals: Seal[]): Part[] => [reasoning("", { seals }), text("b", { seals: [id("msg_1")] })];
    const messages = [
      user("a"),
      assistant(answer(id("rs_1"))),
      user("c"),
      assistant(answer(id("rs_2"), encrypted)),
      user("d"),
    ];
    const { wire, losses } = sent({ messages }, { store: false });
    const thoughts = wire.input.filter(({ type }) => type === "reasoning");
    expect(thoughts).toStrictEqual([{ type: "reasoning", id: "rs_2", encrypted_content: "gAAA", summary: [] }]);
    expect(losses).toContainEqual(expect.objectContaining({ path: "/messages/1/parts/0", code: "reasoning-unpaired" }));
  });
});

describe("B14: messages that a stored answer covers are not sent again", () => {
  const state = { state: "previous-response" } as const;
  const storedAnswer = (parts: Part[], metadata: Message["metadata"]): Message => ({
    ...assistant(parts),
    metadata: metadata ?? {},
  });
  const own = { provider: "openai", responseId: "resp_1", stored: true };
  const call = toolCall("call_1", "look", {});

  test("only the instructions and the messages after the last answer are sent", () => {
    const messages = [
      system("Be kind."),
      developer("Use metres."),
      user("a"),
      storedAnswer([call], own),
      toolResult(call, "seen"),
      user("b"),
    ];
    const { wire, losses } = sent({ messages }, state);
    expect(wire).toMatchObject({
      previous_response_id: "resp_1",
      instructions: "Be kind.",
      input: [
        { type: "function_call_output", call_id: "call_1", output: "seen" },
        { role: "user", content: "b" },
      ],
    });
    expect(wire.input).toHaveLength(2);
    const implied = losses.filter(({ code }) => code === "stored-already");
    expect(implied[0]?.message).toContain("edits and deletions have no effect");
    expect(implied.map(({ path, level }) => [path, level])).toStrictEqual([
      ["/messages/1", "note"],
      ["/messages/2", "note"],
      ["/messages/3", "note"],
    ]);
    expect(losses.filter(({ level }) => level !== "note")).toStrictEqual([]);
  });

  test("the paths of losses are those of the caller's request", () => {
    const last: Message = { ...user([text("x", { cache: {} })]), id: "m9" };
    const messages = [system("Be kind."), user("a"), storedAnswer([text("b")], own), { ...user("c"), id: "m8" }, last];
    const { losses } = sent({ messages }, state);
    expect(losses.filter(({ code }) => code === "metadata-dropped").map(({ path }) => path)).toStrictEqual([
      "/messages/3/id",
      "/messages/4/id",
      "/messages/4/parts/0/cache",
    ]);
  });

  test("all messages are sent if none follows the answer", () => {
    const { wire } = sent({ messages: [user("a"), storedAnswer([text("b")], own)] }, state);
    expect(wire).not.toHaveProperty("previous_response_id");
    expect(wire.input.map(({ content }) => content)).toStrictEqual(["a", "b"]);
  });

  test("leading instructions are sent each time; a later system text is a stored item", () => {
    const later = system("From now on in French.");
    const messages = [
      system("Be kind."),
      user("a"),
      storedAnswer([text("b")], own),
      later,
      system("Be brief."),
      user("c"),
    ];
    const { wire, losses } = sent({ messages }, state);
    expect(wire.instructions).toBe("Be kind.");
    expect(wire.input).toStrictEqual([
      { role: "system", content: "From now on in French." },
      { role: "system", content: "Be brief." },
      { role: "user", content: "c" },
    ]);
    expect(losses.filter(({ level }) => level !== "note")).toStrictEqual([]);
    expect(later).toStrictEqual(system("From now on in French."));
    const next = sent(
      { messages: [...messages, storedAnswer([text("d")], { ...own, responseId: "resp_2" }), user("e")] },
      state,
    );
    expect(next.wire).toMatchObject({ previous_response_id: "resp_2", instructions: "Be kind." });
    expect(next.wire.input).toStrictEqual([{ role: "user", content: "e" }]);
  });

  test("later answers of other providers are sent", () => {
    const other = storedAnswer([text("from elsewhere")], { provider: "anthropic", responseId: "msg_1" });
    const { wire } = sent(
      { messages: [user("a"), storedAnswer([text("b")], own), user("c"), other, user("d")] },
      state,
    );
    expect(wire.previous_response_id).toBe("resp_1");
    expect(wire.input.map(({ content }) => content)).toStrictEqual(["c", "from elsewhere", "d"]);
  });

  test.each<
    [what: string, metadata: Message["metadata"], config: Partial<HttpProvider>, extra?: ModelRequest["extra"]]
  >([
    ["the answer has no metadata", undefined, state],
    ["another provider gave the answer", { provider: "azure", responseId: "resp_1" }, state],
    ["the answer has no id", { provider: "openai" }, state],
    ["the answer was interrupted", { ...own, interrupted: true }, state],
    ["the answer was not stored", { provider: "openai", responseId: "resp_1" }, state],
    ["the provider's settings do not enable it", own, {}],
    ['the provider\'s settings are "resend"', own, { state: "resend" }],
    ["the request has store false", own, state, { "openai-responses": { store: false } }],
    ["the request has store false in the Chat residue", own, state, { "openai-chat": { store: false } }],
    ["the request has a previous_response_id", own, state, { "openai-responses": { previous_response_id: "resp_0" } }],
    ["the request belongs to a conversation", own, state, { "openai-responses": { conversation: "conv_1" } }],
  ])("all messages are sent if %s", (_, metadata, config, extra) => {
    const messages = [user("a"), storedAnswer([text("b")], metadata), user("c")];
    const { wire, losses } = sent(extra === undefined ? { messages } : { messages, extra }, config);
    expect(wire.previous_response_id).not.toBe("resp_1");
    expect(wire.input.map(({ content }) => content)).toStrictEqual(["a", "b", "c"]);
    expect(losses.map(({ code }) => code)).not.toContain("stored-already");
  });
});

describe.each(["complete", "stream"] as const)("B14: over HTTP, %s", (how) => {
  /** A conversation of three turns, and its last request; `stores` is the value in each request and reply. */
  async function lastSent(stores: readonly { inRequest?: boolean; inReply?: boolean }[]): Promise<Wire> {
    let turn = 0;
    await using server = await replayServer(() => {
      const { inReply } = stores[turn++] ?? {};
      const content = [{ type: "output_text", text: `answer ${turn}`, annotations: [] }];
      const output = [{ type: "message", id: `msg_${turn}`, role: "assistant", status: "completed", content }];
      const body = { id: `resp_${turn}`, object: "response", status: "completed", model: "gpt-5", output };
      const whole = inReply === undefined ? body : { ...body, store: inReply };
      if (how === "complete") return { body: whole };
      const event = { type: "response.completed", response: whole };
      return { chunks: [`event: response.completed\ndata: ${JSON.stringify(event)}\n\n`] };
    });
    const provider = { dialect: "openai-responses", baseUrl: server.url, state: "previous-response" } as const;
    await using client = createClient({ providers: { openai: provider } });
    const messages: Message[] = [];
    for (const [index, { inRequest }] of stores.entries()) {
      messages.push(user(`question ${index + 1}`));
      const extra = inRequest === undefined ? {} : { extra: { "openai-responses": { store: inRequest } } };
      const request: ModelRequest = { model: "gpt-5", messages: [...messages], ...extra };
      const answer = how === "complete" ? client.complete(request) : client.stream(request).response();
      messages.push((await answer).message);
    }
    return server.requests.at(-1)?.body as Wire;
  }

  test("a stored answer is continued", async () => {
    const wire = await lastSent([{}, { inReply: true }, {}]);
    expect(wire.previous_response_id).toBe("resp_2");
    expect(wire.input).toStrictEqual([{ role: "user", content: "question 3" }]);
  });

  test.each<[what: string, stores: { inRequest?: boolean; inReply?: boolean }[]]>([
    ["whose request had store false", [{}, { inRequest: false }, {}]],
    ["whose reply had store false", [{}, { inReply: false }, {}]],
  ])("an answer %s is not continued", async (_, stores) => {
    const wire = await lastSent(stores);
    expect(wire).not.toHaveProperty("previous_response_id");
    expect(wire.input).toHaveLength(5);
  });
});
