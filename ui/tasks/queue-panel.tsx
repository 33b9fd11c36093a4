// What waits to be said. It is no part of the conversation until then.
import { textOf } from "koine";
import type { QueuedMessage } from "../data/types.ts";
import { Button, Icon, IconButton } from "../kit/index.ts";
import styles from "./tasks.module.css";

export interface QueuePanelProps {
  items: readonly QueuedMessage[];
  /** When they are said. */
  note?: string;
  /** Takes one out of the queue, to write it anew. */
  onTakeBack?: ((id: string) => void) | undefined;
  /** Says one without waiting any longer. */
  onSayNow?: ((id: string) => void) | undefined;
}

const MODES: Record<QueuedMessage["mode"], string> = { steer: "Steer", "follow-up": "Follow up" };

export function QueuePanel({ items, note, onTakeBack, onSayNow }: QueuePanelProps) {
  return (
    // Always there, so that what comes into it is announced.
    <div className={styles["waiting"]} role="status" aria-live="polite">
      {items.length > 0 && (
        <section className={styles["queue"]} aria-label="Queued messages">
          <p className={styles["note"]}>
            <Icon name="queue" size={16} />
            <strong>{items.length === 1 ? "1 message waits" : `${items.length} messages wait`}</strong> {note}
          </p>
          <ol>
            {items.map((item) => (
              <QueuedRow key={item.id} item={item} onTakeBack={onTakeBack} onSayNow={onSayNow} />
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

interface RowProps extends Pick<QueuePanelProps, "onTakeBack" | "onSayNow"> {
  item: QueuedMessage;
}

function QueuedRow({ item: { id, mode, message }, onTakeBack, onSayNow }: RowProps) {
  const words = wordsOf(message);
  return (
    <li className={styles["queued"]}>
      <span className={styles["mode"]}>{MODES[mode]}</span>
      <span className={styles["words"]} title={words}>
        {words}
      </span>
      {onSayNow !== undefined && (
        <Button small onClick={() => onSayNow(id)}>
          Say it now
        </Button>
      )}
      {onTakeBack !== undefined && (
        <IconButton label="Take back" icon="edit" size={16} onClick={() => onTakeBack(id)} />
      )}
    </li>
  );
}

function wordsOf(message: QueuedMessage["message"]): string {
  const files = message.parts.filter(({ type }) => type !== "text").length;
  const text = textOf(message);
  if (files === 0) return text;
  return [text, files === 1 ? "(with a file)" : `(with ${files} files)`].filter(Boolean).join(" ");
}
