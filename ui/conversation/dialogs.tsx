// The dialogs of a conversation, one at a time.
import { DeleteDialog, RenameDialog } from "../threads/thread-dialogs.tsx";
import type { Thread } from "../data/types.ts";
import type { ConversationDialog } from "./commands.ts";
import { ModelDialog } from "./model-dialog.tsx";
import { RunDialog } from "./run-dialog.tsx";

export interface DialogsProps {
  dialog: ConversationDialog | undefined;
  thread: Thread;
  onClose: () => void;
  onModel: (messageId: string, model: string) => void;
  rename: (title: string) => Promise<unknown>;
  remove: () => Promise<unknown>;
}

export function Dialogs({ dialog, thread, onClose, onModel, rename, remove }: DialogsProps) {
  switch (dialog?.kind) {
    case "run":
      return <RunDialog runId={dialog.runId} onClose={onClose} />;
    case "model":
      return (
        <ModelDialog
          onClose={onClose}
          onChoose={(model) => {
            onModel(dialog.messageId, model);
            onClose();
          }}
        />
      );
    case "rename":
      return <RenameDialog {...{ thread, onClose, rename }} />;
    case "delete":
      return <DeleteDialog {...{ thread, onClose, remove }} />;
    default:
      return null;
  }
}
