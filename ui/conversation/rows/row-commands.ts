// Commands of the message rows, provided by a React context whose value never changes, so that unchanged rows are not
// rendered again.
import { createContext, use } from "react";
import type { AnswerSettings, ConversationActions } from "../../data/types.ts";

export interface RowCommands {
  /** Opens the editor of a message. */
  edit: (messageId: string) => void;
  closeEditor: () => void;
  /** Stores an edited version of a message; with `requestAnswer`, requests an answer to it. */
  saveEdit: (messageId: string, texts: readonly string[], requestAnswer: boolean) => Promise<boolean>;
  /** Unsaved edits; they survive the unmounting of a row that is scrolled out of view. */
  draft: { get: (messageId: string) => EditDraft | undefined; set: (messageId: string, draft: EditDraft) => void };
  regenerate: (messageId: string, answerSettings?: AnswerSettings) => void;
  /** True if an answer to this message was requested in this view. */
  wasAnswerRequested: (messageId: string) => boolean;
  /** Opens the dialog that selects a model. */
  openModelDialog: (messageId: string) => void;
  fork: (messageId: string) => void;
  inspect: (messageId: string) => void;
  copyLink: (messageId: string) => void;
  copy: (messageId: string) => void;
  showRun: (runId: string) => void;
  /** Shows a sibling: a stored message or a live run. */
  showSibling: (sibling: Sibling) => void;
  /** Scrolls to a message, on its branch. */
  showMessage: (messageId: string) => void;
  decideToolCall: ConversationActions["decideToolCall"];
}

export interface EditDraft {
  texts: readonly string[];
  /** Selection in the text fields. */
  caret?: { field: number; from: number; to: number };
}

/** An alternative at one position of a conversation. */
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
