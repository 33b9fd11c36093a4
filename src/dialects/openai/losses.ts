// Lists the codes of the losses that both OpenAI APIs, Chat Completions and Responses, can cause.
import { PROVIDER_LOSS_CODES, type PROVIDER_LOSSES } from "../kit/losses/provider-catalog.ts";

export const OPENAI_LOSS_CODES = [
  ...PROVIDER_LOSS_CODES,
  "call-id-renamed",
  "error-flag-unsupported",
  "field-synthesized",
  "metadata-invalid",
  "output-in-content",
  "result-empty",
  "result-tool-name-dropped",
  "role-approximated",
  "strict-disabled",
  "text-as-data",
] as const satisfies readonly (keyof typeof PROVIDER_LOSSES)[];
