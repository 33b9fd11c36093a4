// Hook that returns the draft of a conversation: its text, its files, and the reasons why files were rejected.
import { useState, useSyncExternalStore } from "react";
import { sumBytes, type MessageDraft, isBlank, readFiles, addFiles } from "./attachments.ts";
import { drafts } from "./drafts.ts";

export interface DraftEditor {
  draft: MessageDraft;
  isBlank: boolean;
  /** One sentence for each file that the last `attach` rejected, with the reason. */
  rejectedFiles: readonly string[];
  setText: (text: string) => void;
  attach: (files: readonly File[]) => void;
  detach: (key: string) => void;
  /** Clears the list of files that a reload lost. */
  dismissLostFiles: () => void;
}

export function useDraft(draftKey: string): DraftEditor {
  const draft = useSyncExternalStore(drafts.subscribe, () => drafts.get(draftKey));
  const [rejectedFiles, setRejectedFiles] = useState<readonly string[]>([]);
  const attach = async (files: readonly File[]): Promise<void> => {
    const result = await readFiles(files, sumBytes(drafts.get(draftKey).attachments));
    setRejectedFiles(result.rejected);
    drafts.change(draftKey, (current) => addFiles(current, result.attachments));
  };
  return {
    draft,
    isBlank: isBlank(draft),
    rejectedFiles,
    setText: (text) => drafts.change(draftKey, (current) => ({ ...current, text })),
    attach: (files) => {
      attach(files).catch((error: unknown) => setRejectedFiles([`The files cannot be read: ${String(error)}`]));
    },
    dismissLostFiles: () => drafts.change(draftKey, ({ text, attachments }) => ({ text, attachments })),
    detach: (key) => {
      setRejectedFiles([]);
      drafts.change(draftKey, (current) => ({
        ...current,
        attachments: current.attachments.filter((each) => each.key !== key),
      }));
    },
  };
}
