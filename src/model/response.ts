// What a model answered.
import type { FinishReason } from "./finish.ts";
import type { Message } from "./message.ts";
import type { Extra } from "./parts.ts";
import type { ProviderError } from "./provider-error.ts";
import type { Usage } from "./usage.ts";

/** A further choice of an answer with n > 1 (B59). */
export interface Alternative {
  message: Message;
  finishReason: FinishReason;
  extra?: Extra;
}

export interface ModelResponse {
  /** The provider's id of this answer, "" where it gave none. */
  id: string;
  /** The model that answered, "" where the provider did not say. */
  model: string;
  message: Message;
  /** Choices 1 … n−1; choice 0 is `message`. */
  alternatives?: Alternative[];
  finishReason: FinishReason;
  /** Absent where the provider sent none: absence is data. */
  usage?: Usage;
  /** ISO 8601. */
  createdAt?: string;
  /** Set where the body says that it failed. */
  error?: ProviderError;
  extra?: Extra;
}
