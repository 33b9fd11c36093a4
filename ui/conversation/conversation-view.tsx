// A conversation: its head, its messages, its branches beside them, and at the foot what one says something with.
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type RefObject,
} from "react";
import { useLocation } from "wouter";
import { Composer } from "../composer/composer.tsx";
import { treeOf } from "../branches/tree.ts";
import { useConversation } from "../data/hooks.ts";
import { ROUTES } from "../routes.ts";
import { Announcer } from "./announcer.tsx";
import { createCommands, type ConversationDialog, type Surroundings } from "./commands.ts";
import { CommandsContext } from "./context.ts";
import styles from "./conversation-view.module.css";
import { Dialogs } from "./dialogs.tsx";
import { ConversationHead } from "./conversation-head.tsx";
import { MessageList, type MessageListHandle } from "./message-list.tsx";
import { NotShown } from "./not-shown.tsx";
import { messageRows, shownRows } from "./rows.ts";
import { TreeSide, useTreeShown } from "./tree-side.tsx";
import { useConversationKeys } from "./use-conversation-keys.ts";

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
  const { state, actions } = useConversation(threadId);
  const [, navigate] = useLocation();
  const list = useRef<MessageListHandle>(null);
  const [editing, setEditing] = useState<string>();
  const [dialog, setDialog] = useState<ConversationDialog>();
  const [put, setPut] = useState<ReadonlySet<string>>(new Set());
  const [isTreeShown, toggleTree] = useTreeShown();
  const { nodes, path, live, failures, thread } = state;
  const tree = useMemo(() => treeOf(nodes), [nodes]);
  const recorded = useMemo(() => messageRows(tree, path), [tree, path]);
  const shown = useMemo(
    () => shownRows(recorded, { tree, path, live, failures, put }),
    [recorded, tree, path, live, failures, put],
  );
  const show = (runId: string, isShown: boolean): void =>
    setPut((before) => new Set(isShown ? [...before].filter((each) => each !== runId) : [...before, runId]));
  const surroundings = { threadId, state, actions, tree, navigate, setEditing, setDialog, show };
  const commands = useCommandsOf(() => ({ ...surroundings, list: list.current }));
  const need = useCallback((ids: readonly string[]) => actions.need(ids), [actions]);
  useConversationKeys({ commands, rows: shown.rows, tree, live, list, toggleTree });
  useOwnWordsInSight(path.at(-1), list);
  useBranchOf(at, surroundings.state, commands.turnTo);
  if (state.status !== "ready" || thread === undefined) return <NotShown state={state} />;
  return (
    <CommandsContext value={commands}>
      <div className={styles["view"]}>
        <ConversationHead {...{ state, actions, isTreeShown, toggleTree, setDialog }} />
        <div className={styles["body"]}>
          <div className={styles["talk"]}>
            <MessageList ref={list} {...{ state, tree, shown, editing, at }} need={need} />
            <div className={styles["foot"]}>
              <Composer threadId={threadId} />
            </div>
          </div>
          {isTreeShown && <TreeSide tree={tree} path={path} onClose={toggleTree} />}
        </div>
      </div>
      <Announcer state={state} />
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

/** The same commands for as long as the conversation is shown; what they find is what is there when they are given. */
function useCommandsOf(now: () => Surroundings) {
  const latest = useRef(now);
  useLayoutEffect(() => void (latest.current = now));
  return useMemo(() => createCommands(() => latest.current()), []);
}

/** What one has just said comes into sight, wherever one was reading. */
function useOwnWordsInSight(leaf: string | undefined, list: RefObject<MessageListHandle | null>): void {
  const arrived = useEffectEvent(() => {
    const focused = document.activeElement;
    if (focused?.closest("textarea, form") !== null && focused?.closest("[role=feed]") === null) list.current?.toEnd();
  });
  const before = useRef(leaf);
  useEffect(() => {
    if (before.current !== undefined && before.current !== leaf) arrived();
    before.current = leaf;
  }, [leaf]);
}

/** An address may lead to a message of another branch: that one is turned to, once. */
function useBranchOf(
  at: string | undefined,
  { status, nodes, path }: Surroundings["state"],
  turnTo: (sibling: { id: string; kind: "message" }) => void,
): void {
  const isElsewhere = at !== undefined && status === "ready" && nodes.has(at) && !path.includes(at);
  const turned = useRef<string>(undefined);
  useEffect(() => {
    if (!isElsewhere || at === turned.current) return;
    turned.current = at;
    turnTo({ id: at, kind: "message" });
  }, [isElsewhere, at, turnTo]);
}
