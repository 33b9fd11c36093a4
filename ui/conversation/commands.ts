// What readers do with messages, each told with the words of the server where it does not work. Made once for a
// conversation; what is there when something is done, it asks for then.
import { type Message, sameJson, type StoredMessage } from "koine";
import type { AskSettings, ConversationActions, ConversationState } from "../data/types.ts";
import { leafUnder, noteChoices, siblingsOf, type Tree } from "../branches/tree.ts";
import { toast } from "../kit/index.ts";
import { inspectPath, threadPath } from "../routes.ts";
import type { EditDraft, RowCommands, Sibling } from "./context.ts";
import type { MessageListHandle } from "./message-list.tsx";
import { markdownOf, withTexts } from "./words.ts";

/** What is shown now, and how to change it. */
export interface Surroundings {
  threadId: string;
  /** Its path is the branch that is looked at, which may be another one than the active one. */
  state: ConversationState;
  /** Another branch than the active one is looked at. */
  isElsewhere: boolean;
  /** Back to the active one. */
  leaveBranch: () => void;
  actions: ConversationActions;
  tree: Tree;
  list: MessageListHandle | null;
  navigate: (path: string) => void;
  setEditing: (messageId: string | undefined) => void;
  /** An edit is on its way to the server. */
  setSaving: (isSaving: boolean) => void;
  setDialog: (dialog: ConversationDialog | undefined) => void;
  /** Whether an answer on its way is shown in the place of what is there. */
  show: (runId: string, isShown: boolean) => void;
}

export type ConversationDialog =
  | { kind: "run"; runId: string }
  | { kind: "model"; messageId: string }
  | { kind: "rename" }
  | { kind: "delete" };

/** Does something, and tells why where it does not work. */
export async function attempt(work: Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work;
    if (done !== undefined) toast(done);
    return true;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), "error");
    return false;
  }
}

export function createCommands(now: () => Surroundings): RowCommands {
  const drafts = new Map<string, EditDraft>();
  const choices = new Map<string | null, string>();
  const asked = new Set<string>();
  const bodyOf = (id: string): StoredMessage | undefined => now().state.bodies.get(id);
  const closeEditor = (): void => now().setEditing(undefined);
  return {
    draft: { get: (id) => drafts.get(id), set: (id, draft) => void drafts.set(id, draft) },
    edit: (id) => now().setEditing(id),
    closeEditor,
    saveEdit: async (id, texts, ask) => {
      const body = bodyOf(id);
      if (body === undefined) return false;
      now().setSaving(true);
      const isSaved = await saveEdit(now, id, withTexts(body, texts), ask);
      now().setSaving(false);
      if (!isSaved) return false;
      drafts.delete(id);
      closeEditor();
      return true;
    },
    regenerate: (id, how) => {
      const { tree, actions } = now();
      const node = tree.nodes.get(id);
      asked.add(node?.role === "assistant" ? (node.parentMessageId ?? id) : id);
      void attempt(makeActive(now()).then(() => actions.regenerate(id, how)));
    },
    wasAsked: (id) => asked.has(id),
    chooseModel: (messageId) => now().setDialog({ kind: "model", messageId }),
    fork: (id) => void attempt(forkAt(now(), id)),
    inspect: (id) => now().navigate(inspectPath(now().threadId, id)),
    copyLink: (id) => void attempt(copyText(location.origin + threadPath(now().threadId, id)), "Link copied"),
    copy: (id) => {
      const body = bodyOf(id);
      if (body !== undefined) void attempt(copyText(markdownOf(body)), "Copied");
    },
    showRun: (runId) => now().setDialog({ kind: "run", runId }),
    turnTo: (sibling) => turnTo(now(), sibling, choices),
    goTo: (id) => {
      if (now().state.path.includes(id)) now().list?.reveal(id);
      else turnTo(now(), { id, kind: "message" }, choices);
    },
    decide: (...given) => now().actions.decide(...given),
  };
}

/** Whoever changes something in a branch goes on in it. */
async function makeActive({ isElsewhere, state, actions }: Surroundings): Promise<void> {
  const leaf = state.path.at(-1);
  if (isElsewhere && leaf !== undefined) await actions.select(leaf);
}

/** Says whether the words are saved: they may be, though nobody could be asked for an answer. */
async function saveEdit(now: () => Surroundings, id: string, message: Message, ask: boolean): Promise<boolean> {
  const { tree, actions } = now();
  const before = new Set(siblingsOf(tree, id));
  const how: AskSettings[] = ask ? [{}] : [];
  const isDone = await attempt(actions.edit(id, message, ...how));
  // Until what came of it is shown.
  await new Promise((resolve) => setTimeout(resolve));
  const { state, tree: after, list, leaveBranch } = now();
  const made = siblingsOf(after, id).findLast(
    (each) => !before.has(each) && sameJson(state.bodies.get(each)?.parts, message.parts),
  );
  if (isDone || made !== undefined) leaveBranch();
  if (made !== undefined) list?.reveal(made);
  return isDone || made !== undefined;
}

async function forkAt({ actions, navigate }: Surroundings, messageId: string): Promise<void> {
  navigate(threadPath(await actions.fork(messageId)));
  toast("This is the fork: it goes on by itself.");
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Error("The browser does not allow copying here. Select the text instead.");
  }
}

/** Where the reader was in the branch that is left, they will be again when they come back to it. */
function turnTo(
  { state, actions, tree, list, show, leaveBranch }: Surroundings,
  sibling: Sibling,
  choices: Map<string | null, string>,
): void {
  noteChoices(choices, state.path);
  if (sibling.kind === "run") return show(sibling.id, true);
  const { id } = sibling;
  const after = tree.nodes.get(id)?.parentMessageId ?? null;
  for (const run of state.live) if (run.after === after) show(run.runId, false);
  if (state.path.includes(id)) return;
  list?.reveal(id);
  leaveBranch();
  void attempt(actions.select(leafUnder(tree, id, choices)));
}
