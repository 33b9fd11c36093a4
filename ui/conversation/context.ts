// What the rows of a conversation can do, handed down once and never changed: a row that is settled is not drawn again
// because another one is.
import { createContext, use } from "react";
import type { AskSettings, ConversationActions } from "../data/types.ts";

export interface RowCommands {
  /** Opens the editor in the place of a message. */
  edit: (messageId: string) => void;
  closeEditor: () => void;
  /** Puts other words in the place of a message; with `ask`, the model is asked for an answer to them. */
  saveEdit: (messageId: string, texts: readonly string[], ask: boolean) => Promise<boolean>;
  /** What was typed and not saved: it outlives its row, which may be scrolled away. */
  draft: { get: (messageId: string) => EditDraft | undefined; set: (messageId: string, draft: EditDraft) => void };
  regenerate: (messageId: string, how?: AskSettings) => void;
  /** Whether an answer to this message was asked for here. */
  wasAsked: (messageId: string) => boolean;
  /** Asks which model. */
  chooseModel: (messageId: string) => void;
  fork: (messageId: string) => void;
  inspect: (messageId: string) => void;
  copyLink: (messageId: string) => void;
  copy: (messageId: string) => void;
  showRun: (runId: string) => void;
  /** Shows a sibling: a message, or an answer on its way by its run. */
  turnTo: (sibling: Sibling) => void;
  /** Brings a message into sight, on its branch. */
  goTo: (messageId: string) => void;
  decide: ConversationActions["decide"];
}

export interface EditDraft {
  texts: readonly string[];
  /** Where in them the next letter goes. */
  caret?: { field: number; from: number; to: number };
}

/** What may stand in one place of a conversation. */
export interface Sibling {
  id: string;
  kind: "message" | "run";
}

export const CommandsContext = createContext<RowCommands | undefined>(undefined);

export function useCommands(): RowCommands {
  const commands = use(CommandsContext);
  if (commands === undefined) throw new Error("Rows are shown inside a conversation only.");
  return commands;
}
