// The server's routes as tests see them: all of them, whose words their errors are in, and a path that leads to each.
import { completeConfig } from "../../../src/server/config/defaults.ts";
import { createServer } from "../../../src/server/server.ts";
import type { Route } from "../../../src/server/types.ts";

/** From a server that does nothing else: tests are made before a real one runs. */
const describing = await createServer(completeConfig({ log: { level: "silent", format: "json" } }));
export const ROUTES: readonly Route[] = describing.routes;
await describing.close();

export const titled = (routes: readonly Route[]): [string, Route][] =>
  routes.map((route) => [`${route.method} ${route.paths[0]}`, route]);

/** With something in the place of every name. */
export function pathTo(path: string, id = "nothing-known"): string {
  return path.replace(/(?<=\/):\w+/, id).replace("*model", "demo/koine");
}

export type Words = "koine" | "openai" | "anthropic" | "gemini";

/** Whose words a route's errors are in. */
export function wordsOf({ formatError: failure, paths, operation }: Route): Words {
  if (failure === undefined) return "koine";
  if (operation.id.startsWith("createMessage") || operation.id === "countMessageTokens") return "anthropic";
  return /gemini|generatecontent|counttokens/i.test(operation.id) || paths[0].startsWith("/v1beta")
    ? "gemini"
    : "openai";
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The message of an error in these words; undefined where it is none. */
export function messageIn(words: Words, text: string): string | undefined {
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
  }[words];
  return isTheirs && typeof error["message"] === "string" ? error["message"] : undefined;
}
