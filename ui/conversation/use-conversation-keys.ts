// Registers the keyboard shortcuts of a conversation. They apply to the focused message, or to the last message if none
// has the focus.
import type { RefObject } from "react";
import type { BranchTree } from "../branches/branch-tree.ts";
import type { RunInProgress } from "../data/types.ts";
import { useShortcut } from "../kit/index.ts";
import type { RowCommands } from "./rows/row-commands.ts";
import { findCopyTarget, findEditTarget, findRegenerateTarget } from "./rows/shortcut-targets.ts";
import type { MessageListHandle } from "./list/message-list.tsx";
import type { ConversationRow } from "./rows/build-rows.ts";
import { findSiblings, type SiblingPosition } from "./rows/siblings.ts";

export interface ConversationKeysOptions {
  commands: RowCommands;
  rows: readonly ConversationRow[];
  tree: BranchTree;
  liveRuns: readonly RunInProgress[];
  /**
   * True for a task: then the shortcut r has no effect on a failure, because the composer of a task has a retry button.
   */
  isTask: boolean;
  list: RefObject<MessageListHandle | null>;
  toggleTree: () => void;
}

type FindTarget = (rows: readonly ConversationRow[], focused: ConversationRow | undefined) => string | undefined;

export function useConversationKeys(options: ConversationKeysOptions): void {
  const { commands, rows, tree, liveRuns, isTask, list, toggleTree } = options;
  /**
   * Returns a key handler that runs `act` with the target message. If there is no target, the handler returns false, so
   * that other shortcuts with the key are tried.
   */
  const withMessage = (findTarget: FindTarget, act: (messageId: string) => void) => (event: KeyboardEvent) => {
    if (!isInList(event)) return false;
    const id = findTarget(rows, list.current?.focused());
    if (id === undefined) return false;
    act(id);
    return true;
  };
  const findRowSiblings = (row: ConversationRow): SiblingPosition =>
    row.kind === "failure" ? { siblings: [], siblingIndex: 0 } : findSiblings(row, tree, liveRuns);
  const switchSibling = (step: 1 | -1) => (event: KeyboardEvent) => {
    if (!isInList(event)) return false;
    const row = list.current?.focused() ?? rows.findLast((each) => findRowSiblings(each).siblings.length > 1);
    if (row === undefined) return false;
    const { siblings, siblingIndex } = findRowSiblings(row);
    const sibling = siblings[siblingIndex + step];
    if (sibling === undefined) return false;
    commands.showSibling(sibling);
    return true;
  };
  const findRegenerated: FindTarget = (allRows, focused) => {
    const row = focused ?? allRows.at(-1);
    return isTask && row?.kind === "failure" ? undefined : findRegenerateTarget(allRows, focused);
  };
  useShortcut("j", () => list.current?.step(1), "Next message", { repeats: true });
  useShortcut("k", () => list.current?.step(-1), "Message before", { repeats: true });
  useShortcut("e", withMessage(findEditTarget, commands.edit), "Edit the message");
  useShortcut(
    "r",
    withMessage(findRegenerated, (id) => commands.regenerate(id)),
    "Regenerate the answer",
  );
  useShortcut("c", withMessage(findCopyTarget, commands.copy), "Copy the message");
  useShortcut("[", switchSibling(-1), "Version before");
  useShortcut("]", switchSibling(1), "Next version");
  useShortcut("b", toggleTree, "Show or hide branches");
}

/**
 * True if the key was pressed in the message list or while nothing had the focus. Commands on messages ignore keys that
 * are pressed in other controls.
 */
function isInList({ target }: KeyboardEvent): boolean {
  return target === document.body || (target instanceof Element && target.closest("[role=feed]") !== null);
}
