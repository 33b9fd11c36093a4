// What waits to be said. It is no part of the conversation until then.
import { textOf } from "koine";
import { useEffect, useState } from "react";
import type { QueuedMessage } from "../data/types.ts";
import { Button, Icon, IconButton } from "../kit/index.ts";
import styles from "./tasks.module.css";

/** One that waits; of what this tab itself has to send, also how far that has come. */
export interface QueueItem extends QueuedMessage {
  stage?: "waiting" | "sending" | "failed";
  /** Why it was not sent, or what is known of it. */
  error?: string;
}

export interface QueuePanelProps {
  items: readonly QueueItem[];
  /** When they are said. */
  note?: string;
  /** Takes one out of the queue, to write it anew. */
  onTakeBack?: ((id: string) => void) | undefined;
  /** Says one without waiting any longer, or tries it again. */
  onSayNow?: ((id: string) => void) | undefined;
}

const MODES: Record<QueuedMessage["mode"], string> = { steer: "Steer", "follow-up": "Follow up" };

export function QueuePanel({ items, note, onTakeBack, onSayNow }: QueuePanelProps) {
  const isSlow = useSlow(items.some(({ stage }) => stage === "sending"));
  const shown = isSlow ? items : items.filter(({ stage }) => stage !== "sending");
  const isShown = shown.length > 0;
  return (
    <div className={styles[isShown ? "queue" : "noQueue"]}>
      {/* Always there, so that what comes into it is announced: the sentence, and not the list. */}
      <p className={styles["note"]} role="status">
        {isShown && (
          <>
            <Icon name="queue" size={16} />
            <strong>{summaryOf(shown)}</strong> {note}
          </>
        )}
      </p>
      {isShown && (
        <section aria-label="Queued messages">
          <ol>
            {shown.map((item) => (
              <QueuedRow key={item.id} item={item} onTakeBack={onTakeBack} onSayNow={onSayNow} />
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

/** What is just being sent is shown only where that takes long. */
const SLOW_MS = 1000;

function useSlow(isSending: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!isSending) return undefined;
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [isSending]);
  return slow;
}

function summaryOf(items: readonly QueueItem[]): string {
  const waiting = items.filter(({ stage }) => stage !== "failed" && stage !== "sending").length;
  const failed = items.filter(({ stage }) => stage === "failed").length;
  const sending = items.filter(({ stage }) => stage === "sending").length;
  const sentences = [
    sending > 0 && (sending === 1 ? "1 message is being sent." : `${sending} messages are being sent.`),
    failed > 0 && (failed === 1 ? "1 message was not sent." : `${failed} messages were not sent.`),
    waiting > 0 && (waiting === 1 ? "1 message waits." : `${waiting} messages wait.`),
  ];
  return sentences.filter((each) => each !== false).join(" ");
}

interface RowProps extends Pick<QueuePanelProps, "onTakeBack" | "onSayNow"> {
  item: QueueItem;
}

function QueuedRow({ item, onTakeBack, onSayNow }: RowProps) {
  const { id, mode, message, stage, error } = item;
  const words = wordsOf(message);
  const isSending = stage === "sending";
  const isFailed = stage === "failed";
  return (
    <li className={styles["queued"]} data-stage={stage}>
      <span className={styles["mode"]} data-failed={isFailed}>
        {isSending ? "Sending" : isFailed ? "Not sent" : MODES[mode]}
      </span>
      <span className={styles["words"]} title={words}>
        {words}
      </span>
      {onSayNow !== undefined && (isFailed || stage === "waiting") && (
        <Button small onClick={() => onSayNow(id)}>
          {isFailed ? "Send again" : "Say it now"}
        </Button>
      )}
      {onTakeBack !== undefined && !isSending && (
        <IconButton label="Take back" icon="edit" size={16} onClick={() => onTakeBack(id)} />
      )}
      {error !== undefined && <span className={styles["why"]}>{error}</span>}
    </li>
  );
}

function wordsOf(message: QueuedMessage["message"]): string {
  const files = message.parts.filter(({ type }) => type !== "text").length;
  const text = textOf(message);
  if (files === 0) return text;
  return [text, files === 1 ? "(with a file)" : `(with ${files} files)`].filter(Boolean).join(" ");
}
