// Creates the OpenAPI document from the routes, so that the document always matches the server.
import type { JsonObject, JsonValue, SchemaObject } from "../../model/index.ts";
import { jsonSchema, toJsonSchema } from "../../model/validation/json-schema.ts";
import type { Operation, Route } from "../types.ts";
import { SHAPES } from "./schemas.ts";

const TAGS: Readonly<Record<Operation["tag"], string>> = {
  gateway: "The endpoints of the official SDKs, each with all models.",
  tasks: "Agents that run on the server: messages, events and queues.",
  ledger: "Stored conversations: threads, branches, runs, live events, search, export and translation.",
  chat: "The AI SDK's `useChat`.",
  operations: "Health, metrics, and this document.",
};

const ABOUT =
  "One common language for LLM conversations. With tenants configured, send a token as `Authorization: Bearer`, " +
  "`x-api-key`, `x-goog-api-key` or `?key=`; without, no token is needed.";

/** The version of the API, not of the package. */
const VERSION = "1";

export function openapiDocument(routes: readonly Route[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const item = (paths[toPathTemplate(route.paths[0])] ??= {});
    item[route.method.toLowerCase()] = describeRoute(route);
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
  return moveReferences(document);
}

/** Returns the schemas of the canonical model and the schemas that routes share, by name. */
function schemas(): JsonObject {
  const own = Object.entries(SHAPES).map(([name, shape]): [string, JsonValue] => [name, toJsonSchema(shape)]);
  // The cast is safe: `$defs` of the published schema is an object.
  return { ...(jsonSchema()["$defs"] as JsonObject), ...Object.fromEntries(own) };
}

/** Converts a route path such as `/v1/threads/:id` or `/v1beta/models/*model:countTokens` to an OpenAPI template. */
function toPathTemplate(path: string): string {
  return path.replaceAll(/[:*](\w+)/g, (whole, name: string, at: number) =>
    path[at - 1] === "/" ? `{${name}}` : whole,
  );
}

function describeRoute({ operation, paths, public: isPublic, formatError }: Route): JsonObject {
  const { id, tag, summary, body, bodyType = "application/json" } = operation;
  const described: JsonObject = {
    operationId: id,
    tags: [tag],
    summary,
    parameters: listParameters(operation, paths[0]),
  };
  if (paths.length > 1) described["description"] = `Also: ${paths.slice(1).join(", ")}`;
  if (body !== undefined) {
    described["requestBody"] = { required: true, content: { [bodyType]: { schema: toSchema(body) } } };
  }
  const responses: JsonObject = Object.fromEntries(
    Object.entries(operation.replies).map(([status, reply]): [string, JsonValue] => [
      status,
      describeReplyContent(reply),
    ]),
  );
  const isOwnError = formatError === undefined;
  responses["default"] = isOwnError
    ? describeReplyContent({ description: "An error, with a stable code.", schema: "Error" })
    : describeReplyContent({ description: "An error in the format of the route's clients.", schema: {} });
  described["responses"] = responses;
  if (isPublic === true) described["security"] = [];
  return described;
}

function describeReplyContent({ description, schema, type }: Operation["replies"][number]): JsonObject {
  if (schema === undefined && type === undefined) return { description };
  const media = schema === undefined ? { schema: { type: "string" } } : { schema: toSchema(schema) };
  return { description, content: { [type ?? "application/json"]: media } };
}

function listParameters({ query = {}, headers = {} }: Operation, path: string): JsonValue[] {
  const names = [...path.matchAll(/\/[:*](\w+)/g)].map(([, name = ""]) => name);
  return [
    ...names.map((name) => parameter("path", name, { type: "string" }, true)),
    ...Object.entries(query).map(([name, schema]) => parameter("query", name, schema, false)),
    ...Object.entries(headers).map(([name, schema]) => parameter("header", name, schema, false)),
  ];
}

function parameter(location: string, name: string, schemaObject: SchemaObject, required: boolean): JsonObject {
  const { description, ...schema } = schemaObject;
  // The cast is safe: the schema of a parameter is part of an `Operation`, which contains only JSON values.
  const described: JsonObject = { name, in: location, required, schema: schema as JsonObject };
  if (typeof description === "string") described["description"] = description;
  return described;
}

function toSchema(schema: SchemaObject | string): JsonObject {
  if (typeof schema === "string") return { $ref: `#/$defs/${schema}` };
  // The cast is safe: the schema is part of an `Operation`, which contains only JSON values.
  return schema as JsonObject;
}

const DEFS_PREFIX = "#/$defs/";

/**
 * Returns a copy in which every `$ref` points to `#/components/schemas/`, where an OpenAPI document has its
 * definitions. Other strings are not changed, even if they look like a reference.
 */
function moveReferences<Value extends JsonValue>(value: Value): Value {
  const copy = (each: JsonValue, key?: string): JsonValue => {
    if (typeof each === "string") {
      return key === "$ref" && each.startsWith(DEFS_PREFIX)
        ? `#/components/schemas/${each.slice(DEFS_PREFIX.length)}`
        : each;
    }
    if (Array.isArray(each)) return each.map((item) => copy(item));
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([name, item]): [string, JsonValue] => [name, copy(item, name)]),
    );
  };
  // The cast is safe: the copy has the same structure.
  return copy(value) as Value;
}
