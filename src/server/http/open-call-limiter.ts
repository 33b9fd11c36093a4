// Limits the number of open calls and streams, for each tenant and for the server.
import type { ServerConfig } from "../config/types.ts";
import { ServerError } from "../errors.ts";

/** All tenants together may have this many times the number of open calls that one tenant may have by default. */
const TENANTS_AT_ONCE = 4;

export class OpenCallLimiter {
  readonly #openByTenant = new Map<string, number>();
  readonly #limits: Pick<ServerConfig, "limits" | "tenants">;
  readonly #onChange: (all: number) => void;
  #total = 0;

  /** Creates a limiter. `onChange` is called with the new total of open calls after every change. */
  constructor(limits: Pick<ServerConfig, "limits" | "tenants">, onChange: (all: number) => void) {
    this.#limits = limits;
    this.#onChange = onChange;
  }

  /**
   * Counts a new open call. Throws a `ServerError` "too-many" if a limit is reached. After a successful `enter`,
   * `leave` must be called once.
   */
  enter(tenant: string): void {
    const { limits, tenants } = this.#limits;
    const open = this.#openByTenant.get(tenant) ?? 0;
    const max = tenants.get(tenant)?.maxOpen ?? limits.open;
    if (open >= max) throw createTooManyError(`${max} calls of this tenant are open, which is its limit`);
    if (this.#total >= limits.open * TENANTS_AT_ONCE) throw createTooManyError(`${this.#total} calls are open`);
    this.#openByTenant.set(tenant, open + 1);
    this.#onChange(++this.#total);
  }

  leave(tenant: string): void {
    const open = (this.#openByTenant.get(tenant) ?? 1) - 1;
    if (open === 0) this.#openByTenant.delete(tenant);
    else this.#openByTenant.set(tenant, open);
    this.#onChange(--this.#total);
  }
}

function createTooManyError(what: string): ServerError {
  return new ServerError("too-many", `${what}. Wait for one of them to end, and try again.`, {
    headers: { "retry-after": "1" },
  });
}
