// Shows the buttons of the composers, and the control that chooses between steer and follow-up while an answer streams.
import type { QueueEntry } from "../data/types.ts";
import { Button } from "../kit/index.ts";
import { Segmented } from "./segmented.tsx";

type DeliveryMode = QueueEntry["mode"];

export interface SendButtonProps {
  disabled: boolean;
  busy: boolean;
  /** True if the message will be queued instead of sent at once. */
  isQueued?: boolean;
}

export function SendButton({ disabled, busy, isQueued = false }: SendButtonProps) {
  return (
    <Button type="submit" variant="primary" small icon={isQueued ? "queue" : "send"} disabled={disabled} busy={busy}>
      {isQueued ? "Queue" : "Send"}
    </Button>
  );
}

export function StopButton({ onStop, busy = false }: { onStop: () => void; busy?: boolean }) {
  return (
    <Button small icon="stop" busy={busy} onClick={onStop} title="Stop (Esc)">
      Stop
    </Button>
  );
}

const MODES: Record<"chat" | "task", readonly { value: DeliveryMode; label: string; title: string }[]> = {
  chat: [
    { value: "follow-up", label: "Follow up", title: "Sent when this answer is complete" },
    { value: "steer", label: "Steer", title: "Stops this answer and is sent now" },
  ],
  task: [
    { value: "steer", label: "Steer", title: "Sent after the current tool calls" },
    { value: "follow-up", label: "Follow up", title: "Sent when this answer is complete" },
  ],
};

export interface QueueModeChoiceProps {
  kind: "chat" | "task";
  mode: DeliveryMode;
  onChange: (mode: DeliveryMode) => void;
}

export function QueueModeChoice({ kind, mode, onChange }: QueueModeChoiceProps) {
  return <Segmented label="When to send it" value={mode} options={MODES[kind]} onChange={onChange} />;
}
