// The messages of a conversation as a list of which only the part around the reader is drawn.
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
import type { ConversationState, PendingApproval } from "../data/types.ts";
import type { Tree } from "../branches/tree.ts";
import { Button } from "../kit/index.ts";
import { FailureRowView } from "./failure-row.tsx";
import styles from "./message-list.module.css";
import { MessageRowView } from "./message-row.tsx";
import { formerPlace, keepPlace, type Place } from "./places.ts";
import { focusedKey, keyAround, useHeldFocus, useReveal, useRowFocus } from "./row-focus.ts";
import type { LiveRow, MessageRow, Row, Shown } from "./rows.ts";
import { placeOf } from "./siblings.ts";
import { rowOf, useArrival, useMessageScroller } from "./use-message-scroller.ts";

/** Bodies are asked for so many rows before they come into sight. */
const AHEAD = 40;

export interface MessageListHandle {
  /** Brings a message into sight as soon as it is there, and with `focus` the focus to it. */
  reveal: (messageId: string, focus?: boolean) => void;
  /** Brings the focus so many rows further; from nowhere, to what is in sight. */
  step: (by: 1 | -1) => void;
  toEnd: () => void;
  /** The row that has the focus. */
  focused: () => Row | undefined;
}

export interface MessageListProps {
  threadId: string;
  state: ConversationState;
  tree: Tree;
  shown: Shown;
  /** The message whose editor is open. */
  editing: string | undefined;
  /** Where the address leads. */
  at: string | undefined;
  /** Which of the reader's steps led here. */
  visit: number;
  /** A task tries again by itself: its failures are not answered here. */
  isTask: boolean;
  need: (ids: readonly string[]) => void;
  ref: Ref<MessageListHandle>;
}

export function MessageList(props: MessageListProps) {
  const { threadId, state, tree, shown, editing, at, visit, isTask, need, ref } = props;
  const { rows } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const [focusKey, setFocusKey] = useState<string>();
  const [marked, setMarked] = useState<string>();
  const editingKey = editing === undefined ? undefined : rows[rowOf(rows, editing)]?.key;
  const { virtualizer, atEnd, setGoal, place } = useMessageScroller(scroller, rows, [focusKey, editingKey]);
  const former = useKeptPlace(threadId, place);
  useArrival(setGoal, rows, { wish: at, visit, former, onArrive: () => setMarked(at) });
  const hold = useHeldFocus(scroller, rows);
  const items = virtualizer.getVirtualItems();
  useBodies(rows, items, state, need);
  const scrollTo = (index: number): void => {
    setGoal(undefined);
    virtualizer.scrollToIndex(index);
  };
  const toEnd = (): void => setGoal({ to: "end" });
  const focusRow = useRowFocus(scroller, rows, setFocusKey, scrollTo);
  const reveal = useReveal(rows, focusRow, scrollTo);
  const step = (by: 1 | -1): void => {
    const from = rows.findIndex(({ key }) => key === focusedKey(scroller.current));
    focusRow(from === -1 ? (virtualizer.range?.[by === 1 ? "startIndex" : "endIndex"] ?? 0) : from + by);
  };
  const focused = (): Row | undefined => rows.find(({ key }) => key === focusedKey(scroller.current));
  useImperativeHandle(ref, () => ({ reveal, step, toEnd, focused }));
  return (
    <div className={styles["frame"]}>
      <div ref={scroller} className={styles["scroller"]} onKeyDown={(event) => walk(event, scroller.current, step)}>
        <div
          role="feed"
          aria-label="Messages"
          aria-busy={state.live.length > 0}
          className={styles["feed"]}
          style={{ height: virtualizer.getTotalSize() }}
          onFocus={(event) => {
            setFocusKey(keyAround(event.target));
            hold(event.target);
          }}
        >
          {items.map((item) => (
            <Slot
              key={item.key}
              item={item}
              measure={virtualizer.measureElement}
              filled={isFilled(rows[item.index], state)}
            >
              <RowView {...{ state, tree, shown, editing, marked, isTask }} index={item.index} />
            </Slot>
          ))}
        </div>
      </div>
      {!atEnd && (
        <Button small icon="chevron-down" className={styles["jump"] ?? ""} onClick={toEnd}>
          Jump to latest
        </Button>
      )}
    </div>
  );
}

