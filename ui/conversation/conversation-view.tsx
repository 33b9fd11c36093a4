// A conversation: its head, its messages, its branches beside them, and at the foot what one says something with.
import { useCallback, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { StoredMessage } from "koine";
import { useLocation } from "wouter";
import { Composer } from "../composer/composer.tsx";
import { treeOf } from "../branches/tree.ts";
import { useConversation } from "../data/hooks.ts";
import type { ConversationState } from "../data/types.ts";
import { ROUTES } from "../routes.ts";
import { Announcer } from "./announcer.tsx";
import { useSeenBranch } from "./branch-seen.ts";
import { attempt, createCommands, type ConversationDialog, type Surroundings } from "./commands.ts";
import { CommandsContext } from "./context.ts";
import styles from "./conversation-view.module.css";
import { Dialogs } from "./dialogs.tsx";
import { ConversationHead } from "./conversation-head.tsx";
import { MessageList, type MessageListHandle } from "./message-list.tsx";
import { NotShown } from "./not-shown.tsx";
import { BranchNotice, StrayEdit } from "./notices.tsx";
import { onVisit, visitNumber } from "./places.ts";
import { messageRows, shownRows, type Shown } from "./rows.ts";
import { TreeSide, useTreeShown } from "./tree-side.tsx";
import { useConversationKeys } from "./use-conversation-keys.ts";
import { rowOf } from "./use-message-scroller.ts";

export interface ConversationViewProps {
  threadId: string;
  /** The message to begin at, on its branch. */
  at?: string | undefined;
}

export function ConversationView({ threadId, at }: ConversationViewProps) {
  // Another conversation begins anew: nothing that was typed, opened or scrolled in one is another's.
  return <Conversation key={threadId} threadId={threadId} at={at} />;
}

function Conversation({ threadId, at }: ConversationViewProps) {
  const { state: whole, actions } = useConversation(threadId);
  const visit = useSyncExternalStore(onVisit, visitNumber);
  const [, navigate] = useLocation();
  const list = useRef<MessageListHandle>(null);
  const [editing, setEditing] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const [dialog, setDialog] = useState<ConversationDialog>();
  const [put, setPut] = useState<ReadonlySet<string>>(new Set());
  const treeShown = useTreeShown();
  const { live, thread } = whole;
  const { tree, state, shown, isElsewhere, leave } = useShown(whole, { at, visit, put });
  const show = (runId: string, isShown: boolean): void =>
    setPut((before) => new Set(isShown ? [...before].filter((each) => each !== runId) : [...before, runId]));
  const branch = { isElsewhere, leaveBranch: leave };
  const surroundings = { threadId, state, actions, tree, navigate, setEditing, setSaving, setDialog, show, ...branch };
  const commands = useCommandsOf(() => ({ ...surroundings, list: list.current }));
  const need = useCallback((ids: readonly string[]) => actions.need(ids), [actions]);
  const isTask = thread?.kind === "task";
  useConversationKeys({ commands, rows: shown.rows, tree, live, isTask, list, toggleTree: treeShown.byKey });
  if (state.status !== "ready" || thread === undefined) return <NotShown state={state} />;
  const said = (): void => {
    leave();
    list.current?.toEnd();
  };
  return (
    <CommandsContext value={commands}>
      <div className={styles["view"]}>
        <ConversationHead {...{ state, actions, setDialog }} isTreeShown={treeShown.is} toggleTree={treeShown.toggle} />
        <div className={styles["body"]}>
          <div className={styles["talk"]}>
            <MessageList ref={list} {...{ threadId, state, tree, shown, editing, at, visit, isTask }} need={need} />
            <Foot
              {...{ threadId, said, leave }}
              activate={isElsewhere ? () => void attempt(actions.select(state.path.at(-1) ?? "")) : undefined}
              stray={isSaving ? undefined : strayEdit(editing, shown, state)}
            />
          </div>
          {treeShown.is && (
            <TreeSide tree={tree} path={state.path} takesFocus={treeShown.takesFocus} onClose={treeShown.toggle} />
          )}
        </div>
      </div>
      <Announcer state={whole} />
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

interface Looking {
  at: string | undefined;
  visit: number;
  /** Answers on their way that the reader has put away. */
  put: ReadonlySet<string>;
}

/** What is shown of a conversation: `state` has the path that is looked at. */
function useShown(whole: ConversationState, { at, visit, put }: Looking) {
  const { nodes, live, failures } = whole;
  const tree = useMemo(() => treeOf(nodes), [nodes]);
  const { path, isElsewhere, leave } = useSeenBranch(tree, whole.path, at, visit);
  const state = useMemo(() => (path === whole.path ? whole : { ...whole, path }), [whole, path]);
  const recorded = useMemo(() => messageRows(tree, path), [tree, path]);
  const shown = useMemo(
    () => shownRows(recorded, { tree, path, live, failures, put }),
    [recorded, tree, path, live, failures, put],
  );
  return { tree, state, shown, isElsewhere, leave };
}

interface FootProps {
  threadId: string;
  /** Something was said here. */
  said: () => void;
  /** Makes the branch that is looked at the active one; undefined: it is. */
  activate: (() => void) | undefined;
  leave: () => void;
  /** A message that is edited, and not shown any more. */
  stray: StoredMessage | undefined;
}

function Foot({ threadId, said, activate, leave, stray }: FootProps) {
  return (
    <div className={styles["foot"]}>
      {stray !== undefined && <StrayEdit key={stray.id} message={stray} />}
      {activate !== undefined && <BranchNotice onActivate={activate} onLeave={leave} />}
      <Composer threadId={threadId} onSaid={said} />
    </div>
  );
}

function strayEdit(editing: string | undefined, { rows }: Shown, state: ConversationState): StoredMessage | undefined {
  return editing === undefined || rowOf(rows, editing) !== -1 ? undefined : state.bodies.get(editing);
}

/** The same commands for as long as the conversation is shown; what they find is what is there when they are given. */
function useCommandsOf(now: () => Surroundings) {
  const latest = useRef(now);
  useLayoutEffect(() => void (latest.current = now));
  return useMemo(() => createCommands(() => latest.current()), []);
}
