// The models that can be asked: read once, and again where another token may see others.
import type { Api } from "./api.ts";
import type { PageEffects } from "./effects.ts";
import { keep } from "./keep.ts";
import { Store } from "./store.ts";
import type { ModelInfo } from "./types.ts";

const NONE: readonly ModelInfo[] = [];
const AGAIN_MS = 5000;

export class ModelStore extends Store<readonly ModelInfo[]> {
  private readonly api: Api;
  private models = NONE;
  private readonly undo: (() => void)[] = [];

  constructor(api: Api, effects: PageEffects) {
    super(effects, NONE);
    this.api = api;
  }

  protected override start(): void {
    this.undo.push(this.api.token.subscribe(() => void this.read()));
    if (this.models === NONE) void this.read();
  }

  protected override stop(): void {
    for (const undo of this.undo.splice(0)) undo();
  }

  protected override view(): readonly ModelInfo[] {
    return this.models;
  }

  private async read(): Promise<void> {
    try {
      this.models = keep(this.models, await this.api.models());
      this.changed();
    } catch {
      // Without a token the next one tells; all else may pass.
      this.undo.push(this.effects.delay(() => this.isRead && void this.read(), AGAIN_MS));
    }
  }
}
