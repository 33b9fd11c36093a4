// Tenants and the hashes of their tokens.
import { pointer } from "../../model/pointer.ts";
import type { ConfigFile } from "./file.ts";
import type { Mistakes } from "./mistakes.ts";
import type { TenantConfig, TokenConfig } from "./types.ts";

export function tenantsOf(
  described: NonNullable<ConfigFile["tenants"]>,
  mistakes: Mistakes,
): ReadonlyMap<string, TenantConfig> {
  const tenants = new Map<string, TenantConfig>();
  const owners = new Map<string, string>();
  for (const [name, tenant] of Object.entries(described)) {
    // A wrong value was told when it was read.
    if (tenant === undefined) continue;
    const { tokens = [], maxOpen } = tenant;
    const read: TokenConfig[] = [];
    tokens.forEach((each, index) => {
      const token = tokenOf(each);
      if (token === undefined) return;
      const path = pointer(["tenants", name, "tokens", index]);
      const owner = owners.get(token.hash);
      // Whoever sends it could be either.
      if (owner !== undefined) mistakes.add(path, `is a token of "${owner}" already; each token may be there once.`);
      owners.set(token.hash, name);
      read.push(token);
    });
    if (tokens.length === 0)
      mistakes.add(pointer(["tenants", name, "tokens"]), "has none: nobody could be this tenant.");
    tenants.set(name, { tokens: read, ...(maxOpen !== undefined && { maxOpen }) });
  }
  return tenants;
}

type Described = string | { readonly hash: string; readonly name: string } | undefined;

function tokenOf(described: Described): TokenConfig | undefined {
  const hash = hashOf(typeof described === "object" ? described.hash : described);
  if (hash === undefined) return undefined;
  // By the hash, so that it stays the same when the list changes.
  return { hash, name: typeof described === "object" ? described.name : `token-${hash.slice(0, 8)}` };
}

function hashOf(text: string | undefined): string | undefined {
  return text?.replace("sha256:", "").toLowerCase();
}
