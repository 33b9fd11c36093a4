// Routes for tests of the HTTP layer.
import { stringifyJson } from "../../../src/model/index.ts";
import { readJson } from "../../../src/server/http/json-body.ts";
import type { ServerLimits } from "../../../src/server/config/types.ts";
import { DEFAULT_LIMITS } from "../../../src/server/config/defaults.ts";
import type { ServerReply, Route } from "../../../src/server/types.ts";

export function route(
  method: Route["method"],
  path: string,
  run: Route["run"],
  more: Partial<Omit<Route, "method" | "run">> = {},
): Route {
  const id = `${method} ${path}`;
  return {
    method,
    paths: [path],
    operation: { id, tag: "operations", summary: id, replies: { 200: { description: "It." } } },
    run,
    ...more,
  };
}

export function json(value: unknown, status = 200): ServerReply {
  return { status, headers: { "content-type": "application/json" }, body: stringifyJson(value) };
}

/** Replies with the request. */
export const echo = (limits: Partial<ServerLimits> = {}): Route =>
  route("POST", "/echo", async (request) => json(await readJson(request, { ...DEFAULT_LIMITS, ...limits })));

/** Replies with the caller. */
export const whoami = route("GET", "/whoami", (_request, { tenant, scope, ledger }) =>
  json({ tenant, scope, ledger: ledger.tenant }),
);
