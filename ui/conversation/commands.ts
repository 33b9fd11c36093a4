// What readers do with messages, each told with the words of the server where it does not work. Made once for a
// conversation; what is there when something is done, it asks for then.
import type { StoredMessage } from "koine";
import type { AskSettings, ConversationActions, ConversationState } from "../data/types.ts";
import { leafUnder, noteChoices, type Tree } from "../branches/tree.ts";
import { toast } from "../kit/index.ts";
import { inspectPath, threadPath } from "../routes.ts";
import type { RowCommands, Sibling } from "./context.ts";
import type { MessageListHandle } from "./message-list.tsx";
import { markdownOf, withText } from "./words.ts";

/** What is shown now, and how to change it. */
export interface Surroundings {
  threadId: string;
  state: ConversationState;
  actions: ConversationActions;
  tree: Tree;
  list: MessageListHandle | null;
  navigate: (path: string) => void;
  setEditing: (messageId: string | undefined) => void;
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
  const drafts = new Map<string, string>();
  const choices = new Map<string | null, string>();
  const asked = new Set<string>();
  const bodyOf = (id: string): StoredMessage | undefined => now().state.bodies.get(id);
  const closeEditor = (): void => now().setEditing(undefined);
  return {
    draft: { get: (id) => drafts.get(id), set: (id, text) => void drafts.set(id, text) },
    edit: (id) => now().setEditing(id),
    closeEditor,
    saveEdit: async (id, text, ask) => {
      const body = bodyOf(id);
      if (body === undefined) return false;
      const how: AskSettings[] = ask ? [{}] : [];
      const saved = await attempt(now().actions.edit(id, withText(body, text), ...how));
      // The words may be saved, and only the asking refused.
      if (!saved && now().state.path.includes(id)) return false;
      drafts.delete(id);
      closeEditor();
      return true;
    },
    regenerate: (id, how) => {
      const { tree, actions } = now();
      const node = tree.nodes.get(id);
      asked.add(node?.role === "assistant" ? (node.parentMessageId ?? id) : id);
      void attempt(actions.regenerate(id, how));
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
  { state, actions, tree, list, show }: Surroundings,
  sibling: Sibling,
  choices: Map<string | null, string>,
): void {
  noteChoices(choices, state.path);
  if (sibling.kind === "run") return show(sibling.id, true);
  const { id } = sibling;
  const after = tree.nodes.get(id)?.parentMessageId ?? null;
  for (const run of state.live) if (run.after === after) show(run.runId, false);
  if (state.path.includes(id)) return;
  list?.reveal(id, list.focused() !== undefined);
  void attempt(actions.select(leafUnder(tree, id, choices)));
}
