// Shows the panel with the thread list, its search field and its filter.
import { useCallback, useMemo, useRef, useState } from "react";
import { useApi, useThreads } from "../data/hooks.ts";
import type { ThreadJson, ThreadFilter, ThreadListState } from "../data/types.ts";
import { Button, Icon, Spinner, useShortcut, useToast } from "../kit/index.ts";
import { FILTERS, buildThreadRows } from "./thread-rows.ts";
import { SearchField } from "./search-field.tsx";
import { DeleteDialog, RenameDialog } from "./thread-dialogs.tsx";
import { focusFirstRow, ThreadList } from "./thread-list.tsx";
import styles from "./threads.module.css";

export interface ThreadsPanelProps {
  currentId: string | undefined;
  /** Called when the user has deleted a thread in this panel. */
  onDeleted: (id: string) => void;
}

type ThreadDialogRequest = { kind: "rename" | "delete"; thread: ThreadJson };

export function ThreadsPanel({ currentId, onDeleted }: ThreadsPanelProps) {
  const state = useThreads();
  const { search, filter } = state;
  const [dialogRequest, setDialogRequest] = useState<ThreadDialogRequest>();
  const panel = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useShortcut(["/", "mod+k"], () => field.current?.focus(), "Search conversations");
  const rows = useMemo(() => buildThreadRows(state.threads, state.hits), [state.threads, state.hits]);
  const onRename = useCallback((thread: ThreadJson) => setDialogRequest({ kind: "rename", thread }), []);
  const onDelete = useCallback((thread: ThreadJson) => setDialogRequest({ kind: "delete", thread }), []);
  return (
    <div ref={panel} className={styles["panel"]}>
      <div className={styles["head"]}>
        <SearchField
          ref={field}
          onSearch={(text) => state.setSearch(text)}
          toList={() => focusFirstRow(panel.current)}
        />
        <FilterChoice filter={filter} choose={state.setFilter} />
      </div>
      <p role="status" className={styles["announced"]}>
        {search !== "" && state.status === "ready" && formatFoundCount(rows.length, state.more !== false)}
      </p>
      {rows.length === 0 ? (
        <EmptyThreadList state={state} retry={state.retry} />
      ) : (
        <ThreadList
          rows={rows}
          search={search}
          currentId={currentId}
          more={state.more}
          loadMore={state.loadMore}
          {...{ onRename, onDelete }}
        />
      )}
      {dialogRequest !== undefined && (
        <ThreadDialog {...dialogRequest} onClose={() => setDialogRequest(undefined)} onDeleted={onDeleted} />
      )}
    </div>
  );
}

const formatFoundCount = (count: number, more: boolean): string =>
  count === 1 && !more ? "1 conversation found" : `${count}${more ? " or more" : ""} conversations found`;

function ThreadDialog({
  kind: what,
  thread,
  onClose,
  onDeleted,
}: ThreadDialogRequest & { onClose: () => void; onDeleted: (id: string) => void }) {
  const api = useApi();
  const toast = useToast();
  if (what === "rename") {
    const rename = (title: string): Promise<unknown> =>
      api.updateThread(thread.id, { title: title === "" ? null : title });
    return <RenameDialog thread={thread} onClose={onClose} rename={rename} />;
  }
  const remove = async (): Promise<void> => {
    await api.removeThread(thread.id);
    toast("The conversation was deleted");
    onDeleted(thread.id);
  };
  return <DeleteDialog thread={thread} onClose={onClose} remove={remove} />;
}

const LABELS: Record<ThreadFilter, string> = { all: "All", chats: "Chats", tasks: "Tasks" };

function FilterChoice({ filter, choose }: { filter: ThreadFilter; choose: (filter: ThreadFilter) => void }) {
  return (
    <fieldset className={styles["filter"]}>
      <legend>Show</legend>
      {FILTERS.map((each) => (
        <label key={each}>
          <input type="radio" name="threads-filter" checked={each === filter} onChange={() => choose(each)} />
          <span>{LABELS[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}

function EmptyThreadList({ state, retry }: { state: ThreadListState; retry: () => void }) {
  if (state.status === "loading") {
    return (
      <div className={styles["none"]}>
        <Spinner label="Loading conversations" size={20} />
      </div>
    );
  }
  if (state.status === "failed") {
    return (
      <div className={styles["none"]} role="alert">
        <Icon name="warning" size={22} />
        <strong>The conversations could not be loaded</strong>
        <span>{state.error?.message}</span>
        <Button small icon="refresh" onClick={retry}>
          Try again
        </Button>
      </div>
    );
  }
  const { title, text } = describeEmptyList(state.search, state.filter);
  return (
    <div className={styles["none"]}>
      <strong>{title}</strong>
      <span>{text}</span>
    </div>
  );
}

function describeEmptyList(search: string, filter: ThreadFilter): { title: string; text: string } {
  if (search !== "") {
    return {
      title: "Nothing found",
      text: `No ${filter === "all" ? "conversation" : LABELS[filter].toLowerCase()} with “${search}” in the title or messages.`,
    };
  }
  if (filter !== "all")
    return { title: `No ${LABELS[filter].toLowerCase()} yet`, text: "See “All” for other conversations." };
  return {
    title: "No conversations yet",
    text: "They appear here when an SDK calls the server or when you start one.",
  };
}