/** Where the reader was the last time; where they are when they leave is kept. */
function useKeptPlace(threadId: string, place: () => Place | undefined): Place | undefined {
  const [former] = useState(() => formerPlace(threadId));
  const leave = useEffectEvent(() => keepPlace(threadId, place()));
  useLayoutEffect(() => () => leave(), []);
  return former;
}

interface SlotProps {
  item: VirtualItem;
  measure: (element: HTMLDivElement | null) => void;
  /** What it shows is there, and not only its first words. */
  filled: boolean;
  children: ReactNode;
}

function Slot({ item, measure, filled, children }: SlotProps) {
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
      {...contentOf(row, state)}
      {...placeOf(row, tree, state.live)}
      approvals={approvalsOf(row, state)}
      editing={isMessage && editing === row.ids[0]}
      marked={isMessage && marked !== undefined && row.ids.includes(marked)}
    />
  );
}

const NO_TOOLS: readonly Message[] = [];

function contentOf(row: MessageRow | LiveRow, { bodies }: ConversationState) {
  if (row.kind === "live") {
    const { at, tools, run } = row;
    return { message: run.messages[at], tools: tools === 0 ? NO_TOOLS : run.messages.slice(at + 1, at + 1 + tools) };
  }
  const [id, ...rest] = row.ids;
  const tools = rest.map((each) => bodies.get(each)).filter((body): body is StoredMessage => body !== undefined);
  return { message: bodies.get(id), tools: tools.length === 0 ? NO_TOOLS : tools };
}

const NO_APPROVALS: readonly PendingApproval[] = [];

/** Only a row in which something waits is told of it. */
function approvalsOf(row: MessageRow | LiveRow, state: ConversationState): readonly PendingApproval[] {
  const waiting = state.task?.approvals ?? NO_APPROVALS;
  if (waiting.length === 0) return NO_APPROVALS;
  const parts = contentOf(row, state).message?.parts ?? [];
  const ids = new Set(waiting.map(({ toolCallId }) => toolCallId));
  return parts.some((part) => part.type === "tool-call" && ids.has(part.toolCallId)) ? waiting : NO_APPROVALS;
}

function isFilled(row: Row | undefined, { bodies }: ConversationState): boolean {
  return row?.kind !== "message" || row.ids.every((id) => bodies.has(id));
}

/** Asks for what is about to come into sight. */
function useBodies(
  rows: readonly Row[],
  items: readonly VirtualItem[],
  { bodies }: ConversationState,
  need: MessageListProps["need"],
): void {
  const first = Math.max(0, (items[0]?.index ?? 0) - AHEAD);
  const last = (items.at(-1)?.index ?? 0) + AHEAD;
  useEffect(() => {
    const near = rows.slice(first, last + 1).flatMap((row) => (row.kind === "message" ? row.ids : []));
    const missing = near.filter((id) => !bodies.has(id));
    if (missing.length > 0) need(missing);
  }, [rows, first, last, bodies, need]);
}

/** The arrows go from message to message; through one that is larger than the window, they scroll. */
function walk(event: KeyboardEvent, scroller: HTMLElement | null, step: (by: 1 | -1) => void): void {
  const { key, target } = event;
  if ((key !== "ArrowDown" && key !== "ArrowUp") || !(target instanceof HTMLElement) || scroller === null) return;
  if (!target.matches("[data-row]") || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const row = target.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  const isBeyond = key === "ArrowDown" ? row.bottom > frame.bottom + 1 : row.top < frame.top - 1;
  if (isBeyond) return;
  event.preventDefault();
  step(key === "ArrowDown" ? 1 : -1);
}
