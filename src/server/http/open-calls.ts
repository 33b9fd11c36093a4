// How many calls and streams are open, for each tenant and in all: beyond the limit they are told to come again.
import type { ServerConfig } from "../config/types.ts";
import { ServerError } from "../errors.ts";

/** The server as a whole takes so many times what one tenant may have. */
const TENANTS_AT_ONCE = 4;

export class OpenCalls {
  readonly #open = new Map<string, number>();
  readonly #limits: Pick<ServerConfig, "limits" | "tenants">;
  readonly #changed: (all: number) => void;
  #all = 0;

  /** `changed` hears how many are open. */
  constructor(limits: Pick<ServerConfig, "limits" | "tenants">, changed: (all: number) => void) {
    this.#limits = limits;
    this.#changed = changed;
  }

  /** Throws a `ServerError` "too-many". Every call that was let in must be let out. */
  enter(tenant: string): void {
    const { limits, tenants } = this.#limits;
    const open = this.#open.get(tenant) ?? 0;
    const most = tenants.get(tenant)?.maxOpen ?? limits.open;
    if (open >= most) throw tooMany(`${most} calls of this tenant are open, which is as many as it may have`);
    if (this.#all >= limits.open * TENANTS_AT_ONCE) throw tooMany(`${this.#all} calls are open`);
    this.#open.set(tenant, open + 1);
    this.#changed(++this.#all);
  }

  leave(tenant: string): void {
    const open = (this.#open.get(tenant) ?? 1) - 1;
    if (open === 0) this.#open.delete(tenant);
    else this.#open.set(tenant, open);
    this.#changed(--this.#all);
  }
}

function tooMany(what: string): ServerError {
  return new ServerError("too-many", `${what}. Wait for one of them to end, and try again.`, {
    headers: { "retry-after": "1" },
  });
}
