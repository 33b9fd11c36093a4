// What a request says: its body against the shape that the document shows, and the fields of its query.
import type { ModelRequest } from "../../model/index.ts";
import { validateRequest } from "../../model/index.ts";
import { ShapeInspector } from "../../model/inspect-shape.ts";
import type { Issue } from "../../model/issue.ts";
import type { Infer, ObjectShape, Typed } from "../../model/shape.ts";
import { NAMED } from "../../model/shapes.ts";
import type { ServerLimits } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import { readJson } from "../http/body.ts";
import type { ServerRequest } from "../types.ts";

/** The body, which has exactly the fields of the shape; messages in it may hold parts that nobody knows yet. */
export async function readBody<Shape extends ObjectShape & Typed<unknown>>(
  request: ServerRequest,
  limits: ServerLimits,
  shape: Shape,
): Promise<Infer<Shape>> {
  const body = await readJson(request, limits);
  const issues = new ShapeInspector(NAMED).inspect(body, shape).filter(isGrave);
  // A field that is misspelled is also missing; the misspelling says more.
  const issue = issues.find(({ code }) => code === "unknown-field") ?? issues[0];
  if (issue !== undefined) {
    const { path, message } = issue;
    const isOwn = !path.slice(1).includes("/");
    const fields = Object.keys({ ...shape.required, ...shape.optional }).join(", ");
    const advice = isOwn ? ` The body has these fields: ${fields}.` : "";
    const place = path === "" ? "" : `At "${path}": `;
    throw new ServerError("invalid-request", `${place}${message}${advice}`, { path });
  }
  // It was held against the shape just now.
  return body as Infer<Shape>;
}

const STRUCTURAL: ReadonlySet<string> = new Set<Issue["code"]>(["wrong-type", "missing-field", "not-json", "too-deep"]);

/** Fields of the body itself must be right; within them, what is unknown survives, as everywhere. */
function isGrave({ path, code }: Issue): boolean {
  return STRUCTURAL.has(code) || !path.slice(1).includes("/");
}

/** What a request says beside its model and messages. */
type Settings = Omit<ModelRequest, "model" | "messages" | "stream">;
const NO_SETTINGS = ["model", "messages", "stream"];

/** Settings of a model call: all fields of a canonical request but what is said elsewhere. */
export function readSettings(settings: object = {}, path = "/settings"): Settings {
  const misplaced = NO_SETTINGS.find((field) => field in settings);
  if (misplaced !== undefined) {
    const message = `"${misplaced}" is no setting: say it beside them.`;
    throw new ServerError("invalid-request", message, { path: `${path}/${misplaced}` });
  }
  const [issue] = validateRequest({ ...settings, messages: [] });
  if (issue === undefined) return settings;
  const place = path + issue.path;
  throw new ServerError("invalid-request", `At "${place}": ${issue.message}`, { path: place });
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
