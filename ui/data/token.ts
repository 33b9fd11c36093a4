// The token that this browser sends: kept between visits, never part of an address. Tabs that share it hear of changes.
import type { PageEffects } from "./effects.ts";

const KEY = "koine.token";

export class TokenKeeper {
  private readonly storage: PageEffects["storage"];
  private readonly listeners = new Set<() => void>();
  private token: string | undefined;

  constructor(storage: PageEffects["storage"]) {
    this.storage = storage;
    this.token = this.kept();
  }

  get(): string | undefined {
    return this.token;
  }

  set(token: string): void {
    this.storage?.setItem(KEY, token);
    this.change(token);
  }

  clear(): void {
    this.storage?.removeItem(KEY);
    this.change(undefined);
  }

  /** Another tab may have set or cleared it. */
  readAgain(): void {
    const token = this.kept();
    if (token !== this.token) this.change(token);
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private kept(): string | undefined {
    return this.storage?.getItem(KEY) ?? undefined;
  }

  private change(token: string | undefined): void {
    this.token = token;
    for (const listener of this.listeners) listener();
  }
}
