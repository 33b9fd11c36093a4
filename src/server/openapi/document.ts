// The OpenAPI document, made from the routes themselves: what is served is what is described.
import type { JsonObject, JsonValue, SchemaObject } from "../../model/index.ts";
import { jsonSchema, schemaOf } from "../../model/schema.ts";
import type { Operation, Route } from "../types.ts";
import { SHAPES } from "./schemas.ts";

const TAGS: Readonly<Record<Operation["tag"], string>> = {
  gateway: "What the official SDKs call, with every model behind each of them.",
  tasks: "Agents at work: their messages, events and queues.",
  ledger: "Every conversation: threads, branches, runs, live events, search, export and translation.",
  chat: "The AI SDK's `useChat`.",
  operations: "Health, figures, and this document.",
};

const ABOUT =
  "One common language for LLM conversations. With tenants configured, send a token as `Authorization: Bearer`, " +
  "`x-api-key`, `x-goog-api-key` or `?key=`; without, no token is needed.";

/** The version of the API, not of the package. */
const VERSION = "1";

export function openapiDocument(routes: readonly Route[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const item = (paths[templateOf(route.paths[0])] ??= {});
    item[route.method.toLowerCase()] = describe(route);
  }
  const document: JsonObject = {
    openapi: "3.1.1",
    info: { title: "Koine", version: VERSION, description: ABOUT },
    servers: [{ url: "/" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{}, { bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      schemas: schemas(),
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
  };
  return relocated(document);
}

/** The model's own definitions, and what the routes share. */
function schemas(): JsonObject {
  const own = Object.entries(SHAPES).map(([name, shape]): [string, JsonValue] => [name, schemaOf(shape)]);
  // The published schema holds its definitions as an object.
  return { ...(jsonSchema()["$defs"] as JsonObject), ...Object.fromEntries(own) };
}

/** `/v1/threads/:id` and `/v1beta/models/*model:countTokens`, as OpenAPI writes them. */
function templateOf(path: string): string {
  return path.replaceAll(/[:*](\w+)/g, (whole, name: string, at: number) =>
    path[at - 1] === "/" ? `{${name}}` : whole,
  );
}

function describe({ operation, paths, public: open, formatError: failure }: Route): JsonObject {
  const { id, tag, summary, body, bodyType = "application/json" } = operation;
  const described: JsonObject = {
    operationId: id,
    tags: [tag],
    summary,
    parameters: parametersOf(operation, paths[0]),
  };
  if (paths.length > 1) described["description"] = `Also: ${paths.slice(1).join(", ")}`;
  if (body !== undefined) {
    described["requestBody"] = { required: true, content: { [bodyType]: { schema: schemaFor(body) } } };
  }
  const responses: JsonObject = Object.fromEntries(
    Object.entries(operation.replies).map(([status, reply]): [string, JsonValue] => [status, replyOf(reply)]),
  );
  const isOwnError = failure === undefined;
  responses["default"] = isOwnError
    ? replyOf({ description: "An error, with a stable code.", schema: "Error" })
    : replyOf({ description: "An error, in the words of the route's clients.", schema: {} });
  described["responses"] = responses;
  if (open === true) described["security"] = [];
  return described;
}

function replyOf({ description, schema, type }: Operation["replies"][number]): JsonObject {
  if (schema === undefined && type === undefined) return { description };
  const media = schema === undefined ? { schema: { type: "string" } } : { schema: schemaFor(schema) };
  return { description, content: { [type ?? "application/json"]: media } };
}

function parametersOf({ query = {}, headers = {} }: Operation, path: string): JsonValue[] {
  const names = [...path.matchAll(/\/[:*](\w+)/g)].map(([, name = ""]) => name);
  return [
    ...names.map((name) => parameter("path", name, { type: "string" }, true)),
    ...Object.entries(query).map(([name, schema]) => parameter("query", name, schema, false)),
    ...Object.entries(headers).map(([name, schema]) => parameter("header", name, schema, false)),
  ];
}

function parameter(place: string, name: string, given: SchemaObject, required: boolean): JsonObject {
  const { description, ...schema } = given;
  // Operations are written as JSON.
  const described: JsonObject = { name, in: place, required, schema: schema as JsonObject };
  if (typeof description === "string") described["description"] = description;
  return described;
}

function schemaFor(schema: SchemaObject | string): JsonObject {
  if (typeof schema === "string") return { $ref: `#/$defs/${schema}` };
  // Operations are written as JSON.
  return schema as JsonObject;
}

const PLACE = "#/$defs/";

/** Definitions stand elsewhere in a document of this kind; the words of messages are no references. */
function relocated<Value extends JsonValue>(value: Value): Value {
  const copy = (each: JsonValue, key?: string): JsonValue => {
    if (typeof each === "string") {
      return key === "$ref" && each.startsWith(PLACE) ? `#/components/schemas/${each.slice(PLACE.length)}` : each;
    }
    if (Array.isArray(each)) return each.map((item) => copy(item));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([name, item]): [string, JsonValue] => [name, copy(item, name)]),
    );
  };
  // A copy of the same structure.
  return copy(value) as Value;
}
