// Reads and checks the body of an HTTP request, the settings of a model call, query fields and path parameters.
import type { ModelRequest } from "../../model/index.ts";
import { validateRequest } from "../../model/index.ts";
import { ShapeInspector } from "../../model/validation/inspect-shape.ts";
import type { Issue } from "../../model/validation/issue.ts";
import type { Infer, ObjectShape, DescribesType } from "../../model/validation/shape.ts";
import { NAMED } from "../../model/validation/message-shapes.ts";
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import { readJson } from "../http/json-body.ts";
import type { ServerRequest } from "../types.ts";

/**
 * Reads the JSON body and checks it against a shape. Unknown fields are rejected only at the top level of the body, so
 * that messages in the body may contain unknown parts.
 */
export async function readBody<Shape extends ObjectShape & DescribesType<unknown>>(
  request: ServerRequest,
  limits: ServerLimits,
  shape: Shape,
): Promise<Infer<Shape>> {
  const body = await readJson(request, limits);
  const issues = new ShapeInspector(NAMED).inspect(body, shape).filter(isStructural);
  // A misspelled required field causes two issues: an unknown field and a missing field. The unknown field is reported,
  // because its message contains the misspelled name.
  const issue = issues.find(({ code }) => code === "unknown-field") ?? issues[0];
  if (issue !== undefined) {
    const { path, message } = issue;
    const isOwn = !path.slice(1).includes("/");
    const fields = Object.keys({ ...shape.required, ...shape.optional }).join(", ");
    const advice = isOwn ? ` The body has these fields: ${fields}.` : "";
    const location = path === "" ? "" : `At "${path}": `;
    throw new ServerError("invalid-request", `${location}${message}${advice}`, { path });
  }
  // The cast is safe: the body was checked against the shape above.
  return body as Infer<Shape>;
}

const STRUCTURAL: ReadonlySet<string> = new Set<Issue["code"]>(["wrong-type", "missing-field", "not-json", "too-deep"]);

/**
 * True if the issue makes the server reject the body: every issue at the top level does, but in nested values only the
 * codes of `STRUCTURAL`, which do not include unknown fields.
 */
function isStructural({ path, code }: Issue): boolean {
  return STRUCTURAL.has(code) || !path.slice(1).includes("/");
}

/** The fields of a model request except model, messages and stream. */
type CallSettings = Omit<ModelRequest, "model" | "messages" | "stream">;
const FIELDS_OUTSIDE_SETTINGS = ["model", "messages", "stream"];

/**
 * Returns the settings of a model call, which are the fields of a canonical request except model, messages and stream.
 * Throws if a setting is invalid.
 */
export function readSettings(settings: object = {}, path = "/settings"): CallSettings {
  const misplaced = FIELDS_OUTSIDE_SETTINGS.find((field) => field in settings);
  if (misplaced !== undefined) {
    const message = `"${misplaced}" is not a setting: set it at the top level of the body, if this route accepts it.`;
    throw new ServerError("invalid-request", message, { path: `${path}/${misplaced}` });
  }
  const [issue] = validateRequest({ ...settings, messages: [] });
  if (issue === undefined) return settings;
  const location = path + issue.path;
  throw new ServerError("invalid-request", `At "${location}": ${issue.message}`, { path: location });
}

/** Returns the text of a query field; undefined if the field is absent or empty. */
export function readQueryText({ query }: ServerRequest, name: string): string | undefined {
  return query.get(name) || undefined;
}

export function readQueryCount(request: ServerRequest, name: string, max: number): number | undefined {
  const text = readQueryText(request, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  const message = `"${name}" must be a whole number from 1 to ${max}.`;
  throw new ServerError("invalid-request", message, { path: name });
}

export function readQueryChoice<const Choice extends string>(
  request: ServerRequest,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = readQueryText(request, name);
  if (text === undefined) return undefined;
  const choice = choices.find((each) => each === text);
  if (choice !== undefined) return choice;
  throw new ServerError("invalid-request", `"${name}" must be one of ${choices.join(", ")}.`, { path: name });
}

export function readPathParam({ params }: ServerRequest, name: string): string {
  const value = params[name];
  if (value !== undefined) return value;
  throw new Error(`The route has no parameter "${name}".`);
}
