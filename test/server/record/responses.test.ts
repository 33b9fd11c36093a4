// Stored Responses of every upstream: previous responses, retrieval, input items, and deletion.
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { KoineServer } from "../../../src/server/server.ts";
import { startUpstream, UPSTREAM_DIALECTS } from "../../support/upstreams/index.ts";
import type { Script, Upstream, UpstreamDialect } from "../../support/upstreams/index.ts";
import { startKoine } from "../support/start-koine.ts";

/** The SDK joins the text for whole replies only. */
function textOf({ output }: OpenAI.Responses.Response): string {
  return output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");
}

interface Setting extends AsyncDisposable {
  koine: KoineServer;
  upstream: Upstream;
  client: OpenAI;
  model: string;
}

async function setting(dialect: UpstreamDialect, script: Script): Promise<Setting> {
  const upstream = await startUpstream(dialect, script);
  const koine = await startKoine({ providers: { up: upstream.config } });
  const client = new OpenAI({ baseURL: `${koine.url}/v1`, apiKey: "none", maxRetries: 0 });
  const close = async (): Promise<void> => {
    await koine.close();
    await upstream.close();
  };
  return { koine, upstream, client, model: `up/${upstream.model}`, [Symbol.asyncDispose]: close };
}

const CALL = { type: "tool-call", toolCallId: "", toolName: "look", input: { at: "Corinth" } } as const;
const THOUGHT = { type: "reasoning", text: "I should look." } as const;
const TOOLS: OpenAI.Responses.FunctionTool[] = [
  {
    type: "function",
    name: "look",
    parameters: { type: "object", properties: { at: { type: "string" } } },
    strict: false,
  },
];

describe.each(UPSTREAM_DIALECTS)("behind %s", (dialect) => {
  it.each([false, true])(
    "B11, B14: previous_response_id continues through a tool call, with all seals (stream: %s)",
    async (stream) => {
      // Reasoning is shown and sealed if the upstream supports it; Chat does not.
      const parts = dialect === "openai-chat" ? [CALL] : [THOUGHT, CALL];
      await using set = await setting(dialect, [{ parts }, "Sunny.", "You asked about Corinth."]);
      const { client, model, upstream } = set;
      const create = async (
        body: Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "model">,
      ): Promise<OpenAI.Responses.Response> => {
        const reasoning = dialect === "openai-chat" ? {} : { reasoning: { effort: "low" as const } };
        const params = { model, tools: TOOLS, ...reasoning, ...body };
        if (!stream) return client.responses.create(params);
        let whole: OpenAI.Responses.Response | undefined;
        for await (const event of await client.responses.create({ ...params, stream: true })) {
          if (event.type === "response.completed") whole = event.response;
        }
        if (whole === undefined) throw new Error("The stream was not whole.");
        return { ...whole, output_text: textOf(whole) };
      };
      const first = await create({ instructions: "Be brief.", input: "Weather in Corinth?" });
      const call = first.output.find((item) => item.type === "function_call");
      expect(call?.arguments).toBe('{"at":"Corinth"}');
      const second = await create({
        previous_response_id: first.id,
        input: [{ type: "function_call_output", call_id: call?.call_id ?? "", output: "sun" }],
      });
      expect(second.output_text).toBe("Sunny.");
      const third = await create({ previous_response_id: second.id, input: "What did I ask?" });
      expect(third.output_text).toBe("You asked about Corinth.");
      expect(upstream.rejections).toEqual([]);
      // The whole conversation was sent, without instructions of an earlier call.
      const last = JSON.stringify(upstream.requests.at(-1)?.body);
      expect(last).toContain("Weather in Corinth?");
      expect(last).not.toContain("Be brief.");
      expect(last).not.toContain("previous_response_id");
    },
  );
});

