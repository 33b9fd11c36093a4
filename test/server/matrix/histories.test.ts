// Ownership of histories: an edited history keeps the signatures of unedited parts and becomes a branch, and users with
// equal texts never receive another user's reasoning.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { reasoning, text, toolCall } from "../../../src/index.ts";
import type { ConfigInput } from "../../../src/server/config/config-input.ts";
import type { Script } from "../../support/upstreams/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/start-koine.ts";

/** A plain Chat client of one user. */
interface ModelReply {
  message: { role: string; content: string | null; tool_calls?: { id: string }[] };
  thread: string;
}
type CallModel = (messages: readonly object[], token?: string) => Promise<ModelReply>;

const TOOL = { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } };

function createCaller(url: string, model: string): CallModel {
  return async (messages, token = "none") => {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ model, messages, tools: [TOOL], reasoning_effort: "medium" }),
    });
    const body = await reply.text();
    if (!reply.ok) throw new Error(body);
    // A reply of Chat Completions.
    const { choices } = JSON.parse(body) as { choices: { message: ModelReply["message"] }[] };
    const message = choices[0]?.message;
    if (message === undefined) throw new Error("There is no choice.");
    return { message: plain(message), thread: reply.headers.get("x-koine-thread") ?? "" };
  };
}

function plain({ role, content, tool_calls: calls }: ModelReply["message"]): ModelReply["message"] {
  return { role, content, ...(calls !== undefined && { tool_calls: calls }) };
}

function user(content: string): object {
  return { role: "user", content };
}

function result({ tool_calls: calls = [] }: ModelReply["message"], content: string): object {
  return { role: "tool", tool_call_id: calls[0]?.id, content };
}

/** A model with new reasoning each time, but equal text and calls. */
const thinking: Script = ({ turn, body }) =>
  JSON.stringify(body).includes("calm")
    ? { parts: [reasoning(`Thought ${turn}.`), text("You may sail.")] }
    : { parts: [reasoning(`Thought ${turn}.`), toolCall("", "look", {})] };

/** Upstreams that reject a call without its reasoning. */
const STRICT = [
  ["anthropic", "claude-haiku-4-5"],
  ["gemini", "gemini-3.1-pro-preview"],
] as const;

test.each(STRICT)(
  "B11: a history that is edited at its end keeps its signatures on %s, and becomes a branch",
  async (id, model) => {
    await using upstream = await startUpstream(id, thinking);
    await using koine = await startKoine({ providers: { up: upstream.config } });
    const callModel = createCaller(koine.url, `up/${model}`);
    const first = await callModel([user("May I sail?")]);
    const history = [user("May I sail?"), first.message];
    const second = await callModel([...history, result(first.message, "calm")]);
    const going = [...history, result(first.message, "calm"), second.message];
    const third = await callModel([...going, user("And home?")]);
    const edited = await callModel([...going, user("And to Troy?")]);
    const other = await callModel([...history, result(first.message, "calm")]);
    expect(upstream.rejections).toStrictEqual([]);
    expect([second.thread, third.thread, edited.thread, other.thread]).toStrictEqual(Array(4).fill(first.thread));
    const tree = await (await fetch(`${koine.url}/v1/threads/${first.thread}/tree`)).json();
    // The documented fields.
    const { messages } = tree as { messages: { parentMessageId: string | null; role: string }[] };
    const children = new Map<string | null, number>();
    for (const { parentMessageId } of messages) children.set(parentMessageId, (children.get(parentMessageId) ?? 0) + 1);
    // Two questions after the answer, two results after the call.
    expect([...children.values()].filter((count) => count > 1)).toStrictEqual([2, 2]);
  },
);

const USERS = ["ann", "bob", "dora"];
const hash = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
const tenants: NonNullable<ConfigInput["tenants"]> = {
  acme: { tokens: USERS.map((name) => ({ name, hash: hash(`token-of-${name}`) })) },
  other: { tokens: [{ name: "ann", hash: hash("token-of-carol") }] },
};

test.each([
  ["anthropic", "claude-opus-4-6"],
  ["gemini", "gemini-2.5-flash"],
] as const)("B11: users with equal texts never receive each other's reasoning on %s", async (id, model) => {
  await using upstream = await startUpstream(id, thinking);
  await using koine = await startKoine({ providers: { up: upstream.config }, tenants });
  const callModel = createCaller(koine.url, `up/${model}`);
  const begin = (name: string): Promise<ModelReply> => callModel([user("May I sail?")], `token-of-${name}`);
  const goOn = async (name: string, { message }: ModelReply): Promise<{ thread: string; thoughts: string[] }> => {
    const { thread } = await callModel([user("May I sail?"), message, result(message, "calm")], `token-of-${name}`);
    const thoughts = /Thought \d/g;
    return { thread, thoughts: JSON.stringify(upstream.requests.at(-1)?.body).match(thoughts) ?? [] };
  };
  const ann = await begin("ann");
  const bob = await begin("bob");
  const carol = await begin("carol");
  expect(await goOn("ann", ann)).toStrictEqual({ thread: ann.thread, thoughts: ["Thought 0"] });
  expect(await goOn("bob", bob)).toStrictEqual({ thread: bob.thread, thoughts: ["Thought 1"] });
  expect(await goOn("carol", carol)).toStrictEqual({ thread: carol.thread, thoughts: ["Thought 2"] });
  // Dora has only the text, so no reasoning is restored for her.
  const dora = await goOn("dora", ann);
  expect(dora.thoughts).toStrictEqual([]);
  expect([ann.thread, bob.thread, carol.thread]).not.toContain(dora.thread);
});
