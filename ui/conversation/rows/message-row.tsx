// Shows a row with a stored or streamed message and its tool results. One component renders both, so that React keeps
// the element when a streamed answer is stored. It is memoized, so that only changed rows are rendered (B100).
import { memo, useMemo, useState } from "react";
import type { Message, StoredMessage, ToolCallPart } from "koine";
import type { PendingApproval } from "../../data/types.ts";
import { BranchSwitcher } from "../../branches/branch-switcher.tsx";
import { Icon, Spinner, type IconName } from "../../kit/index.ts";
import { MessageBody, MessageMeta, describeProvider } from "../../message/index.ts";
import { ApprovalBar } from "../../tasks/approval-bar.tsx";
import { useCommands, type Sibling } from "./row-commands.ts";
import { EditForm } from "./edit-form.tsx";
import styles from "./message-row.module.css";
import { RowActions } from "./row-actions.tsx";
import type { LiveRow, StoredMessageRow } from "./build-rows.ts";
import { useLossCount } from "./use-loss-count.ts";
import { formatAuthor } from "./message-text.ts";

export interface MessageRowProps {
  row: StoredMessageRow | LiveRow;
  /** Position of the row in the list. */
  index: number;
  /**
   * The row's message; undefined until the stored message is loaded, or until the first delta of a live answer has
   * arrived.
   */
  message: Message | StoredMessage | undefined;
  /** Messages with the results of the message's tool calls. */
  tools: readonly Message[];
  /** Siblings of the row's message, including the message itself; empty if it has no siblings. */
  siblings: readonly Sibling[];
  siblingIndex: number;
  /** All tool calls of the task that wait for an approval; empty if none of them belongs to this message. */
  approvals: readonly PendingApproval[];
  editing: boolean;
  /** True if the URL names this message; the row is then highlighted. */
  marked: boolean;
}

export const MessageRowView = memo(function MessageRowView(props: MessageRowProps) {
  const { row, index, message, editing, marked } = props;
  const model = row.kind === "live" ? row.run.model : row.node.model;
  const name = message?.name;
  const author = formatAuthor(row.role, { model: readModel(message) ?? model, name });
  const isLive = row.kind === "live";
  // True once the user has pointed at the row or focused it; only then the losses of its run are loaded.
  const [isHovered, setHovered] = useState(false);
  const onHover = (): void => setHovered(true);
  return (
    <article
      className={styles["row"]}
      data-role={row.role}
      data-continues={row.continues}
      data-aside={row.kind === "message" && row.offPath !== false}
      data-marked={marked}
      data-row={row.key}
      aria-label={author}
      aria-posinset={index + 1}
      aria-setsize={-1}
      aria-busy={isLive && row.run.state !== "ended"}
      tabIndex={0}
      onPointerEnter={onHover}
      onFocus={onHover}
    >
      <RowHead {...props} who={author} />
      {editing && isStored(message) ? <EditForm message={message} /> : <RowContent {...props} isSeen={isHovered} />}
    </article>
  );
}, areRowPropsEqual);

const ROLE_ICONS: Record<StoredMessageRow["role"], IconName> = {
  user: "user",
  assistant: "spark",
  system: "info",
  developer: "info",
  tool: "tool",
};

function RowHead({ row, message, siblings, siblingIndex, who }: MessageRowProps & { who: string }) {
  const { showSibling } = useCommands();
  return (
    <header className={styles["head"]}>
      {!row.continues && (
        <>
          <Icon name={ROLE_ICONS[row.role]} size={16} className={styles["sign"]} />
          <span className={styles["who"]} title={describeProvider(message)}>
            {who}
          </span>
        </>
      )}
      {siblings.length > 1 && <BranchSwitcher siblings={siblings} index={siblingIndex} onSelect={showSibling} />}
      {row.kind === "message" && <RowActions row={row} loaded={message !== undefined} />}
    </header>
  );
}

