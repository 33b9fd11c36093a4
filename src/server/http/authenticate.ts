// Authenticates callers by a token in any header or query field that the official SDKs use. Digests of tokens are
// compared in constant time; tokens are never stored or logged.
import { hash, timingSafeEqual } from "node:crypto";
import type { Ledger } from "../../ledger/index.ts";
import type { TenantConfig } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { Caller, ServerRequest } from "../types.ts";

type CredentialsRequest = Pick<ServerRequest, "headers" | "query">;

/** Returns the caller of a request. Throws a `ServerError` "unauthorized" if the token is missing or unknown. */
export type Authenticate = (request: CredentialsRequest) => Caller;

const DIGEST_BYTES = 32;

interface KnownToken {
  digest: Buffer;
  caller: Caller;
}

/**
 * Creates the function that authenticates requests. Without configured tenants, every caller is the tenant "default".
 */
export function createAuthenticate(tenants: ReadonlyMap<string, TenantConfig>, ledger: Ledger): Authenticate {
  if (tenants.size === 0) {
    const local: Caller = { tenant: ledger.tenant, scope: "local", ledger };
    return () => local;
  }
  const known = indexTokens(tenants, ledger);
  return (request) => {
    let hasCredentials = false;
    for (const token of readCredentials(request)) {
      hasCredentials = true;
      const caller = findCaller(token, known);
      if (caller !== undefined) return caller;
    }
    throw createUnauthorizedError(hasCredentials);
  };
}

/**
 * Returns the known tokens by the first four bytes of their digest. The lookup by these bytes is not in constant time,
 * but they reveal nothing about a token.
 */
function indexTokens(tenants: ReadonlyMap<string, TenantConfig>, ledger: Ledger): Map<number, KnownToken[]> {
  const known = new Map<number, KnownToken[]>();
  for (const [tenant, { tokens }] of tenants) {
    const view = ledger.forTenant(tenant);
    for (const { hash: text, name } of tokens) {
      const digest = Buffer.from(text.replace(/^sha256:/, ""), "hex");
      if (digest.length !== DIGEST_BYTES) throw createDigestError(tenant, name);
      const key = digest.readUInt32BE(0);
      known.set(key, [...(known.get(key) ?? []), { digest, caller: { tenant, scope: name, ledger: view } }]);
    }
  }
  return known;
}

function findCaller(token: string, known: ReadonlyMap<number, readonly KnownToken[]>): Caller | undefined {
  const digest = hash("sha256", token, "buffer");
  return known.get(digest.readUInt32BE(0))?.find((each) => timingSafeEqual(each.digest, digest))?.caller;
}

function* readCredentials({ headers, query }: CredentialsRequest): Generator<string> {
  const authorization = headers["authorization"];
  if (authorization !== undefined) yield authorization.replace(/^bearer\s+/i, "").trim();
  for (const name of ["x-api-key", "x-goog-api-key"]) {
    const value = headers[name];
    if (value !== undefined) yield value;
  }
  const key = query.get("key");
  if (key !== null) yield key;
}

function createDigestError(tenant: string, name: string): ServerError {
  const message = `The token "${name}" of tenant "${tenant}" must be a sha256 hash of 64 hex digits: create it with \`koine token hash\`.`;
  return new ServerError("configuration", message, { path: `/tenants/${tenant}/tokens` });
}

function createUnauthorizedError(hasCredentials: boolean): ServerError {
  const what = hasCredentials ? "The token is unknown" : "The token is missing";
  const where =
    "Create one with `koine token create` and use it as the API key of your SDK, or as `authorization: Bearer …`.";
  return new ServerError("unauthorized", `${what}. ${where}`, {
    path: "authorization",
    headers: { "www-authenticate": 'Bearer realm="koine"' },
  });
}
