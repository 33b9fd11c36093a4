// Shows the header of a conversation: title, models, usage and the menu.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { Link, useLocation } from "wouter";
import type { Usage } from "koine";
import { useApi, useThreads } from "../data/hooks.ts";
import type { ConversationActions, ThreadJson } from "../data/types.ts";
import { formatCost, formatCount, formatTokens, Icon, IconButton, Menu, type MenuItem } from "../kit/index.ts";
import { inspectPath, threadPath } from "../routes.ts";
import { runWithToast, copyText, type ConversationDialog } from "./create-commands.ts";
import { saveThreadExport } from "./export-thread.ts";
import styles from "./header.module.css";

export interface ConversationHeaderProps {
  thread: ThreadJson;
  /** Display name: the title, the beginning of the first user message, or "Untitled". */
  name: string;
  /** Models of the stored answers, most recently used first. */
  models: readonly string[];
  actions: ConversationActions;
  isTreeShown: boolean;
  onToggleTree: () => void;
  onDialog: (dialog: ConversationDialog) => void;
  /** Copies the shown path into a new thread. */
  onFork: () => void;
}

export function ConversationHeader(props: ConversationHeaderProps) {
  const { thread, models, isTreeShown, onToggleTree } = props;
  const { threads } = useThreads();
  const listed = threads.find(({ id }) => id === thread.id);
  const summary = thread.summary ?? listed?.summary;
  return (
    <header className={styles["header"]}>
      <div className={styles["words"]}>
        <EditableTitle {...props} />
        <p className={styles["facts"]}>
          {thread.kind === "task" && <span className={styles["kind"]}>Task</span>}
          {models.length > 0 && <span>{models.slice(0, 3).join(", ")}</span>}
          {summary?.usage !== undefined && <UsageTotal usage={summary.usage} />}
        </p>
      </div>
      <div className={styles["tools"]}>
        <Link href={inspectPath(thread.id)} className={styles["inspect"]} title="Show in every dialect">
          <Icon name="inspect" size={16} /> Inspect
        </Link>
        <IconButton
          label="Branches"
          icon="branch"
          shortcut="b"
          pressed={isTreeShown}
          onClick={onToggleTree}
          data-tree-button
        />
        <ConversationMenu {...props} />
      </div>
    </header>
  );
}

function UsageTotal({ usage }: { usage: Usage }) {
  const { inputTokens, outputTokens, cost } = usage;
  return (
    <span
      className={styles["usage"]}
      title={`${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out, over all runs`}
    >
      {formatTokens(inputTokens)} in, {formatTokens(outputTokens)} out
      {cost !== undefined && ` · ${formatCost(cost)}`}
    </span>
  );
}

function EditableTitle({ thread, name, actions }: ConversationHeaderProps) {
  const [draft, setDraft] = useState<string>();
  // True if Enter or Escape ended the editing; then the focus returns to the title.
  const isByKey = useRef(false);
  const title = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (draft !== undefined || !isByKey.current) return;
    isByKey.current = false;
    title.current?.focus();
  }, [draft]);
  if (draft === undefined) {
    return (
      <h1 className={styles["title"]}>
        <button type="button" title="Rename" ref={title} onClick={() => setDraft(thread.title ?? "")}>
          {name}
        </button>
      </h1>
    );
  }
  const save = async (): Promise<void> => {
    const title = draft.trim();
    if (title === (thread.title ?? "") || (await runWithToast(actions.rename(title)))) setDraft(undefined);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key !== "Enter" && event.key !== "Escape") return;
    // Without this, the browser would also apply the key to the title button, which gets the focus when the editing
    // ends.
    event.preventDefault();
    isByKey.current = true;
    if (event.key === "Enter") void save();
    else setDraft(undefined);
  };
  return (
    <input
      className={styles["rename"]}
      aria-label="Title"
      value={draft}
      placeholder={name}
      maxLength={500}
      // The field takes the focus, because the user has just clicked the title.
      autoFocus
      onKeyDown={press}
      onBlur={() => void save()}
      onChange={(event) => setDraft(event.target.value)}
    />
  );
}

function ConversationMenu({ thread, name, onDialog, onFork }: ConversationHeaderProps) {
  const api = useApi();
  const link = location.origin + threadPath(thread.id);
  const [, navigate] = useLocation();
  const items: MenuItem[] = [
    { label: "Inspect in every dialect", icon: "inspect", onSelect: () => navigate(inspectPath(thread.id)) },
    { label: "Rename…", icon: "edit", onSelect: () => onDialog({ kind: "rename" }) },
    { label: "Copy link", icon: "link", onSelect: () => void runWithToast(copyText(link), "Link copied") },
    { label: "Fork", icon: "fork", disabled: thread.activeLeafId === null, onSelect: onFork },
    {
      label: "Export as JSONL",
      icon: "download",
      onSelect: () => void runWithToast(saveThreadExport(api, thread.id, name)),
    },
    { label: "Delete…", icon: "trash", danger: true, separated: true, onSelect: () => onDialog({ kind: "delete" }) },
  ];
  return <Menu label="Conversation actions" items={items} />;
}
