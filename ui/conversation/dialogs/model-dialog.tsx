// Shows the dialog that selects a model for an answer: a model that the server lists, or any other text of the form
// "provider/model".
import { useId, useState } from "react";
import { useModels } from "../../data/hooks.ts";
import { Button, Dialog } from "../../kit/index.ts";
import styles from "./model-dialog.module.css";

export interface ModelDialogProps {
  onClose: () => void;
  onChoose: (model: string) => void;
}

export function ModelDialog({ onClose, onChoose }: ModelDialogProps) {
  const models = useModels();
  const [model, setModel] = useState("");
  const [form, names] = [useId(), useId()];
  const name = model.trim();
  return (
    <Dialog
      open
      onClose={onClose}
      title="Answer with another model"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" icon="refresh" disabled={name === ""}>
            Answer
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (name !== "") onChoose(name);
        }}
      >
        <label className={styles["field"]}>
          Model
          <input
            list={names}
            value={model}
            placeholder="provider/model"
            autoComplete="off"
            spellCheck={false}
            // The field takes the focus, because the user opened the dialog to fill it in.
            autoFocus
            onChange={(event) => setModel(event.target.value)}
          />
        </label>
        <datalist id={names}>
          {models.map(({ id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </form>
    </Dialog>
  );
}
