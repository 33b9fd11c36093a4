// Whose history it is: an edited one keeps the signatures of what was not edited and becomes a branch, and users who say
// the same words never get what another one's model thought.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { reasoning, text, toolCall } from "../../../src/index.ts";
import type { ConfigInput } from "../../../src/server/config/defaults.ts";
import type { Script } from "../../support/upstreams/index.ts";
import { startUpstream } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/koine.ts";

/** A plain Chat client of one user. */
interface Asked {
  message: { role: string; content: string | null; tool_calls?: { id: string }[] };
  thread: string;
}
type Ask = (messages: readonly object[], token?: string) => Promise<Asked>;

const TOOL = { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } };

function asking(url: string, model: string): Ask {
  return async (messages, token = "none") => {
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ model, messages, tools: [TOOL], reasoning_effort: "medium" }),
    });
    const body = await reply.text();
    if (!reply.ok) throw new Error(body);
    // What Chat Completions answer.
    const { choices } = JSON.parse(body) as { choices: { message: Asked["message"] }[] };
    const message = choices[0]?.message;
    if (message === undefined) throw new Error("There is no choice.");
    return { message: plain(message), thread: reply.headers.get("x-koine-thread") ?? "" };
  };
}

function plain({ role, content, tool_calls: calls }: Asked["message"]): Asked["message"] {
  return { role, content, ...(calls !== undefined && { tool_calls: calls }) };
}

function user(content: string): object {
  return { role: "user", content };
}

function result({ tool_calls: calls = [] }: Asked["message"], content: string): object {
  return { role: "tool", tool_call_id: calls[0]?.id, content };
}

/** Thinks something new each time, and always does and says the same. */
const thinking: Script = ({ turn, body }) =>
  JSON.stringify(body).includes("calm")
    ? { parts: [reasoning(`Thought ${turn}.`), text("You may sail.")] }
    : { parts: [reasoning(`Thought ${turn}.`), toolCall("", "look", {})] };

/** They refuse a call without its thought. */
const STRICT = [
  ["anthropic", "claude-haiku-4-5"],
  ["gemini", "gemini-3.1-pro-preview"],
] as const;

test.each(STRICT)(
  "B11: a history that was edited at its end keeps its signatures on %s, and is a branch",
  async (id, model) => {
    await using upstream = await startUpstream(id, thinking);
    await using koine = await startKoine({ providers: { up: upstream.config } });
    const ask = asking(koine.url, `up/${model}`);
    const first = await ask([user("May I sail?")]);
    const begun = [user("May I sail?"), first.message];
    const second = await ask([...begun, result(first.message, "calm")]);
    const going = [...begun, result(first.message, "calm"), second.message];
    const third = await ask([...going, user("And home?")]);
    const edited = await ask([...going, user("And to Troy?")]);
    const other = await ask([...begun, result(first.message, "calm, says Aiolos")]);
    expect(upstream.refusals).toStrictEqual([]);
    expect([second.thread, third.thread, edited.thread, other.thread]).toStrictEqual(Array(4).fill(first.thread));
    const tree = await (await fetch(`${koine.url}/v1/threads/${first.thread}/tree`)).json();
    // As documented.
    const { messages } = tree as { messages: { parentMessageId: string | null; role: string }[] };
    const children = new Map<string | null, number>();
    for (const { parentMessageId } of messages) children.set(parentMessageId, (children.get(parentMessageId) ?? 0) + 1);
    // Two questions after the answer, two results after the call.
    expect([...children.values()].filter((count) => count > 1)).toStrictEqual([2, 2]);
  },
);

const USERS = ["ann", "bob", "dora"];
const hash = (token: string): string => createHash("sha256").update(token).digest("hex");
const tenants: NonNullable<ConfigInput["tenants"]> = new Map([
  ["acme", { tokens: USERS.map((name) => ({ name, hash: hash(`token-of-${name}`) })) }],
  ["other", { tokens: [{ name: "ann", hash: hash("token-of-carol") }] }],
]);

test.each([
  ["anthropic", "claude-opus-4-6"],
  ["gemini", "gemini-2.5-flash"],
] as const)("B11: users who say the same words never get each other's thoughts on %s", async (id, model) => {
  await using upstream = await startUpstream(id, thinking);
  await using koine = await startKoine({ providers: { up: upstream.config }, tenants });
  const ask = asking(koine.url, `up/${model}`);
  const begin = (name: string): Promise<Asked> => ask([user("May I sail?")], `token-of-${name}`);
  const goOn = async (name: string, { message }: Asked): Promise<{ thread: string; thoughts: string[] }> => {
    const { thread } = await ask([user("May I sail?"), message, result(message, "calm")], `token-of-${name}`);
    const thoughts = /Thought \d/g;
    return { thread, thoughts: JSON.stringify(upstream.requests.at(-1)?.body).match(thoughts) ?? [] };
  };
  const ann = await begin("ann");
  const bob = await begin("bob");
  const carol = await begin("carol");
  expect(await goOn("ann", ann)).toStrictEqual({ thread: ann.thread, thoughts: ["Thought 0"] });
  expect(await goOn("bob", bob)).toStrictEqual({ thread: bob.thread, thoughts: ["Thought 1"] });
  expect(await goOn("carol", carol)).toStrictEqual({ thread: carol.thread, thoughts: ["Thought 2"] });
  // She has only heard of it: nothing of it is hers.
  const dora = await goOn("dora", ann);
  expect(dora.thoughts).toStrictEqual([]);
  expect([ann.thread, bob.thread, carol.thread]).not.toContain(dora.thread);
});
