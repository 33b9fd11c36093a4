// Stores the list of models that the server offers. The list is read once per token.
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { reuseIfEqual } from "./structural-sharing.ts";
import { ApiError } from "./http.ts";
import { Store } from "./store.ts";
import type { ModelInfo } from "./types.ts";

/** Id of the scripted demo model, which needs no key and costs nothing. */
export const DEMO_MODEL = "demo/koine";

const NO_MODELS: readonly ModelInfo[] = [];
const RETRY_MS = 5000;

export class ModelStore extends Store<readonly ModelInfo[]> {
  readonly #api: Api;
  #models = NO_MODELS;
  #cancelRetry: (() => void) | undefined;

  constructor(api: Api, effects: PageEffects) {
    super(effects, NO_MODELS);
    this.#api = api;
  }

  protected override start(): void {
    if (this.#models === NO_MODELS) void this.#read();
  }

  protected override stop(): void {
    this.#cancelRetry?.();
  }

  protected override reset(): void {
    this.#models = NO_MODELS;
  }

  protected override computeState(): readonly ModelInfo[] {
    return this.#models;
  }

  async #read(): Promise<void> {
    try {
      const models = await this.#api.models();
      this.#models = reuseIfEqual(this.#models, models);
      this.scheduleUpdate();
    } catch (error) {
      // Temporary errors are retried. A retry with a rejected token (401) would fail again, and after a token change
      // the store is restarted anyway.
      const isTemporary = error instanceof ApiError && error.status !== 401 && error.code !== "token-changed";
      this.#cancelRetry?.();
      if (isTemporary) this.#cancelRetry = this.effects.delay(() => this.hasListeners && void this.#read(), RETRY_MS);
    }
  }
}
