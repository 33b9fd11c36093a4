// What a request says: its body against the shape that the document shows, and the fields of its query.
import { structuralIssues } from "../../model/validate.ts";
import type { Infer, ObjectShape, Typed } from "../../model/shape.ts";
import type { Limits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import { readJson } from "../http/body.ts";
import type { ServerRequest } from "../types.ts";

/** The body, which has exactly the fields of the shape. */
export async function readBody<Shape extends ObjectShape & Typed<unknown>>(
  request: ServerRequest,
  limits: Limits,
  shape: Shape,
): Promise<Infer<Shape>> {
  const body = await readJson(request, limits);
  const [issue] = structuralIssues(body, shape);
  if (issue !== undefined) {
    const { path, code, message } = issue;
    const fields = Object.keys({ ...shape.required, ...shape.optional }).join(", ");
    const advice = code === "unknown-field" && !path.slice(1).includes("/") ? ` There are: ${fields}.` : "";
    throw new ServerError("invalid-request", `At "${path}": ${message}${advice}`, { path });
  }
  // It was held against the shape just now.
  return body as Infer<Shape>;
}

/** A field of the query; one that is there and empty counts as absent. */
export function queryText({ query }: ServerRequest, name: string): string | undefined {
  return query.get(name) || undefined;
}

export function queryCount(request: ServerRequest, name: string, most: number): number | undefined {
  const text = queryText(request, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  const message = `"${name}" must be a whole number from 1 to ${most}.`;
  throw new ServerError("invalid-request", message, { path: name });
}

export function queryWord<const Word extends string>(
  request: ServerRequest,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = queryText(request, name);
  if (text === undefined) return undefined;
  const word = words.find((each) => each === text);
  if (word !== undefined) return word;
  throw new ServerError("invalid-request", `"${name}" must be one of ${words.join(", ")}.`, { path: name });
}

/** A parameter of the path. */
export function param({ params }: ServerRequest, name: string): string {
  const value = params[name];
  if (value !== undefined) return value;
  throw new Error(`The route has no parameter "${name}".`);
}
