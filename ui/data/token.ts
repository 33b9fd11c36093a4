// The token that this browser sends: kept between visits, never part of an address. Tabs that share it hear of changes.
import type { PageEffects } from "./effects.ts";

const KEY = "koine.token";

export class TokenKeeper {
  private readonly storage: PageEffects["storage"];
  private readonly listeners = new Set<() => void>();
  /** Where nothing may be kept. */
  private own: string | undefined;

  constructor(storage: PageEffects["storage"]) {
    this.storage = storage;
  }

  get(): string | undefined {
    return this.own ?? this.storage?.getItem(KEY) ?? undefined;
  }

  set(token: string): void {
    this.own = token;
    this.storage?.setItem(KEY, token);
    this.changed();
  }

  clear(): void {
    this.own = undefined;
    this.storage?.removeItem(KEY);
    this.changed();
  }

  /** Another tab has set or cleared it. */
  readAgain(): void {
    this.own = undefined;
    this.changed();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
