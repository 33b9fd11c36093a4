// Provides React hooks for the page's data. One `PageData` serves the whole page. All hooks with the same thread id
// share one conversation store, and a few stores without listeners stay cached.
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Api } from "./api.ts";
import { PageData } from "./page-data.ts";
import type { ThreadListStore } from "./thread-list-store.ts";
import type { ConversationActions, ConversationState, ModelInfo, ThreadListState } from "./types.ts";

let pageData: PageData | undefined;

/** Returns the page's data, which is created on first use. */
function requirePageData(): PageData {
  return (pageData ??= new PageData());
}

export function useApi(): Api {
  return requirePageData().api;
}

/** Returns whether this browser has stored a token for the server, and a function that removes the token. */
export function useToken(): { hasToken: boolean; clearToken: () => void } {
  const { token } = useApi();
  const hasToken = useSyncExternalStore(
    (listener) => token.subscribe(listener),
    () => token.get() !== undefined,
  );
  return { hasToken, clearToken: () => token.clear() };
}

/**
 * Returns a number that changes with every token change; views use it as a key to discard the previous user's state.
 */
export function useTokenEpoch(): number {
  const { token } = useApi();
  return useSyncExternalStore(
    (listener) => token.subscribe(listener),
    () => token.epoch,
  );
}

type ThreadListActions = Pick<ThreadListStore, "setSearch" | "setFilter" | "loadMore" | "retry">;

export function useThreads(): ThreadListState & ThreadListActions {
  const { threads } = requirePageData();
  const state = useSyncExternalStore(threads.subscribe, threads.getSnapshot);
  const { setSearch, setFilter, loadMore, retry } = threads;
  return { ...state, setSearch, setFilter, loadMore, retry };
}

export function useConversation(id: string): { state: ConversationState; actions: ConversationActions } {
  const store = requirePageData().conversation(id);
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  return { state, actions: store.actions };
}

export function useModels(): readonly ModelInfo[] {
  const { models } = requirePageData();
  return useSyncExternalStore(models.subscribe, models.getSnapshot);
}

/**
 * Returns an object URL of a blob while the component is mounted; undefined until the blob is loaded, or if it cannot
 * be loaded.
 */
export function useBlobUrl(ref: string | undefined, mimeType?: string): string | undefined {
  const { blobs } = requirePageData();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (ref === undefined) return undefined;
    return blobs.use(ref, mimeType, setUrl);
  }, [blobs, ref, mimeType]);
  return url;
}
