// Wire data that refers to content stored by its provider. Elsewhere the request would ask a different question, so that
// losing it is reported as `context-not-portable`.
import type { PROVIDER_LOSSES } from "./provider-catalog.ts";

/** Request fields that refer to stored content. */
export const STORED_CONTEXT = {
  previous_response_id: "context-not-portable",
  conversation: "context-not-portable",
  prompt: "context-not-portable",
  cachedContent: "context-not-portable",
  container: "context-not-portable",
  thread: "context-not-portable",
} as const satisfies Record<string, keyof typeof PROVIDER_LOSSES>;

/** Types of opaque blocks that refer to stored content. */
export const STORED_BLOCKS: ReadonlySet<unknown> = new Set(["item_reference", "container_upload"]);
