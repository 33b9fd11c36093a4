// Defines the type of a response, the complete answer of a model.
import type { FinishReason } from "./finish-reason.ts";
import type { Message } from "./message.ts";
import type { Extra } from "./parts.ts";
import type { ProviderError } from "./provider-error.ts";
import type { Usage } from "./usage.ts";

/** A further choice of a response with several choices (n > 1, B59). */
export interface Alternative {
  message: Message;
  finishReason: FinishReason;
  extra?: Extra;
}

/** The complete answer of a model, in the canonical format. */
export interface ModelResponse {
  /** The provider's id of this response; "" if the provider sent none. */
  id: string;
  /** The model that answered; "" if the provider did not name it. */
  model: string;
  message: Message;
  /** The choices after the first choice; `message` belongs to the first choice. */
  alternatives?: Alternative[];
  finishReason: FinishReason;
  /** The token usage; absent if the provider sent none. */
  usage?: Usage;
  /** The time of the response, in ISO 8601. */
  createdAt?: string;
  /** The failure that the body of the response reports, if any. */
  error?: ProviderError;
  extra?: Extra;
}
