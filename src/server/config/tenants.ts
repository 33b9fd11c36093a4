// Reads tenants and the hashes of their tokens.
import { pointer } from "../../model/json/pointer.ts";
import type { ConfigFile } from "./file-settings.ts";
import type { Mistakes } from "./mistakes.ts";
import type { TenantConfig, TokenConfig } from "./types.ts";

export function readTenants(
  described: NonNullable<ConfigFile["tenants"]>,
  mistakes: Mistakes,
): ReadonlyMap<string, TenantConfig> {
  const tenants = new Map<string, TenantConfig>();
  const owners = new Map<string, string>();
  for (const [name, tenant] of Object.entries(described)) {
    // A tenant is undefined if its settings were invalid. The mistake was already added when they were read.
    if (tenant === undefined) continue;
    const { tokens = [], maxOpen } = tenant;
    const read: TokenConfig[] = [];
    tokens.forEach((each, index) => {
      const token = toTokenConfig(each);
      if (token === undefined) return;
      const path = pointer(["tenants", name, "tokens", index]);
      const owner = owners.get(token.hash);
      // A token must not belong to two tenants, because the token identifies the tenant of a request.
      if (owner !== undefined)
        mistakes.add(path, `is also a token of "${owner}"; each token must belong to one tenant.`);
      owners.set(token.hash, name);
      read.push(token);
    });
    if (tokens.length === 0)
      mistakes.add(pointer(["tenants", name, "tokens"]), "is empty, so the tenant cannot be used: add a token.");
    tenants.set(name, { tokens: read, ...(maxOpen !== undefined && { maxOpen }) });
  }
  return tenants;
}

type TokenSetting = string | { readonly hash: string; readonly name: string } | undefined;

function toTokenConfig(described: TokenSetting): TokenConfig | undefined {
  const hash = normalizeHash(typeof described === "object" ? described.hash : described);
  if (hash === undefined) return undefined;
  // A token without a name is named by its hash, so that the name does not change with the order of the list.
  return { hash, name: typeof described === "object" ? described.name : `token-${hash.slice(0, 8)}` };
}

function normalizeHash(text: string | undefined): string | undefined {
  return text?.replace("sha256:", "").toLowerCase();
}
