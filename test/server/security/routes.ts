// The server's routes for tests: all routes, their error formats, and a path for each.
import { completeConfig } from "../../../src/server/config/complete-config.ts";
import { createServer } from "../../../src/server/server.ts";
import type { Route } from "../../../src/server/types.ts";

/** From a server that is only used for its routes, because tests are defined before the real one runs. */
const describing = await createServer(completeConfig({ log: { level: "silent", format: "json" } }));
export const ROUTES: readonly Route[] = describing.routes;
await describing.close();

export const titled = (routes: readonly Route[]): [string, Route][] =>
  routes.map((route) => [`${route.method} ${route.paths[0]}`, route]);

/** Returns the path with a value for every parameter. */
export function pathTo(path: string, id = "nothing-known"): string {
  return path.replace(/(?<=\/):\w+/, id).replace("*model", "demo/koine");
}

export type ErrorFormat = "koine" | "openai" | "anthropic" | "gemini";

/** Returns the error format of a route. */
export function detectErrorFormat({ formatError: failure, paths, operation }: Route): ErrorFormat {
  if (failure === undefined) return "koine";
  if (operation.id.startsWith("createMessage") || operation.id === "countMessageTokens") return "anthropic";
  return /gemini|generatecontent|counttokens/i.test(operation.id) || paths[0].startsWith("/v1beta")
    ? "gemini"
    : "openai";
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Returns the message of an error in this format; undefined if it is none. */
export function readErrorMessage(errorFormat: ErrorFormat, text: string): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(body) || !isRecord(body["error"])) return undefined;
  const { error } = body;
  const isTheirs = {
    koine: typeof error["code"] === "string",
    openai: "type" in error && "param" in error && "code" in error,
    anthropic: body["type"] === "error" && typeof error["type"] === "string",
    gemini: typeof error["code"] === "number" && typeof error["status"] === "string",
  }[errorFormat];
  return isTheirs && typeof error["message"] === "string" ? error["message"] : undefined;
}