function RowContent({ row, message, tools, approvals, isSeen }: MessageRowProps & { isSeen: boolean }) {
  const { decideToolCall, showRun } = useCommands();
  const runId = row.kind === "message" && row.role === "assistant" ? row.node.runId : undefined;
  const losses = useLossCount(isSeen ? runId : undefined, showRun);
  const pendingCallIds = useMemo(() => new Set(approvals.map(({ toolCallId }) => toolCallId)), [approvals]);
  const isStreaming = row.kind === "live" && row.run.state === "streaming" && isLast(row);
  const footer = useMemo(() => {
    if (approvals.length === 0) return undefined;
    return ({ toolCallId }: ToolCallPart) => {
      const approval = approvals.find((each) => each.toolCallId === toolCallId);
      if (approval === undefined) return null;
      return (
        <ApprovalBar approval={approval} onDecide={(approve, reason) => decideToolCall(toolCallId, approve, reason)} />
      );
    };
  }, [approvals, decideToolCall]);
  if (message === undefined) return <RowPlaceholder row={row} />;
  return (
    <>
      <div className={styles["body"]}>
        <MessageBody
          message={message}
          tools={tools}
          hasUnloadedResults={row.kind === "message" && tools.length < row.ids.length - 1}
          streaming={isStreaming}
          pending={row.kind === "live"}
          pendingCallIds={pendingCallIds}
          {...(footer !== undefined && { renderCallFooter: footer })}
        />
        {isStreaming && message.parts.length === 0 && <WaitingForAnswer />}
      </div>
      {row.kind === "message" && row.offPath === "alone" && <InterruptedNote row={row} />}
      <MessageMeta message={message} isModelShown losses={losses} />
    </>
  );
}

/**
 * Shows the beginning of a stored message while the message is loading, or a waiting note before the first delta of a
 * live answer.
 */
function RowPlaceholder({ row }: { row: StoredMessageRow | LiveRow }) {
  if (row.kind === "live") return <WaitingForAnswer />;
  const { preview, toolCalls } = row.node;
  return <p className={styles["preview"]}>{preview === "" ? (toolCalls?.join(", ") ?? "…") : preview}</p>;
}

function WaitingForAnswer() {
  return (
    <p className={styles["waiting"]}>
      <Spinner /> Waiting for the answer…
    </p>
  );
}

function InterruptedNote({ row }: { row: StoredMessageRow }) {
  const { regenerate } = useCommands();
  const { parentMessageId } = row.node;
  return (
    <p className={styles["asideNote"]}>
      <Icon name="info" size={14} />
      <span>Interrupted. The partial answer is stored beside the conversation and is not sent to any model.</span>
      {parentMessageId !== null && !row.continues && (
        <button type="button" onClick={() => regenerate(parentMessageId)}>
          Retry
        </button>
      )}
    </p>
  );
}

function isStored(message: Message | undefined): message is StoredMessage {
  return message !== undefined && "createdAt" in message;
}

function readModel(message: Message | undefined): string | undefined {
  return message?.metadata?.model;
}

function isLast({ run, messageIndex, resultCount }: LiveRow): boolean {
  return messageIndex + resultCount >= run.messages.length - 1;
}

/**
 * Compares the fields of the two rows, because `buildShownRows` creates new row objects even for rows that have not
 * changed.
 */
function areRowPropsEqual(a: MessageRowProps, b: MessageRowProps): boolean {
  return (
    a.message === b.message &&
    a.index === b.index &&
    a.siblingIndex === b.siblingIndex &&
    a.editing === b.editing &&
    a.marked === b.marked &&
    a.approvals === b.approvals &&
    areListsEqual(a.tools, b.tools, (one, other) => one === other) &&
    areListsEqual(a.siblings, b.siblings, (one, other) => one.id === other.id) &&
    areRowsEqual(a.row, b.row)
  );
}

function areListsEqual<Item>(a: readonly Item[], b: readonly Item[], isEqual: (a: Item, b: Item) => boolean): boolean {
  return a === b || (a.length === b.length && a.every((item, at) => isEqual(item, b[at] as Item)));
}

function areRowsEqual(a: StoredMessageRow | LiveRow, b: StoredMessageRow | LiveRow): boolean {
  if (a.key !== b.key || a.role !== b.role || a.continues !== b.continues) return false;
  if (a.kind === "message" && b.kind === "message") {
    return a.node === b.node && a.offPath === b.offPath && areListsEqual(a.ids, b.ids, (one, other) => one === other);
  }
  if (a.kind !== "live" || b.kind !== "live") return false;
  return a.run.state === b.run.state && a.run.model === b.run.model && isLast(a) === isLast(b);
}
