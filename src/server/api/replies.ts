// Replies of the ledger's routes, and how they are described.
import { stringifyJson } from "../../model/index.ts";
import type { AnyShape } from "../../model/shape.ts";
import { schemaOf } from "../../model/schema.ts";
import type { Operation, Reply, Route } from "../types.ts";

export function jsonReply(status: number, value: object, headers: Record<string, string> = {}): Reply {
  return { status, headers: { "content-type": "application/json", ...headers }, body: stringifyJson(value) };
}

/** Says that the reply of a status is this: a name of the document's, or a shape. */
export function says(description: string, shape: AnyShape | string): Operation["replies"][number] {
  return { description, schema: typeof shape === "string" ? shape : schemaOf(shape) };
}

/** Query fields as OpenAPI has them. */
export const text = (description: string): { type: "string"; description: string } => ({ type: "string", description });
export const whole = (description: string): { type: "integer"; minimum: 1; description: string } => ({
  type: "integer",
  minimum: 1,
  description,
});

/** What a route is but for its work. `body` may be a shape. */
export interface RouteFacts extends Omit<Operation, "tag" | "body"> {
  tag?: Operation["tag"];
  body?: AnyShape;
  heavy?: true;
}

/** A route; its path, and other spellings where there are some. */
export function route(
  method: Route["method"],
  paths: string | readonly [string, ...string[]],
  { body, heavy, tag = "ledger", ...facts }: RouteFacts,
  run: Route["run"],
): Route {
  const operation: Operation = { tag, ...facts };
  if (body !== undefined) operation.body = schemaOf(body);
  const made: Route = {
    method,
    paths: typeof paths === "string" ? [paths] : paths,
    operation,
    run,
  };
  if (heavy !== undefined) made.countsAsOpenCall = heavy;
  return made;
}
