// `item_reference` items of a Responses client, as the AI SDK sends them by default, for answers of any provider.
import { describe, expect, test } from "vitest";
import { reasoning, text, toolCall } from "../../../src/index.ts";
import type { Script, UpstreamDialect } from "../../support/upstreams/index.ts";
import { startUpstream, UPSTREAM_DIALECTS } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/start-koine.ts";

interface Item {
  type: string;
  id: string;
  call_id?: string;
}

interface CreatedResponse {
  status: number;
  output: Item[];
  message: string;
  thread: string | null;
  losses: number;
}

const SCHEMA = { type: "object", properties: {}, required: [], additionalProperties: false };
const TOOLS = [{ type: "function", name: "look", parameters: SCHEMA, strict: true }];

async function createResponse(url: string, input: readonly object[], more: object = {}): Promise<CreatedResponse> {
  const reply = await fetch(`${url}/v1/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", input, tools: TOOLS, ...more }),
  });
  // The fields of a Responses reply.
  const { output = [], error } = (await reply.json()) as { output?: Item[]; error?: { message: string } | null };
  return {
    status: reply.status,
    output,
    message: error?.message ?? "",
    thread: reply.headers.get("x-koine-thread"),
    losses: Number(reply.headers.get("x-koine-losses") ?? 0),
  };
}

const QUESTION = { role: "user", content: "May I sail?" };

/** Returns the input: the text by its id, the call, and the tool's result. */
function named(output: readonly Item[]): object[] {
  const textItem = output.find(({ type }) => type === "message");
  const call = output.find(({ type }) => type === "function_call");
  return [
    { type: "item_reference", id: textItem?.id },
    { type: "function_call", call_id: call?.call_id, name: "look", arguments: "{}" },
    { type: "function_call_output", call_id: call?.call_id, output: "calm" },
  ];
}

const script: Script = ({ turn, body }) =>
  JSON.stringify(body).includes("calm") ? "You may." : { parts: [text(`Look ${turn}.`), toolCall("", "look", {})] };

async function startBoth(id: UpstreamDialect, answers: Script) {
  const upstream = await startUpstream(id, answers);
  const models = { m: `up/${upstream.model}` };
  const koine = await startKoine({ providers: { up: upstream.config }, models });
  return {
    upstream,
    url: koine.url,
    async [Symbol.asyncDispose]() {
      await koine.close();
      await upstream.close();
    },
  };
}

describe.each(UPSTREAM_DIALECTS)("on %s", (id) => {
  test("an item is restored from the record, even after a repeated request", async () => {
    await using both = await startBoth(id, script);
    const { url, upstream } = both;
    const first = await createResponse(url, [QUESTION]);
    const second = await createResponse(url, [QUESTION]);
    for (const [turn, { output, thread }] of [first, second].entries()) {
      const next = await createResponse(url, [QUESTION, ...named(output)]);
      expect([next.status, next.message, next.thread]).toStrictEqual([200, "", thread]);
      const upstreamBody = JSON.stringify(upstream.requests.at(-1)?.body);
      expect(upstreamBody.match(/Look \d/g)).toStrictEqual([`Look ${turn}`]);
    }
    expect(upstream.rejections).toStrictEqual([]);
  });
});

test("an unknown item is rejected, with its path", async () => {
  await using both = await startBoth("anthropic", script);
  const { url, upstream } = both;
  const { output } = await createResponse(url, [QUESTION]);
  const [, ...rest] = named(output);
  const { status, message } = await createResponse(url, [
    QUESTION,
    { type: "item_reference", id: "msg_nobody" },
    ...rest,
  ]);
  expect(status).toBe(400);
  expect(message).toContain("/messages/1/parts/0");
  expect(upstream.answered).toBe(1);
});

test("a client without stored answers gets no signature restored, which the losses report", async () => {
  const thinking: Script = ({ turn }) => ({ parts: [reasoning(`Thought ${turn}.`), toolCall("", "look", {})] });
  await using both = await startBoth("anthropic", thinking);
  const { url, upstream } = both;
  const first = await createResponse(url, [QUESTION], { store: false });
  const [, ...rest] = named(first.output);
  const second = await createResponse(
    url,
    [QUESTION, ...first.output.filter(({ type }) => type === "reasoning"), ...rest],
    {
      store: false,
    },
  );
  expect([first.thread, second.thread, second.status]).toStrictEqual([null, null, 200]);
  expect(second.losses).toBeGreaterThan(0);
  expect(JSON.stringify(upstream.requests.at(-1)?.body)).not.toContain(upstream.seals[0]);
});
