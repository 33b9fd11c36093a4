// One row: a message, recorded or on its way, with what its tools gave back. The same component for both, so that an answer
// stays the same element when it is recorded; drawn again only where something in it changed (B100).
import { memo, useMemo, useState } from "react";
import type { Message, StoredMessage, ToolCallPart } from "koine";
import type { PendingApproval } from "../data/types.ts";
import { BranchSwitcher } from "../branches/switcher.tsx";
import { Icon, Spinner, type IconName } from "../kit/index.ts";
import { MessageBody, MessageMeta, providerWords } from "../message/index.ts";
import { ApprovalBar } from "../tasks/approval-bar.tsx";
import { useCommands, type Sibling } from "./context.ts";
import { EditForm } from "./edit-form.tsx";
import styles from "./message-row.module.css";
import { RowActions } from "./row-actions.tsx";
import type { LiveRow, MessageRow } from "./rows.ts";
import { useLosses } from "./use-losses.ts";
import { speakerOf } from "./words.ts";

export interface MessageRowProps {
  row: MessageRow | LiveRow;
  /** Where the row stands. */
  index: number;
  /** What it says, once it is there. */
  message: Message | StoredMessage | undefined;
  /** What its tools gave back. */
  tools: readonly Message[];
  /** What else stands in its place; the row itself among it. */
  siblings: readonly Sibling[];
  at: number;
  /** Calls in it that wait for somebody's decision. */
  approvals: readonly PendingApproval[];
  editing: boolean;
  /** A link led to it. */
  marked: boolean;
}

export const MessageRowView = memo(function MessageRowView(props: MessageRowProps) {
  const { row, index, message, editing, marked } = props;
  const model = row.kind === "live" ? row.run.model : row.node.model;
  const name = message?.name;
  const who = speakerOf(row.role, { model: metadataModel(message) ?? model, name });
  const isLive = row.kind === "live";
  // What is looked at closer is told more of.
  const [isSeen, setSeen] = useState(false);
  const see = (): void => setSeen(true);
  return (
    <article
      className={styles["row"]}
      data-role={row.role}
      data-continues={row.continues}
      data-aside={row.kind === "message" && row.aside !== false}
      data-marked={marked}
      data-row={row.key}
      aria-label={who}
      aria-posinset={index + 1}
      aria-setsize={-1}
      aria-busy={isLive && row.run.state !== "ended"}
      tabIndex={0}
      onPointerEnter={see}
      onFocus={see}
    >
      <RowHead {...props} who={who} />
      {editing && isStored(message) ? <EditForm message={message} /> : <RowContent {...props} isSeen={isSeen} />}
    </article>
  );
}, isSame);

const SIGNS: Record<MessageRow["role"], IconName> = {
  user: "user",
  assistant: "spark",
  system: "info",
  developer: "info",
  tool: "tool",
};

function RowHead({ row, message, siblings, at, who }: MessageRowProps & { who: string }) {
  const { turnTo } = useCommands();
  return (
    <header className={styles["head"]}>
      {!row.continues && (
        <>
          <Icon name={SIGNS[row.role]} size={16} className={styles["sign"]} />
          <span className={styles["who"]} title={providerWords(message)}>
            {who}
          </span>
        </>
      )}
      {siblings.length > 1 && <BranchSwitcher siblings={siblings} at={at} onTurn={turnTo} />}
      {row.kind === "message" && <RowActions row={row} loaded={message !== undefined} />}
    </header>
  );
}

function RowContent({ row, message, tools, approvals, isSeen }: MessageRowProps & { isSeen: boolean }) {
  const { decide, showRun } = useCommands();
  const runId = row.kind === "message" && row.role === "assistant" ? row.node.runId : undefined;
  const losses = useLosses(isSeen ? runId : undefined, showRun);
  const awaiting = useMemo(() => new Set(approvals.map(({ toolCallId }) => toolCallId)), [approvals]);
  const isStreaming = row.kind === "live" && row.run.state === "streaming" && isLast(row);
  const footer = useMemo(() => {
    if (approvals.length === 0) return undefined;
    return ({ toolCallId }: ToolCallPart) => {
      const approval = approvals.find((each) => each.toolCallId === toolCallId);
      if (approval === undefined) return null;
      return <ApprovalBar approval={approval} onDecide={(approve, reason) => decide(toolCallId, approve, reason)} />;
    };
  }, [approvals, decide]);
  if (message === undefined) return <NotYet row={row} />;
  return (
    <>
      <div className={styles["body"]}>
        <MessageBody
          message={message}
          tools={tools}
          isPartial={row.kind === "message" && tools.length < row.ids.length - 1}
          streaming={isStreaming}
          pending={row.kind === "live"}
          awaiting={awaiting}
          {...(footer !== undefined && { renderCallFooter: footer })}
        />
        {isStreaming && message.parts.length === 0 && <Waiting />}
      </div>
      {row.kind === "message" && row.aside === "alone" && <Aside row={row} />}
      <MessageMeta message={message} named losses={losses} />
    </>
  );
}

/** Its body is being loaded, or nothing was said yet. */
function NotYet({ row }: { row: MessageRow | LiveRow }) {
  if (row.kind === "live") return <Waiting />;
  const { preview, toolCalls } = row.node;
  return <p className={styles["preview"]}>{preview === "" ? (toolCalls?.join(", ") ?? "…") : preview}</p>;
}

function Waiting() {
  return (
    <p className={styles["waiting"]}>
      <Spinner /> Waiting for the first words…
    </p>
  );
}

function Aside({ row }: { row: MessageRow }) {
  const { regenerate } = useCommands();
  const { parentMessageId } = row.node;
  return (
    <p className={styles["asideNote"]}>
      <Icon name="info" size={14} />
      <span>Interrupted. What had arrived is kept beside the conversation; no model is told of it.</span>
      {parentMessageId !== null && !row.continues && (
        <button type="button" onClick={() => regenerate(parentMessageId)}>
          Ask again
        </button>
      )}
    </p>
  );
}

function isStored(message: Message | undefined): message is StoredMessage {
  return message !== undefined && "createdAt" in message;
}

function metadataModel(message: Message | undefined): string | undefined {
  return message?.metadata?.model;
}

function isLast({ run, at, tools }: LiveRow): boolean {
  return at + tools >= run.messages.length - 1;
}

/** Rows are made anew whenever anything happens; what counts is what they show. */
function isSame(a: MessageRowProps, b: MessageRowProps): boolean {
  return (
    a.message === b.message &&
    a.index === b.index &&
    a.at === b.at &&
    a.editing === b.editing &&
    a.marked === b.marked &&
    a.approvals === b.approvals &&
    sameItems(a.tools, b.tools, (one, other) => one === other) &&
    sameItems(a.siblings, b.siblings, (one, other) => one.id === other.id) &&
    sameRow(a.row, b.row)
  );
}

function sameItems<Item>(a: readonly Item[], b: readonly Item[], isEqual: (a: Item, b: Item) => boolean): boolean {
  return a === b || (a.length === b.length && a.every((item, at) => isEqual(item, b[at] as Item)));
}

function sameRow(a: MessageRow | LiveRow, b: MessageRow | LiveRow): boolean {
  if (a.key !== b.key || a.role !== b.role || a.continues !== b.continues) return false;
  if (a.kind === "message" && b.kind === "message") {
    return a.node === b.node && a.aside === b.aside && sameItems(a.ids, b.ids, (one, other) => one === other);
  }
  if (a.kind !== "live" || b.kind !== "live") return false;
  return a.run.state === b.run.state && a.run.model === b.run.model && isLast(a) === isLast(b);
}
