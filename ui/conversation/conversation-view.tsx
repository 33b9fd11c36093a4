// Shows a conversation: header, message list, branch sidebar and composer.
import { useCallback, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { StoredMessage } from "koine";
import { useLocation } from "wouter";
import { Composer } from "../composer/composer.tsx";
import { buildTree } from "../branches/branch-tree.ts";
import { useConversation } from "../data/hooks.ts";
import type { ConversationState } from "../data/types.ts";
import { ROUTES } from "../routes.ts";
import { Announcer } from "./announcer.tsx";
import { useShownBranch } from "./shown-branch.ts";
import { runWithToast, createCommands, type ConversationDialog, type CommandContext } from "./create-commands.ts";
import { CommandsContext } from "./rows/row-commands.ts";
import styles from "./conversation-view.module.css";
import { Dialogs } from "./dialogs/dialogs.tsx";
import { ConversationHead } from "./conversation-head.tsx";
import { MessageList, type MessageListHandle } from "./list/message-list.tsx";
import { ConversationPlaceholder } from "./conversation-placeholder.tsx";
import { BranchNotice, HiddenEdit } from "./notices.tsx";
import { onLinkFollowed, readLinkCount } from "./list/scroll-positions.ts";
import { buildMessageRows, buildShownRows, type ShownConversation } from "./rows/build-rows.ts";
import { BranchSidebar, useTreeToggle } from "./branch-sidebar.tsx";
import { useConversationKeys } from "./use-conversation-keys.ts";
import { findRowIndex } from "./list/use-message-scroller.ts";

export interface ConversationViewProps {
  threadId: string;
  /** Id of the message in the URL: its branch is shown, and the list scrolls to it. */
  at?: string | undefined;
}

export function ConversationView({ threadId, at }: ConversationViewProps) {
  // The key makes React create a new view for each conversation, without state of the previous one.
  return <Conversation key={threadId} threadId={threadId} at={at} />;
}

function Conversation({ threadId, at }: ConversationViewProps) {
  const { state: fullState, actions } = useConversation(threadId);
  const linkCount = useSyncExternalStore(onLinkFollowed, readLinkCount);
  const [, navigate] = useLocation();
  const list = useRef<MessageListHandle>(null);
  const [editing, setEditing] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const [dialog, setDialog] = useState<ConversationDialog>();
  const [hiddenRuns, setHiddenRuns] = useState<ReadonlySet<string>>(new Set());
  const { isShown: isTreeShown, toggle: toggleTree, toggleByKey, takesFocus } = useTreeToggle();
  const { liveRuns, thread } = fullState;
  const { tree, state, shown, isInactive, showActive } = useShownConversation(fullState, { at, linkCount, hiddenRuns });
  const setRunShown = (runId: string, isShown: boolean): void =>
    setHiddenRuns((current) => new Set(isShown ? [...current].filter((each) => each !== runId) : [...current, runId]));
  const branch = { isInactiveBranch: isInactive, showActiveBranch: showActive };
  const setters = { setEditing, setSaving, setDialog, setRunShown };
  const context = { threadId, state, actions, tree, navigate, ...setters, ...branch };
  const commands = useStableCommands(() => ({ ...context, list: list.current }));
  const loadBodies = useCallback((ids: readonly string[]) => actions.loadBodies(ids), [actions]);
  const isTask = thread?.kind === "task";
  useConversationKeys({ commands, rows: shown.rows, tree, liveRuns, isTask, list, toggleTree: toggleByKey });
  if (state.status !== "ready" || thread === undefined) return <ConversationPlaceholder state={state} />;
  const onStored = (): void => {
    showActive();
    list.current?.toEnd();
  };
  return (
    <CommandsContext value={commands}>
      <div className={styles["view"]}>
        <ConversationHead {...{ state, actions, setDialog, isTreeShown, toggleTree }} />
        <div className={styles["body"]}>
          <div className={styles["talk"]}>
            <MessageList
              {...{ threadId, state, tree, shown, editing, targetId: at, linkCount, isTask, loadBodies, ref: list }}
            />
            <ConversationFooter
              {...{ threadId, onStored, showActive }}
              activate={isInactive ? () => void runWithToast(actions.select(state.path.at(-1) ?? "")) : undefined}
              hiddenEdit={isSaving ? undefined : findHiddenEdit(editing, shown, state)}
            />
          </div>
          {isTreeShown && <BranchSidebar {...{ tree, takesFocus }} path={state.path} onClose={toggleTree} />}
        </div>
      </div>
      <Announcer state={fullState} />
      <Dialogs
        {...{ dialog, thread }}
        onClose={() => setDialog(undefined)}
        onModel={(messageId, model) => commands.regenerate(messageId, { model })}
        rename={(title) => actions.rename(title)}
        remove={async () => {
          await actions.remove();
          navigate(ROUTES.home);
        }}
      />
    </CommandsContext>
  );
}

interface ShownOptions {
  at: string | undefined;
  linkCount: number;
  /** Ids of the live runs in whose place the user has chosen to see a stored answer. */
  hiddenRuns: ReadonlySet<string>;
}

/**
 * Computes the shown branch and its rows. In the returned `state`, `path` is the path of the shown branch, which may
 * not be the active branch.
 */
function useShownConversation(fullState: ConversationState, { at, linkCount, hiddenRuns }: ShownOptions) {
  const { nodes, liveRuns, failures } = fullState;
  const tree = useMemo(() => buildTree(nodes), [nodes]);
  const { path, isInactive, showActive } = useShownBranch(tree, fullState.path, at, linkCount);
  const state = useMemo(() => (path === fullState.path ? fullState : { ...fullState, path }), [fullState, path]);
  const storedRows = useMemo(() => buildMessageRows(tree, path), [tree, path]);
  const shown = useMemo(
    () => buildShownRows(storedRows, { tree, path, liveRuns, failures, hiddenRuns }),
    [storedRows, tree, path, liveRuns, failures, hiddenRuns],
  );
  return { tree, state, shown, isInactive, showActive };
}

interface ConversationFooterProps {
  threadId: string;
  /** Called when the server has stored a message that the user sent with the composer. */
  onStored: () => void;
  /** Makes the shown branch the active one; undefined if it is already active. */
  activate: (() => void) | undefined;
  showActive: () => void;
  /** The message whose editor is open although its branch is not shown; undefined if there is none. */
  hiddenEdit: StoredMessage | undefined;
}

function ConversationFooter({ threadId, onStored, activate, showActive, hiddenEdit }: ConversationFooterProps) {
  return (
    <div className={styles["foot"]}>
      {hiddenEdit !== undefined && <HiddenEdit key={hiddenEdit.id} message={hiddenEdit} />}
      {activate !== undefined && <BranchNotice onActivate={activate} onShowActive={showActive} />}
      <Composer threadId={threadId} onStored={onStored} />
    </div>
  );
}

function findHiddenEdit(
  editing: string | undefined,
  { rows }: ShownConversation,
  state: ConversationState,
): StoredMessage | undefined {
  return editing === undefined || findRowIndex(rows, editing) !== -1 ? undefined : state.bodies.get(editing);
}

/**
 * Returns the same commands object in every render of the view. Each command reads the current context when it runs.
 */
function useStableCommands(getContext: () => CommandContext) {
  const latest = useRef(getContext);
  useLayoutEffect(() => void (latest.current = getContext));
  return useMemo(() => createCommands(() => latest.current()), []);
}
