// What every provider's dialect can lose, and the fields of others that are more than a field.
import {
  bookkeeping,
  contextForeign,
  echoForeign,
  fieldUnsaid,
  finishRaw,
  formStale,
  HISTORY_LOSSES,
  idForeign,
  NAME_LOSSES,
  opaqueForeign,
  partUnsayable,
  providerTool,
  residueClash,
  toolsEmpty,
} from "./losses.ts";
import { NOT_PORTABLE_LOSSES } from "./residue.ts";

/** Spread this into the table of a provider's dialect. */
export const PROVIDER_LOSSES = {
  ...NOT_PORTABLE_LOSSES,
  ...idForeign,
  ...contextForeign,
  ...echoForeign,
  ...opaqueForeign,
  ...formStale,
  ...residueClash,
  ...bookkeeping,
  ...fieldUnsaid,
  ...partUnsayable,
  ...providerTool,
  ...finishRaw,
  ...toolsEmpty,
  ...HISTORY_LOSSES,
  ...NAME_LOSSES,
} as const;
export type ProviderLoss = keyof typeof PROVIDER_LOSSES;

/** Fields of requests with which a provider finds what it has stored: without them it would be another question. */
export const STORED_CONTEXT = {
  previous_response_id: "context-foreign",
  conversation: "context-foreign",
  prompt: "context-foreign",
  cachedContent: "context-foreign",
  container: "context-foreign",
  thread: "context-foreign",
} as const satisfies Record<string, ProviderLoss>;

/** Opaque blocks that stand for what a provider has stored. */
export const STORED_BLOCKS: ReadonlySet<unknown> = new Set(["item_reference", "container_upload"]);
