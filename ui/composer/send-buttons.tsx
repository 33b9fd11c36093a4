// The buttons of a composer, and the choice of when something is said while an answer is on its way.
import type { QueuedMessage } from "../data/types.ts";
import { Button } from "../kit/index.ts";
import { Segmented } from "./segmented.tsx";

type Mode = QueuedMessage["mode"];

export interface SendButtonProps {
  disabled: boolean;
  busy: boolean;
  /** It is not said at once. */
  waits?: boolean;
}

export function SendButton({ disabled, busy, waits = false }: SendButtonProps) {
  return (
    <Button type="submit" variant="primary" small icon={waits ? "queue" : "send"} disabled={disabled} busy={busy}>
      {waits ? "Queue" : "Send"}
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

const MODES: Record<"chat" | "task", readonly { value: Mode; label: string; title: string }[]> = {
  chat: [
    { value: "follow-up", label: "Follow up", title: "Said when this answer is there" },
    { value: "steer", label: "Steer", title: "Stops this answer, and is said now" },
  ],
  task: [
    { value: "steer", label: "Steer", title: "Said after this round of tools" },
    { value: "follow-up", label: "Follow up", title: "Said when this answer is there" },
  ],
};

export interface ModeChoiceProps {
  kind: "chat" | "task";
  mode: Mode;
  onChange: (mode: Mode) => void;
}

export function ModeChoice({ kind, mode, onChange }: ModeChoiceProps) {
  return <Segmented label="When to say it" value={mode} options={MODES[kind]} onChange={onChange} />;
}