describe("a stored response", () => {
  it("is returned, whole and as events, with the settings of its request", async () => {
    await using set = await setting("anthropic", ["Hello.", "Again."]);
    const { client, model } = set;
    const settings = { metadata: { a: "1" }, temperature: 0.5, instructions: "Be kind.", tools: TOOLS };
    const created = await client.responses.create({ model, input: "Hi", ...settings });
    const next = await client.responses.create({ model, input: "More", previous_response_id: created.id });
    const stored = await client.responses.retrieve(created.id);
    expect(stored).toMatchObject({ id: created.id, status: "completed", output_text: "Hello.", metadata: { a: "1" } });
    expect(stored).toMatchObject({ temperature: 0.5, instructions: "Be kind.", usage: created.usage, store: true });
    expect(stored.output).toEqual(created.output);
    expect(stored.tools).toMatchObject([{ name: "look" }]);
    expect((await client.responses.retrieve(next.id)).previous_response_id).toBe(created.id);
    const types: string[] = [];
    let text = "";
    for await (const event of await client.responses.retrieve(created.id, { stream: true })) {
      types.push(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    expect(text).toBe("Hello.");
    expect([types[0], types.at(-1)]).toEqual(["response.created", "response.completed"]);
    const rest: number[] = [];
    for await (const event of await client.responses.retrieve(created.id, { stream: true, starting_after: 2 })) {
      rest.push(event.sequence_number);
    }
    expect(rest[0]).toBe(3);
  });

  it("lists its input items in pages, in both orders", async () => {
    await using set = await setting("gemini", ["one", "two"]);
    const { client, model } = set;
    const first = await client.responses.create({ model, instructions: "Be kind.", input: "a" });
    const second = await client.responses.create({
      model,
      previous_response_id: first.id,
      input: [
        { role: "developer", content: "Hm." },
        { role: "user", content: [{ type: "input_text", text: "b" }] },
      ],
    });
    const texts = (items: readonly unknown[]): unknown[] =>
      items.map((item) => (item as { content: { text: string }[] }).content[0]?.text);
    const all = await client.responses.inputItems.list(second.id, { order: "asc" });
    expect(texts(all.data)).toEqual(["a", "one", "Hm.", "b"]);
    const [first_id, last_id] = [all.data[0]?.id, all.data[3]?.id];
    const reply = await fetch(`${set.koine.url}/v1/responses/${second.id}/input_items?order=asc`);
    expect(await reply.json()).toMatchObject({ object: "list", has_more: false, first_id, last_id });
    const page = await client.responses.inputItems.list(second.id, { limit: 2 });
    expect(texts(page.data)).toEqual(["b", "Hm."]);
    expect(page.has_more).toBe(true);
    const seen: unknown[] = [];
    for await (const item of client.responses.inputItems.list(second.id, { limit: 2 })) seen.push(...texts([item]));
    expect(seen).toEqual(["b", "Hm.", "one", "a"]);
  });

  it("is gone after its deletion, while its thread stays", async () => {
    await using set = await setting("openai-chat", ["Hello."]);
    const { client, model, koine } = set;
    const { data: created, response } = await client.responses.create({ model, input: "Hi" }).withResponse();
    const removed = await fetch(`${koine.url}/v1/responses/${created.id}`, { method: "DELETE" });
    expect(await removed.json()).toEqual({ id: created.id, object: "response", deleted: true });
    await expect(client.responses.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.responses.delete(created.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      client.responses.create({ model, input: "More", previous_response_id: created.id }),
    ).rejects.toMatchObject({ status: 400, param: "/previous_response_id" });
    expect(response.headers.get("x-koine-thread")).toBeTruthy();
  });

  it("does not exist if it was not to be stored", async () => {
    await using set = await setting("openai-chat", ["Hello."]);
    const { client, model } = set;
    const created = await client.responses.create({ model, input: "Hi", store: false });
    await expect(client.responses.retrieve(created.id)).rejects.toMatchObject({ status: 404 });
  });
});

describe("errors in OpenAI's format", () => {
  it.each([
    ["GET", "/v1/responses/none", 404],
    ["GET", "/responses/none", 404],
    ["GET", "/v1/responses/none/input_items", 404],
    ["DELETE", "/v1/responses/none", 404],
    ["POST", "/v1/responses/none/cancel", 404],
  ])("%s %s is a %i", async (method, path, status) => {
    await using koine = await startKoine();
    const reply = await fetch(koine.url + path, { method });
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error: { message: expect.stringContaining("none"), param: "id" } });
  });

  it.each(["order=up", "limit=0", "limit=x", "after=nobody"])("input items reject %s", async (query) => {
    await using set = await setting("openai-chat", ["Hello."]);
    const { id } = await set.client.responses.create({ model: set.model, input: "Hi" });
    const reply = await fetch(`${set.koine.url}/v1/responses/${id}/input_items?${query}`);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: { param: query.split("=")[0] } });
  });

  it("cancelling a response is an error that names runs, and a run can be cancelled", async () => {
    await using set = await setting("openai-responses", [
      "Hello.",
      { parts: [{ type: "text", text: "word ".repeat(100) }], stall: 5000 },
    ]);
    const { client, model, koine } = set;
    const { id } = await client.responses.create({ model, input: "Hi" });
    await expect(client.responses.cancel(id)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("/v1/runs/"),
    });
    const { data: stream, response } = await client.responses
      .create({ model, input: "Hi", stream: true })
      .withResponse();
    const runId = response.headers.get("x-koine-run") ?? "";
    const ended = (async () => {
      for await (const _ of stream);
    })();
    const cancelled = await fetch(`${koine.url}/v1/runs/${runId}/cancel`, { method: "POST" });
    expect([cancelled.status, await cancelled.json()]).toEqual([200, { id: runId, cancelled: true }]);
    await expect(ended).rejects.toThrow();
    expect((await fetch(`${koine.url}/v1/runs/${runId}/cancel`, { method: "POST" })).status).toBe(404);
  });
});
