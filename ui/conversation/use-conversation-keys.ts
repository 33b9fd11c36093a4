// The keys of a conversation. They mean the message that has the focus, else the last one that can be meant.
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
  const withRow = (isMeant: (row: MessageRow) => boolean, act: (id: string) => void) => (): boolean => {
    const row = list.current?.focused() ?? rows.findLast((each) => each.kind === "message" && isMeant(each));
    if (row?.kind !== "message" || !isMeant(row)) return false;
    act(row.ids[0]);
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
  useShortcut("e", withRow(isUser, commands.edit), "Edit the message");
  useShortcut("r", withRow(isAnswer, commands.regenerate), "Regenerate the answer");
  useShortcut(
    "c",
    withRow(() => true, commands.copy),
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
