// Lists wire data that refers to content stored by its provider. For any other provider, the request would lack this
// content, so such data is reported as `context-not-portable`.
import type { PROVIDER_LOSSES } from "./provider-catalog.ts";

/** The request fields that refer to content stored by a provider, each with its loss code. */
export const STORED_CONTEXT = {
  previous_response_id: "context-not-portable",
  conversation: "context-not-portable",
  prompt: "context-not-portable",
  cachedContent: "context-not-portable",
  container: "context-not-portable",
  thread: "context-not-portable",
} as const satisfies Record<string, keyof typeof PROVIDER_LOSSES>;

/** The types of opaque blocks that refer to content stored by a provider. */
export const STORED_BLOCKS: ReadonlySet<unknown> = new Set(["item_reference", "container_upload"]);
