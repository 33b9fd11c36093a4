// The keys of a conversation. They mean the message that has the focus, or the nearest above it that can be meant; without
// a focus, the last one.
import type { RefObject } from "react";
import type { Tree } from "../branches/tree.ts";
import type { LiveRun } from "../data/types.ts";
import { useShortcut } from "../kit/index.ts";
import type { RowCommands } from "./context.ts";
import type { MessageListHandle } from "./message-list.tsx";
import type { MessageRow, Row } from "./rows.ts";
import { placeOf, type SiblingPlace } from "./siblings.ts";

export interface KeyedConversation {
  commands: RowCommands;
  rows: readonly Row[];
  tree: Tree;
  live: readonly LiveRun[];
  list: RefObject<MessageListHandle | null>;
  toggleTree: () => void;
}

export function useConversationKeys({ commands, rows, tree, live, list, toggleTree }: KeyedConversation): void {
  /** Does it with the message that is meant; where there is none, the key is left to others. */
  const withRow = (isMeant: (row: MessageRow) => boolean, act: (row: MessageRow) => void) => (): boolean => {
    const focused = list.current?.focused();
    const upTo = focused === undefined ? rows.length : rows.indexOf(focused) + 1;
    const row = rows.slice(0, upTo).findLast((each) => each.kind === "message" && isMeant(each));
    if (row?.kind !== "message") return false;
    act(row);
    return true;
  };
  const placeIn = (row: Row): SiblingPlace =>
    row.kind === "failure" ? { siblings: [], at: 0 } : placeOf(row, tree, live);
  const turn = (by: 1 | -1) => (): boolean => {
    const row = list.current?.focused() ?? rows.findLast((each) => placeIn(each).siblings.length > 1);
    if (row === undefined) return false;
    const { siblings, at } = placeIn(row);
    const sibling = siblings[at + by];
    if (sibling === undefined) return false;
    commands.turnTo(sibling);
    return true;
  };
  useShortcut("j", () => list.current?.step(1), "Next message");
  useShortcut("k", () => list.current?.step(-1), "Message before");
  useShortcut(
    "e",
    withRow(isUser, ({ ids }) => commands.edit(ids[0])),
    "Edit the message",
  );
  useShortcut(
    "r",
    withRow(isAnswer, ({ ids }) => commands.regenerate(ids[0])),
    "Regenerate the answer",
  );
  useShortcut(
    "c",
    withRow(isAnything, ({ ids }) => commands.copy(ids[0])),
    "Copy the message",
  );
  useShortcut("[", turn(-1), "Version before");
  useShortcut("]", turn(1), "Next version");
  useShortcut("b", toggleTree, "Show or hide branches");
}

function isUser({ role }: MessageRow): boolean {
  return role === "user";
}

function isAnswer({ role }: MessageRow): boolean {
  return role === "assistant";
}

function isAnything(): boolean {
  return true;
}
