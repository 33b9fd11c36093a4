// The OpenAPI document: sound in itself, and true of what the server answers.
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openapiDocument } from "../../../src/server/openapi/document.ts";
import type { Api } from "./support.ts";
import { firstOf, said, startApi } from "./support.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Every value under a key, at any depth. */
function* valuesOf(key: string, within: unknown): Iterable<unknown> {
  if (typeof within !== "object" || within === null) return;
  for (const [name, value] of Object.entries(within)) {
    if (name === key) yield value;
    yield* valuesOf(key, value);
  }
}

describe("the document", () => {
  test("is the same as what is made from the routes, whose first paths it has", async () => {
    const made = openapiDocument(api.koine.routes);
    expect(api.document).toEqual(made);
    const operations = [...valuesOf("operationId", made)];
    expect(operations).toHaveLength(api.koine.routes.length);
    expect(new Set(operations).size).toBe(operations.length);
  });

  test("has a schema for every name that a route or another schema uses", () => {
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

  test("declares every parameter of every path, and says what each operation is for", () => {
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

  test("needs no token, and is served in two places", async () => {
    const { status, text } = await api.get("/v1/openapi.json");
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual(api.document);
  });
});

test("every operation on the ledger and on chats answers as the document says", async () => {
  const { post, get, call } = api;
  const { id } = (await post("/v1/threads", { title: "Corinth", messages: [said("say Hello.")] })).body;
  const thread = `/v1/threads/${id}`;
  const asked = await post(`${thread}/regenerate`, {});
  const answer = firstOf(asked);
  const { run } = asked.body;
  await post(`${thread}/messages`, { messages: [said("More.")] });
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
  const wanted = Object.values(api.document.paths)
    .flatMap((item) => Object.values(item))
    .filter(({ tags }) => tags.includes("ledger") || tags.includes("chat"))
    .map(({ operationId }) => operationId);
  expect(wanted.length).toBeGreaterThan(25);
  expect(wanted.filter((operation) => !api.answered.has(operation))).toEqual([]);
});
