// The page's data for its components. One of each store for the whole page; those of conversations are shared by id, and
// kept a while after their last reader.
import { useEffect, useState, useSyncExternalStore } from "react";
import type { Api } from "./api.ts";
import { PageData } from "./page-data.ts";
import type { ThreadListStore } from "./thread-list.ts";
import type { ConversationActions, ConversationState, ModelInfo, ThreadListState } from "./types.ts";

let shared: PageData | undefined;

/** Made when it is first asked for, in a browser. */
function data(): PageData {
  return (shared ??= new PageData());
}

export function useApi(): Api {
  return data().api;
}

/** Whether this browser has a token for the server. */
export function useToken(): { isKept: boolean; forget: () => void } {
  const { token } = useApi();
  const isKept = useSyncExternalStore(
    (listener) => token.subscribe(listener),
    () => token.get() !== undefined,
  );
  return { isKept, forget: () => token.clear() };
}

/** Another number when somebody else reads: what is shown to one is not for the next. */
export function useReader(): number {
  const { token } = useApi();
  return useSyncExternalStore(
    (listener) => token.subscribe(listener),
    () => token.epoch,
  );
}

type ThreadListActions = Pick<ThreadListStore, "setSearch" | "setFilter" | "loadMore" | "retry">;

/** The list; `search` is what was typed, `setSearch` types it. */
export function useThreads(): ThreadListState & ThreadListActions {
  const { threads } = data();
  const state = useSyncExternalStore(threads.subscribe, threads.getSnapshot);
  const { setSearch, setFilter, loadMore, retry } = threads;
  return { ...state, setSearch, setFilter, loadMore, retry };
}

export function useConversation(id: string): { state: ConversationState; actions: ConversationActions } {
  const store = data().conversation(id);
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  return { state, actions: store.actions };
}

export function useModels(): readonly ModelInfo[] {
  const { models } = data();
  return useSyncExternalStore(models.subscribe, models.getSnapshot);
}

/** A URL of a blob's content, for as long as the component is there; undefined until it is loaded, or where it cannot be. */
export function useBlobUrl(ref: string | undefined, mimeType?: string): string | undefined {
  const { blobs } = data();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (ref === undefined) return undefined;
    return blobs.use(ref, mimeType, setUrl);
  }, [blobs, ref, mimeType]);
  return url;
}
