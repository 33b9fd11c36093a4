// Defines routes whose bodies and replies are described by shapes, and creates JSON replies.
import { stringifyJson } from "../../model/index.ts";
import type { AnyShape } from "../../model/validation/shape.ts";
import { toJsonSchema } from "../../model/validation/json-schema.ts";
import type { Operation, ServerReply, Route } from "../types.ts";

export function jsonReply(status: number, value: object, headers: Record<string, string> = {}): ServerReply {
  return { status, headers: { "content-type": "application/json", ...headers }, body: stringifyJson(value) };
}

/** Describes a reply for the OpenAPI document, by a shape or by the name of a schema of the document. */
export function describeReply(description: string, shape: AnyShape | string): Operation["replies"][number] {
  return { description, schema: typeof shape === "string" ? shape : toJsonSchema(shape) };
}

/** Returns the OpenAPI schema of a query field or header that contains text. */
export const textParameter = (description: string): { type: "string"; description: string } => ({
  type: "string",
  description,
});
/** Returns the OpenAPI schema of a query field that contains a positive integer. */
export const countParameter = (description: string): { type: "integer"; minimum: 1; description: string } => ({
  type: "integer",
  minimum: 1,
  description,
});

/** The description of a route, in which `body` is a shape instead of the JSON Schema of `Operation`. */
export interface RouteDescription extends Omit<Operation, "tag" | "body"> {
  tag?: Operation["tag"];
  body?: AnyShape;
  countsAsOpenCall?: true;
}

/** Creates a route from one or several paths, its description and its function. */
export function defineRoute(
  method: Route["method"],
  paths: string | readonly [string, ...string[]],
  { body, countsAsOpenCall, tag = "ledger", ...description }: RouteDescription,
  run: Route["run"],
): Route {
  const operation: Operation = { tag, ...description };
  if (body !== undefined) operation.body = toJsonSchema(body);
  const defined: Route = {
    method,
    paths: typeof paths === "string" ? [paths] : paths,
    operation,
    run,
  };
  if (countsAsOpenCall !== undefined) defined.countsAsOpenCall = countsAsOpenCall;
  return defined;
}
