// Shows the message list of a conversation; only the rows around the viewport are rendered.
import {
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from "react";
import type { VirtualItem } from "@tanstack/react-virtual";
import type { Message, StoredMessage } from "koine";
import type { ConversationState, PendingApproval } from "../../data/types.ts";
import type { BranchTree } from "../../branches/branch-tree.ts";
import { Button } from "../../kit/index.ts";
import { FailureRowView } from "../rows/failure-row.tsx";
import styles from "./message-list.module.css";
import { MessageRowView } from "../rows/message-row.tsx";
import { readScrollPosition, storeScrollPosition, type ScrollPosition } from "./scroll-positions.ts";
import { findFocusedRowKey, findRowKey, useFocusRecovery, useReveal, useRowFocus } from "./row-focus.ts";
import type { LiveRow, StoredMessageRow, ConversationRow, ShownConversation } from "../rows/build-rows.ts";
import { findSiblings } from "../rows/siblings.ts";
import { findRowIndex, useArrival, useMessageScroller } from "./use-message-scroller.ts";

/** Complete messages are loaded in advance for this number of rows above and below the rendered rows. */
const BODY_PRELOAD_ROWS = 40;

export interface MessageListHandle {
  /** Scrolls to a message as soon as its row exists. If `focus` is true, the row also takes the focus. */
  reveal: (messageId: string, focus?: boolean) => void;
  /** Moves the focus by one row. If no row has the focus, focuses the first (1) or last (-1) visible row. */
  step: (by: 1 | -1) => void;
  toEnd: () => void;
  /** Returns the row that contains the focus; undefined if the focus is outside the list. */
  focused: () => ConversationRow | undefined;
}

export interface MessageListProps {
  threadId: string;
  state: ConversationState;
  tree: BranchTree;
  shown: ShownConversation;
  /** Id of the message whose editor is open; undefined if no editor is open. */
  editing: string | undefined;
  /** Id of the message in the URL, which the list scrolls to; undefined without one. */
  targetId: string | undefined;
  /** Number of followed links; distinguishes two visits of the same URL. */
  linkCount: number;
  /** True for a task: then failure rows have no retry button, because the composer of a task has one. */
  isTask: boolean;
  loadBodies: (ids: readonly string[]) => void;
  ref: Ref<MessageListHandle>;
}

export function MessageList(props: MessageListProps) {
  const { threadId, state, tree, shown, editing, targetId, linkCount, isTask, loadBodies, ref } = props;
  const { rows } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const [focusKey, setFocusKey] = useState<string>();
  const [marked, setMarked] = useState<string>();
  const editingKey = editing === undefined ? undefined : rows[findRowIndex(rows, editing)]?.key;
  const { virtualizer, atEnd, setGoal, readPosition } = useMessageScroller(scroller, rows, [focusKey, editingKey]);
  const savedPosition = useSavedPosition(threadId, readPosition);
  useArrival(setGoal, rows, { targetId, linkCount, savedPosition, onArrive: () => setMarked(targetId) });
  const trackFocus = useFocusRecovery(scroller, rows);
  const items = virtualizer.getVirtualItems();
  usePreloadedBodies(rows, items, state, loadBodies);
  const scrollTo = (index: number): void => {
    setGoal(undefined);
    virtualizer.scrollToIndex(index);
  };
  const toEnd = (): void => setGoal({ to: "end" });
  const focusRow = useRowFocus(scroller, rows, setFocusKey, scrollTo);
  const reveal = useReveal(rows, focusRow, scrollTo);
  const isFocused = ({ key }: ConversationRow): boolean => key === findFocusedRowKey(scroller.current);
  const step = (by: 1 | -1): void => {
    const from = rows.findIndex(isFocused);
    focusRow(from === -1 ? (virtualizer.range?.[by === 1 ? "startIndex" : "endIndex"] ?? 0) : from + by);
  };
  useImperativeHandle(ref, () => ({ reveal, step, toEnd, focused: () => rows.find(isFocused) }));
  const onKeyDown = (event: KeyboardEvent): void => handleArrowKey(event, scroller.current, step);
  return (
    <div className={styles["frame"]}>
      <div ref={scroller} className={styles["scroller"]} onKeyDown={onKeyDown}>
        <div
          role="feed"
          aria-label="Messages"
          aria-busy={state.liveRuns.length > 0}
          className={styles["feed"]}
          style={{ height: virtualizer.getTotalSize() }}
          onFocus={(event) => {
            setFocusKey(findRowKey(event.target));
            trackFocus(event.target);
          }}
        >
          {items.map((item) => (
            <RowSlot
              key={item.key}
              item={item}
              measure={virtualizer.measureElement}
              filled={isFilled(rows[item.index], state)}
            >
              <RowView {...{ state, tree, shown, editing, marked, isTask }} index={item.index} />
            </RowSlot>
          ))}
        </div>
      </div>
      {!atEnd && <JumpButton onClick={toEnd} />}
    </div>
  );
}

function JumpButton({ onClick }: { onClick: () => void }) {
  return (
    <Button small icon="chevron-down" className={styles["jump"] ?? ""} onClick={onClick}>
      Jump to latest
    </Button>
  );
}

/** Returns the scroll position that was saved for the thread, and saves the current position on unmount. */
function useSavedPosition(
  threadId: string,
  readPosition: () => ScrollPosition | undefined,
): ScrollPosition | undefined {
  const [savedPosition] = useState(() => readScrollPosition(threadId));
  const savePosition = useEffectEvent(() => storeScrollPosition(threadId, readPosition()));
  useLayoutEffect(() => () => savePosition(), []);
  return savedPosition;
}

interface RowSlotProps {
  item: VirtualItem;
  measure: (element: HTMLDivElement | null) => void;
  /** True if the row shows the complete message; false while it shows only the beginning of the text. */
  filled: boolean;
  children: ReactNode;
}

function RowSlot({ item, measure, filled, children }: RowSlotProps) {
  return (
    <div
      ref={measure}
      className={styles["slot"]}
      data-index={item.index}
      data-filled={filled}
      style={{ transform: `translateY(${item.start}px)` }}
    >
      {children}
    </div>
  );
}

interface RowViewProps extends Pick<MessageListProps, "state" | "tree" | "shown" | "editing" | "isTask"> {
  index: number;
  marked: string | undefined;
}

function RowView({ index, state, tree, shown, editing, marked, isTask }: RowViewProps) {
  const row = shown.rows[index];
  if (row === undefined) return null;
  if (row.kind === "failure") return <FailureRowView row={row} isTask={isTask} />;
  const isMessage = row.kind === "message";
  return (
    <MessageRowView
      row={row}
      index={index}
      {...readRowContent(row, state)}
      {...findSiblings(row, tree, state.liveRuns)}
      approvals={listRowApprovals(row, state)}
      editing={isMessage && editing === row.ids[0]}
      marked={isMessage && marked !== undefined && row.ids.includes(marked)}
    />
  );
}

const NO_TOOLS: readonly Message[] = [];

function readRowContent(row: StoredMessageRow | LiveRow, { bodies }: ConversationState) {
  if (row.kind === "live") {
    const { messageIndex, resultCount, run } = row;
    return {
      message: run.messages[messageIndex],
      tools: resultCount === 0 ? NO_TOOLS : run.messages.slice(messageIndex + 1, messageIndex + 1 + resultCount),
    };
  }
  const [id, ...rest] = row.ids;
  const tools = rest.map((each) => bodies.get(each)).filter((body): body is StoredMessage => body !== undefined);
  return { message: bodies.get(id), tools: tools.length === 0 ? NO_TOOLS : tools };
}

const NO_APPROVALS: readonly PendingApproval[] = [];

/**
 * Returns the task's pending approvals if one of them belongs to the row's message. Otherwise returns the constant
 * empty list, so that React does not render the row again.
 */
function listRowApprovals(row: StoredMessageRow | LiveRow, state: ConversationState): readonly PendingApproval[] {
  const waiting = state.task?.approvals ?? NO_APPROVALS;
  if (waiting.length === 0) return NO_APPROVALS;
  const parts = readRowContent(row, state).message?.parts ?? [];
  const ids = new Set(waiting.map(({ toolCallId }) => toolCallId));
  return parts.some((part) => part.type === "tool-call" && ids.has(part.toolCallId)) ? waiting : NO_APPROVALS;
}

function isFilled(row: ConversationRow | undefined, { bodies }: ConversationState): boolean {
  return row?.kind !== "message" || row.ids.every((id) => bodies.has(id));
}

/** Loads the messages of the rows in and near the viewport that are not loaded yet. */
function usePreloadedBodies(
  rows: readonly ConversationRow[],
  items: readonly VirtualItem[],
  { bodies }: ConversationState,
  loadBodies: MessageListProps["loadBodies"],
): void {
  const first = Math.max(0, (items[0]?.index ?? 0) - BODY_PRELOAD_ROWS);
  const last = (items.at(-1)?.index ?? 0) + BODY_PRELOAD_ROWS;
  useEffect(() => {
    const near = rows.slice(first, last + 1).flatMap((row) => (row.kind === "message" ? row.ids : []));
    const missing = near.filter((id) => !bodies.has(id));
    if (missing.length > 0) loadBodies(missing);
  }, [rows, first, last, bodies, loadBodies]);
}

/**
 * Moves the focus to the next or previous row on an arrow key. If the focused row extends beyond the viewport in that
 * direction, the key is left to the browser, which scrolls the row.
 */
function handleArrowKey(event: KeyboardEvent, scroller: HTMLElement | null, step: (by: 1 | -1) => void): void {
  const { key, target } = event;
  if ((key !== "ArrowDown" && key !== "ArrowUp") || !(target instanceof HTMLElement) || scroller === null) return;
  if (!target.matches("[data-row]") || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const row = target.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  const extendsBeyond = key === "ArrowDown" ? row.bottom > frame.bottom + 1 : row.top < frame.top - 1;
  if (extendsBeyond) return;
  event.preventDefault();
  step(key === "ArrowDown" ? 1 : -1);
}
