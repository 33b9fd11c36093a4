// The models that can be asked: read once. Another token may see others.
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { keepEqual } from "./keep.ts";
import { ApiError } from "./http.ts";
import { Store } from "./store.ts";
import type { ModelInfo } from "./types.ts";

/** Answers without a key, and costs nothing. */
export const DEMO = "demo/koine";

const NONE: readonly ModelInfo[] = [];
const AGAIN_MS = 5000;

export class ModelStore extends Store<readonly ModelInfo[]> {
  readonly #api: Api;
  #models = NONE;
  #retrying: (() => void) | undefined;

  constructor(api: Api, effects: PageEffects) {
    super(effects, NONE);
    this.#api = api;
  }

  protected override start(): void {
    if (this.#models === NONE) void this.#read();
  }

  protected override stop(): void {
    this.#retrying?.();
  }

  protected override forget(): void {
    this.#models = NONE;
  }

  protected override view(): readonly ModelInfo[] {
    return this.#models;
  }

  async #read(): Promise<void> {
    try {
      const models = await this.#api.models();
      this.#models = keepEqual(this.#models, models);
      this.changed();
    } catch (error) {
      // What the server has refused it will refuse again; and with another token it is begun anew.
      const mayPass = error instanceof ApiError && error.status !== 401 && error.code !== "token-changed";
      this.#retrying?.();
      if (mayPass) this.#retrying = this.effects.delay(() => this.isRead && void this.#read(), AGAIN_MS);
    }
  }
}
