// Defines the commands of the message rows. A React context provides them; its value never changes, so that React does
// not render unchanged rows again.
import { createContext, use } from "react";
import type { AnswerSettings, ConversationActions } from "../../data/types.ts";

export interface RowCommands {
  /** Opens the editor of a message. */
  edit: (messageId: string) => void;
  closeEditor: () => void;
  /**
   * Stores an edited version of a message. If `requestAnswer` is true, also requests an answer. Resolves with true if
   * the edit is stored.
   */
  saveEdit: (messageId: string, texts: readonly string[], requestAnswer: boolean) => Promise<boolean>;
  /**
   * Unsaved edits by message id. They are stored here, because a row that is scrolled out of view is unmounted and
   * loses its state.
   */
  draft: { get: (messageId: string) => EditDraft | undefined; set: (messageId: string, draft: EditDraft) => void };
  /** Requests another answer in place of an assistant message, or an answer to a message of another role. */
  regenerate: (messageId: string, answerSettings?: AnswerSettings) => void;
  /** Returns true if `regenerate` has requested an answer to this message since the view was opened. */
  wasAnswerRequested: (messageId: string) => boolean;
  /** Opens the dialog that selects a model and regenerates the message with it. */
  openModelDialog: (messageId: string) => void;
  fork: (messageId: string) => void;
  inspect: (messageId: string) => void;
  copyLink: (messageId: string) => void;
  copy: (messageId: string) => void;
  showRun: (runId: string) => void;
  /** Shows a sibling: a stored message or a live run. */
  showSibling: (sibling: Sibling) => void;
  /** Scrolls to a message; if it is not on the shown path, switches to its branch first. */
  showMessage: (messageId: string) => void;
  decideToolCall: ConversationActions["decideToolCall"];
}

export interface EditDraft {
  texts: readonly string[];
  /** Selection in a text field: index of the field, and the offsets of the selection's start and end. */
  caret?: { field: number; from: number; to: number };
}

/** A stored message or a live run that has the same parent message as another one; the user can switch between them. */
export interface Sibling {
  id: string;
  kind: "message" | "run";
}

export const CommandsContext = createContext<RowCommands | undefined>(undefined);

export function useCommands(): RowCommands {
  const commands = use(CommandsContext);
  if (commands === undefined) throw new Error("Message rows must be rendered inside a conversation.");
  return commands;
}
