// Who is asking: tokens in any of the places where the official SDKs put their keys, compared by their digests in
// constant time. Tokens themselves are neither kept nor told to anybody.
import { hash, timingSafeEqual } from "node:crypto";
import type { Ledger } from "../../ledger/index.ts";
import type { TenantConfig } from "../config/types.ts";
import { ServerError } from "../errors.ts";
import type { Caller, ServerRequest } from "../types.ts";

type Asking = Pick<ServerRequest, "headers" | "query">;

/** Throws a `ServerError` "unauthorized". */
export type Authenticate = (request: Asking) => Caller;

const DIGEST_BYTES = 32;

interface Known {
  digest: Buffer;
  caller: Caller;
}

/** Without tenants everybody is the tenant "default". */
export function createAuthenticate(tenants: ReadonlyMap<string, TenantConfig>, ledger: Ledger): Authenticate {
  if (tenants.size === 0) {
    const local: Caller = { tenant: ledger.tenant, scope: "local", ledger };
    return () => local;
  }
  const known = knownTokens(tenants, ledger);
  return (request) => {
    let said = false;
    for (const token of credentials(request)) {
      said = true;
      const caller = callerOf(token, known);
      if (caller !== undefined) return caller;
    }
    throw unauthorized(said);
  };
}

/** By the first bytes of the digest, which tell nothing to whoever does not have the token. */
function knownTokens(tenants: ReadonlyMap<string, TenantConfig>, ledger: Ledger): Map<number, Known[]> {
  const known = new Map<number, Known[]>();
  for (const [tenant, { tokens }] of tenants) {
    const view = ledger.forTenant(tenant);
    for (const { hash: text, name } of tokens) {
      const digest = Buffer.from(text.replace(/^sha256:/, ""), "hex");
      if (digest.length !== DIGEST_BYTES) throw noDigest(tenant, name);
      const key = digest.readUInt32BE(0);
      known.set(key, [...(known.get(key) ?? []), { digest, caller: { tenant, scope: name, ledger: view } }]);
    }
  }
  return known;
}

function callerOf(token: string, known: ReadonlyMap<number, readonly Known[]>): Caller | undefined {
  const digest = hash("sha256", token, "buffer");
  return known.get(digest.readUInt32BE(0))?.find((each) => timingSafeEqual(each.digest, digest))?.caller;
}

function* credentials({ headers, query }: Asking): Generator<string> {
  const authorization = headers["authorization"];
  if (authorization !== undefined) yield authorization.replace(/^bearer\s+/i, "").trim();
  for (const name of ["x-api-key", "x-goog-api-key"]) {
    const value = headers[name];
    if (value !== undefined) yield value;
  }
  const key = query.get("key");
  if (key !== null) yield key;
}

function noDigest(tenant: string, name: string): ServerError {
  const message = `The token "${name}" of tenant "${tenant}" must be given as its sha256, 64 hex digits: \`koine token hash\`.`;
  return new ServerError("configuration", message, { path: `/tenants/${tenant}/tokens` });
}

function unauthorized(said: boolean): ServerError {
  const what = said ? "The token is not known" : "A token is missing";
  const where = "Use one that `koine token create` made as the API key of your SDK, or as `authorization: Bearer …`.";
  return new ServerError("unauthorized", `${what}. ${where}`, {
    path: "authorization",
    headers: { "www-authenticate": 'Bearer realm="koine"' },
  });
}
