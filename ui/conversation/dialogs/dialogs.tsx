// Shows the dialog of a conversation that is open, if any. The code of the model dialog and the run dialog is loaded on
// demand.
import { lazy, Suspense } from "react";
import { DeleteDialog, RenameDialog } from "../../threads/thread-dialogs.tsx";
import type { ThreadJson } from "../../data/types.ts";
import type { ConversationDialog } from "../create-commands.ts";

const ModelDialog = lazy(async () => ({ default: (await import("./model-dialog.tsx")).ModelDialog }));
const RunDialog = lazy(async () => ({ default: (await import("./run-dialog.tsx")).RunDialog }));

export interface DialogsProps {
  dialog: ConversationDialog | undefined;
  thread: ThreadJson;
  onClose: () => void;
  onModel: (messageId: string, model: string) => void;
  rename: (title: string) => Promise<unknown>;
  remove: () => Promise<unknown>;
}

export function Dialogs(props: DialogsProps) {
  return (
    <Suspense>
      <OpenDialog {...props} />
    </Suspense>
  );
}

function OpenDialog({ dialog, thread, onClose, onModel, rename, remove }: DialogsProps) {
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
