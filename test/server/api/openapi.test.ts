// The OpenAPI document: valid, and consistent with the server's replies.
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openapiDocument } from "../../../src/server/openapi/document.ts";
import type { Api } from "./support.ts";
import { firstOf, userMessage, startApi } from "./support.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Yields every value under a key, at any depth. */
function* valuesOf(key: string, within: unknown): Iterable<unknown> {
  if (typeof within !== "object" || within === null) return;
  for (const [name, value] of Object.entries(within)) {
    if (name === key) yield value;
    yield* valuesOf(key, value);
  }
}

describe("the document", () => {
  test("equals the one made from the routes, with their first paths", async () => {
    const expected = openapiDocument(api.koine.routes);
    expect(api.document).toEqual(expected);
    const operations = [...valuesOf("operationId", expected)];
    expect(operations).toHaveLength(api.koine.routes.length);
    expect(new Set(operations).size).toBe(operations.length);
  });

  test("has a schema for every name that a route or schema refers to", () => {
    const { components } = api.document as unknown as { components: { schemas: Record<string, unknown> } };
    const refs = [...valuesOf("$ref", api.document)].map(String);
    expect(refs.length).toBeGreaterThan(50);
    const missing = refs.filter((ref) => !Object.hasOwn(components.schemas, ref.replace("#/components/schemas/", "")));
    expect([...new Set(missing)]).toEqual([]);
  });

  test("has schemas that can be compiled", () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ ...api.document, $id: "koine:all" });
    const { components } = api.document as unknown as { components: { schemas: Record<string, unknown> } };
    for (const name of Object.keys(components.schemas)) {
      expect(() => ajv.compile({ $ref: `koine:all#/components/schemas/${name}` }), name).not.toThrow();
    }
    for (const schema of valuesOf("schema", api.document.paths)) expect(typeof schema).toBe("object");
  });

  test("declares every path parameter, and has a summary for each operation", () => {
    for (const [path, item] of Object.entries(api.document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const operation of Object.values(item)) {
        const { parameters, summary, responses } = operation as unknown as {
          parameters: { name: string; in: string; required: boolean }[];
          summary: string;
          responses: object;
        };
        expect(
          parameters.filter((each) => each.in === "path").map(({ name }) => name),
          path,
        ).toEqual(names);
        expect(summary.length, path).toBeGreaterThan(5);
        expect(Object.keys(responses), path).toContain("default");
      }
    }
  });

  test("needs no token, and is served at two paths", async () => {
    const { status, text } = await api.get("/v1/openapi.json");
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual(api.document);
  });
});

test("every ledger and chat operation replies as documented", async () => {
  const { post, get, call } = api;
  const { id } = (await post("/v1/threads", { title: "Corinth", messages: [userMessage("say Hello.")] })).body;
  const thread = `/v1/threads/${id}`;
  const regenerated = await post(`${thread}/regenerate`, {});
  const answer = firstOf(regenerated);
  const { run } = regenerated.body;
  await post(`${thread}/messages`, { messages: [userMessage("More.")] });
  await post(`${thread}/fork`, { messageId: answer.id, id: "forked" });
  await post(`${thread}/edit`, { messageId: answer.parentMessageId, text: "say Hi." });
  await post(`${thread}/select`, { messageId: answer.id });
  await call("PATCH", thread, { title: "Other" });
  for (const path of ["", "/messages", "/messages?dialect=gemini", "/tree", "/outline", "/context", "/runs"])
    await get(thread + path);
  await get(`/v1/runs/${run.id}`);
  await get(`/v1/runs/${run.id}/events`);
  await get(`/v1/runs/${run.id}/request`);
  const live = await api.koine.ledger.beginRun({ threadId: id });
  await post(`/v1/runs/${live.id}/cancel`);
  for (const [operation, path] of [
    ["followThread", `${thread}/events`],
    ["followThreads", "/v1/events"],
  ] as const) {
    const events = await fetch(`${api.koine.url}${path}`);
    expect(events.headers.get("content-type")).toContain("text/event-stream");
    await events.body?.cancel();
    api.answered.add(operation);
  }
  for (const path of [
    "/v1/threads?summary=true",
    "/v1/threads?search=hello&summary=true",
    "/v1/search?q=hello",
    "/v1/dialects",
    "/v1/losses",
  ])
    await get(path);
  const lines = (await get("/v1/export?thread=forked")).text;
  await call("DELETE", "/v1/threads/forked");
  await post("/v1/import", lines);
  const { blob } = (await post("/v1/blobs", "bytes")).body;
  await get(`/v1/blobs/${blob}`);
  await post("/v1/translate", {
    from: "openai-chat",
    to: "gemini",
    kind: "messages",
    payload: [{ role: "user", content: "Hi." }],
  });
  await post("/v1/chat", {
    id: "chat",
    messages: [{ id: "u", role: "user", parts: [{ type: "text", text: "say Hello." }] }],
  });
  await get("/v1/chat/chat");
  await get("/v1/chat/chat/stream");
  const operationIds = Object.values(api.document.paths)
    .flatMap((item) => Object.values(item))
    .filter(({ tags }) => tags.includes("ledger") || tags.includes("chat"))
    .map(({ operationId }) => operationId);
  expect(operationIds.length).toBeGreaterThan(25);
  expect(operationIds.filter((operation) => !api.answered.has(operation))).toEqual([]);
});
