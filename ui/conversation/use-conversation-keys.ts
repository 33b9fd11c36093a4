// The keys of a conversation. They mean the message that has the focus; without one, the last.
import type { RefObject } from "react";
import type { Tree } from "../branches/tree.ts";
import type { LiveRun } from "../data/types.ts";
import { useShortcut } from "../kit/index.ts";
import type { RowCommands } from "./context.ts";
import { copiedBy, editedBy, regeneratedBy } from "./meant.ts";
import type { MessageListHandle } from "./message-list.tsx";
import type { Row } from "./rows.ts";
import { placeOf, type SiblingPlace } from "./siblings.ts";

export interface KeyedConversation {
  commands: RowCommands;
  rows: readonly Row[];
  tree: Tree;
  live: readonly LiveRun[];
  /** Task: its own "Try again" is not a key of the list. */
  isTask: boolean;
  list: RefObject<MessageListHandle | null>;
  toggleTree: () => void;
}

type Meant = (rows: readonly Row[], focused: Row | undefined) => string | undefined;

export function useConversationKeys(keyed: KeyedConversation): void {
  const { commands, rows, tree, live, isTask, list, toggleTree } = keyed;
  /** Does it with the message that is meant; where there is none, the key is left to others. */
  const withMessage = (meant: Meant, act: (messageId: string) => void) => (event: KeyboardEvent) => {
    if (!isInList(event)) return false;
    const id = meant(rows, list.current?.focused());
    if (id === undefined) return false;
    act(id);
    return true;
  };
  const placeIn = (row: Row): SiblingPlace =>
    row.kind === "failure" ? { siblings: [], at: 0 } : placeOf(row, tree, live);
  const turn = (by: 1 | -1) => (event: KeyboardEvent) => {
    if (!isInList(event)) return false;
    const row = list.current?.focused() ?? rows.findLast((each) => placeIn(each).siblings.length > 1);
    if (row === undefined) return false;
    const { siblings, at } = placeIn(row);
    const sibling = siblings[at + by];
    if (sibling === undefined) return false;
    commands.turnTo(sibling);
    return true;
  };
  const regenerated: Meant = (all, focused) => {
    const row = focused ?? all.at(-1);
    return isTask && row?.kind === "failure" ? undefined : regeneratedBy(all, focused);
  };
  useShortcut("j", () => list.current?.step(1), "Next message", { repeats: true });
  useShortcut("k", () => list.current?.step(-1), "Message before", { repeats: true });
  useShortcut("e", withMessage(editedBy, commands.edit), "Edit the message");
  useShortcut(
    "r",
    withMessage(regenerated, (id) => commands.regenerate(id)),
    "Regenerate the answer",
  );
  useShortcut("c", withMessage(copiedBy, commands.copy), "Copy the message");
  useShortcut("[", turn(-1), "Version before");
  useShortcut("]", turn(1), "Next version");
  useShortcut("b", toggleTree, "Show or hide branches");
}

/** What changes something is done from the messages, or from nowhere: not from the tree, nor from a button elsewhere. */
function isInList({ target }: KeyboardEvent): boolean {
  return target === document.body || (target instanceof Element && target.closest("[role=feed]") !== null);
}
