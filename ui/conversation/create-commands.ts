// Implements the commands of the message rows. The commands are created once per conversation and read the current
// state when they run. Failures are shown as toasts.
import { type Message, sameJson, type StoredMessage } from "koine";
import type { AnswerSettings, ConversationActions, ConversationState } from "../data/types.ts";
import { findLeafUnder, storeSelections, listSiblings, type BranchTree } from "../branches/branch-tree.ts";
import { toast } from "../kit/index.ts";
import { inspectPath, threadPath } from "../routes.ts";
import type { EditDraft, RowCommands, Sibling } from "./rows/row-commands.ts";
import type { MessageListHandle } from "./list/message-list.tsx";
import { toMarkdown, replaceTexts } from "./rows/message-text.ts";

/** Current state of the view, and its setters. */
export interface CommandContext {
  threadId: string;
  /** State of the conversation; its `path` is the path of the shown branch, which may not be the active branch. */
  state: ConversationState;
  /** True if the shown branch is not the active branch. */
  isInactiveBranch: boolean;
  /** Shows the active branch again. */
  showActiveBranch: () => void;
  actions: ConversationActions;
  tree: BranchTree;
  list: MessageListHandle | null;
  navigate: (path: string) => void;
  setEditing: (messageId: string | undefined) => void;
  /** Called with true before an edited message is sent to the server, and with false when the request is done. */
  setSaving: (isSaving: boolean) => void;
  setDialog: (dialog: ConversationDialog | undefined) => void;
  /**
   * Sets which answer is shown for a message that a live run answers again: the live answer (true) or the stored answer
   * (false).
   */
  setRunShown: (runId: string, isShown: boolean) => void;
}

export type ConversationDialog =
  | { kind: "run"; runId: string }
  | { kind: "model"; messageId: string }
  | { kind: "rename" }
  | { kind: "delete" };

/**
 * Awaits `work` and returns true if it succeeded. Shows the error of `work` as a toast; after success, shows
 * `successMessage` if it is given.
 */
export async function runWithToast(work: Promise<unknown>, successMessage?: string): Promise<boolean> {
  try {
    await work;
    if (successMessage !== undefined) toast(successMessage);
    return true;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "error");
    return false;
  }
}

export function createCommands(getContext: () => CommandContext): RowCommands {
  const drafts = new Map<string, EditDraft>();
  const selections = new Map<string | null, string>();
  const requestedIds = new Set<string>();
  const findBody = (id: string): StoredMessage | undefined => getContext().state.bodies.get(id);
  const closeEditor = (): void => getContext().setEditing(undefined);
  return {
    draft: { get: (id) => drafts.get(id), set: (id, draft) => void drafts.set(id, draft) },
    edit: (id) => getContext().setEditing(id),
    closeEditor,
    saveEdit: async (id, texts, requestAnswer) => {
      const body = findBody(id);
      if (body === undefined) return false;
      getContext().setSaving(true);
      const isSaved = await saveEdit(getContext, id, replaceTexts(body, texts), requestAnswer);
      getContext().setSaving(false);
      if (!isSaved) return false;
      drafts.delete(id);
      closeEditor();
      return true;
    },
    regenerate: (id, answerSettings) => {
      const { tree, actions } = getContext();
      const node = tree.nodes.get(id);
      requestedIds.add(node?.role === "assistant" ? (node.parentMessageId ?? id) : id);
      void runWithToast(activateShownBranch(getContext()).then(() => actions.regenerate(id, answerSettings)));
    },
    wasAnswerRequested: (id) => requestedIds.has(id),
    openModelDialog: (messageId) => getContext().setDialog({ kind: "model", messageId }),
    fork: (id) => void runWithToast(forkThread(getContext(), id)),
    inspect: (id) => getContext().navigate(inspectPath(getContext().threadId, id)),
    copyLink: (id) =>
      void runWithToast(copyText(location.origin + threadPath(getContext().threadId, id)), "Link copied"),
    copy: (id) => {
      const body = findBody(id);
      if (body !== undefined) void runWithToast(copyText(toMarkdown(body)), "Copied");
    },
    showRun: (runId) => getContext().setDialog({ kind: "run", runId }),
    showSibling: (sibling) => showSibling(getContext(), sibling, selections),
    showMessage: (id) => {
      if (getContext().state.path.includes(id)) getContext().list?.reveal(id);
      else showSibling(getContext(), { id, kind: "message" }, selections);
    },
    decideToolCall: (...decision) => getContext().actions.decideToolCall(...decision),
  };
}

/** Makes the shown branch the active branch, if it is not; called before a command changes the shown branch. */
async function activateShownBranch({ isInactiveBranch, state, actions }: CommandContext): Promise<void> {
  const leaf = state.path.at(-1);
  if (isInactiveBranch && leaf !== undefined) await actions.select(leaf);
}

/**
 * Stores an edited message and scrolls to it. Returns true if the edit is stored, even if the request for an answer
 * failed.
 */
async function saveEdit(
  getContext: () => CommandContext,
  id: string,
  message: Message,
  requestAnswer: boolean,
): Promise<boolean> {
  const { tree, actions } = getContext();
  const previousSiblings = new Set(listSiblings(tree, id));
  const answerSettings: AnswerSettings[] = requestAnswer ? [{}] : [];
  const isDone = await runWithToast(actions.edit(id, message, ...answerSettings));
  // The timeout lets React render the new state, so that `getContext` returns the tree with the edited message.
  await new Promise((resolve) => setTimeout(resolve));
  const { state, tree: nextTree, list, showActiveBranch } = getContext();
  const editedId = listSiblings(nextTree, id).findLast(
    (each) => !previousSiblings.has(each) && sameJson(state.bodies.get(each)?.parts, message.parts),
  );
  if (isDone || editedId !== undefined) showActiveBranch();
  if (editedId !== undefined) list?.reveal(editedId);
  return isDone || editedId !== undefined;
}

async function forkThread({ actions, navigate }: CommandContext, messageId: string): Promise<void> {
  navigate(threadPath(await actions.fork(messageId)));
  toast("This is the fork. It is independent of the original conversation.");
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error("The browser does not allow copying here. Select the text instead.");
  }
}

/**
 * Shows a sibling. For a live run, shows its answer in place of the stored one. For a message, selects the leaf under
 * the message that was shown last, or the newest one.
 */
function showSibling(
  { state, actions, tree, list, setRunShown, showActiveBranch }: CommandContext,
  sibling: Sibling,
  selections: Map<string | null, string>,
): void {
  storeSelections(selections, state.path);
  if (sibling.kind === "run") return setRunShown(sibling.id, true);
  const { id } = sibling;
  const parentId = tree.nodes.get(id)?.parentMessageId ?? null;
  for (const run of state.liveRuns) if (run.answeredId === parentId) setRunShown(run.runId, false);
  if (state.path.includes(id)) return;
  list?.reveal(id);
  showActiveBranch();
  void runWithToast(actions.select(findLeafUnder(tree, id, selections)));
}
