// The names under which runs are found again: by the ids that clients know answers, items and calls by. Those are whatever
// providers and clients make them, so that a name is a hash: of any id, and of the scope in which alone it means something.
import { hash } from "node:crypto";
import type { Ledger, RunInfo } from "../../ledger/index.ts";
import { severalOf } from "../../ledger/runs/aliases.ts";
import type { Caller } from "../types.ts";

type Kind = "response" | "item" | "items" | "key";

/** No two scopes and ids have the same name, and every store can keep it. */
export function nameOf(kind: Kind, { scope }: Pick<Caller, "scope">, id: string): string {
  return `${kind}:${hash("sha256", JSON.stringify([scope, id]), "base64url").slice(0, 32)}`;
}

/** The name under which a run is found by the id of its answer. */
export function responseAlias(caller: Pick<Caller, "scope">, responseId: string): string {
  return nameOf("response", caller, responseId);
}

/** The run of that name; "several" where runs of several threads were given it: nobody can tell which one is meant. */
export async function runNamed(ledger: Ledger, name: string): Promise<RunInfo | "several" | undefined> {
  const run = await ledger.runByAlias(name);
  if (run === undefined) return undefined;
  return (await ledger.runByAlias(severalOf(name))) === undefined ? run : "several";
}
