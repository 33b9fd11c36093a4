// Shows the messages that are not part of the conversation yet, because they are queued, being sent, or failed.
import { getText } from "koine";
import { useEffect, useState } from "react";
import type { QueueEntry } from "../data/types.ts";
import { Button, Icon, IconButton } from "../kit/index.ts";
import styles from "./tasks.module.css";

/**
 * A message of the panel. Messages of the outbox, which this tab sends, have a stage; messages of the server's queue
 * have none.
 */
export interface QueuePanelItem extends QueueEntry {
  stage?: "waiting" | "sending" | "failed";
  /** Reason why sending failed, or why its outcome is unknown. */
  error?: string;
}

export interface QueuePanelProps {
  items: readonly QueuePanelItem[];
  /** Sentence that states when the messages are sent. */
  note?: string;
  /** Moves a message from the queue to the draft. */
  onRecall?: ((id: string) => void) | undefined;
  /** Sends a waiting or failed message now; undefined if messages cannot be sent now. */
  onSendNow?: ((id: string) => void) | undefined;
}

const MODE_LABELS: Record<QueueEntry["mode"], string> = { steer: "Steer", "follow-up": "Follow up" };

export function QueuePanel({ items, note, onRecall, onSendNow }: QueuePanelProps) {
  const isSlow = useSlow(items.some(({ stage }) => stage === "sending"));
  const shown = isSlow ? items : items.filter(({ stage }) => stage !== "sending");
  const isShown = shown.length > 0;
  return (
    <div className={styles[isShown ? "queue" : "noQueue"]}>
      {/* Always rendered, so that screen readers announce changes of this sentence, but not changes of the list. */}
      <p className={styles["note"]} role="status">
        {isShown && (
          <>
            <Icon name="queue" size={16} />
            <strong>{summarizeQueue(shown)}</strong> {note}
          </>
        )}
      </p>
      {isShown && (
        <section aria-label="Queued messages">
          <ol>
            {shown.map((item) => (
              <QueueRow key={item.id} item={item} onRecall={onRecall} onSendNow={onSendNow} />
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

/** If sending a message takes longer than this time, the panel shows the message. */
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

function summarizeQueue(items: readonly QueuePanelItem[]): string {
  const waiting = items.filter(({ stage }) => stage !== "failed" && stage !== "sending").length;
  const failed = items.filter(({ stage }) => stage === "failed").length;
  const sending = items.filter(({ stage }) => stage === "sending").length;
  const sentences = [
    sending > 0 && (sending === 1 ? "1 message is being sent." : `${sending} messages are being sent.`),
    failed > 0 && (failed === 1 ? "1 message was not sent." : `${failed} messages were not sent.`),
    waiting > 0 && (waiting === 1 ? "1 message is queued." : `${waiting} messages are queued.`),
  ];
  return sentences.filter((each) => each !== false).join(" ");
}

interface QueueRowProps extends Pick<QueuePanelProps, "onRecall" | "onSendNow"> {
  item: QueuePanelItem;
}

function QueueRow({ item, onRecall, onSendNow }: QueueRowProps) {
  const { id, mode, message, stage, error } = item;
  const text = describeMessage(message);
  const isSending = stage === "sending";
  const isFailed = stage === "failed";
  return (
    <li className={styles["queued"]} data-stage={stage}>
      <span className={styles["mode"]} data-failed={isFailed}>
        {isSending ? "Sending" : isFailed ? "Not sent" : MODE_LABELS[mode]}
      </span>
      <span className={styles["words"]} title={text}>
        {text}
      </span>
      {onSendNow !== undefined && (isFailed || stage === "waiting") && (
        <Button small onClick={() => onSendNow(id)}>
          {isFailed ? "Send again" : "Send now"}
        </Button>
      )}
      {onRecall !== undefined && !isSending && (
        <IconButton label="Remove and edit" icon="edit" size={16} onClick={() => onRecall(id)} />
      )}
      {error !== undefined && <span className={styles["why"]}>{error}</span>}
    </li>
  );
}

function describeMessage(message: QueueEntry["message"]): string {
  const files = message.parts.filter(({ type }) => type !== "text").length;
  const text = getText(message);
  if (files === 0) return text;
  return [text, files === 1 ? "(with a file)" : `(with ${files} files)`].filter(Boolean).join(" ");
}
