// What a message says, part by part: calls with their results inside them, long instructions folded.
import type { Message, Part, Role, StoredMessage, ToolCallPart, ToolResultPart } from "koine";
import { memo, type ReactNode, useMemo, useState } from "react";
import { Button } from "../kit/index.ts";
import styles from "./message.module.css";
import { DrawPart } from "./nested.tsx";
import { PartView } from "./part-view.tsx";
import { ToolCall } from "./tool-call.tsx";

export interface MessageBodyProps {
  message: Message | StoredMessage;
  /** Results by the id of their call, from the messages that follow. */
  results?: ReadonlyMap<string, ToolResultPart> | undefined;
  /** Its last part is still being written. */
  streaming?: boolean | undefined;
  /** Its tools may still be at work: a call without a result has not failed. */
  pending?: boolean | undefined;
  /** What stands below a call: who decides whether it runs. */
  renderCallFooter?: ((call: ToolCallPart) => ReactNode) | undefined;
}

export const MessageBody = memo(function MessageBody(props: MessageBodyProps) {
  const { message, streaming = false } = props;
  const { parts, role } = message;
  const own = useMemo(() => resultsWithin(parts), [parts]);
  const body = parts.map((part, index) => {
    if (part.type === "tool-result" && own.paired.has(part.toolCallId)) return null;
    const last = streaming && index === parts.length - 1;
    // A part is known by its place: parts are only ever added to a message.
    if (part.type === "tool-call") return <Call key={index} {...props} call={part} within={own.results} last={last} />;
    return <PartView key={index} part={part} streaming={last} plain={role !== "assistant"} />;
  });
  if (parts.length === 0 && !streaming) return <p className={styles["nothing"]}>This message says nothing.</p>;
  return (
    <DrawPart value={PartView}>
      <div className={styles["body"]}>
        {isInstruction(role) ? <Instruction parts={parts}>{body}</Instruction> : body}
      </div>
    </DrawPart>
  );
});

interface CallProps extends MessageBodyProps {
  call: ToolCallPart;
  /** Results that stand in the message itself. */
  within: ReadonlyMap<string, ToolResultPart>;
  last: boolean;
}

function Call({
  message,
  call,
  results,
  within,
  streaming = false,
  pending = false,
  last,
  renderCallFooter,
}: CallProps) {
  const result = within.get(call.toolCallId) ?? results?.get(call.toolCallId);
  const reason = message.metadata?.invalidToolCalls?.find(({ toolCallId }) => toolCallId === call.toolCallId)?.reason;
  const footer = renderCallFooter?.(call);
  const isWritten = last && result === undefined && call.inputText !== undefined && footer === undefined;
  return (
    <ToolCall
      call={call}
      result={result}
      reason={reason}
      streaming={isWritten}
      pending={pending || streaming}
      footer={footer}
    />
  );
}

/** A provider's own tools answer in the same message. */
function resultsWithin(parts: readonly Part[]): {
  results: ReadonlyMap<string, ToolResultPart>;
  paired: ReadonlySet<string>;
} {
  const results = new Map<string, ToolResultPart>();
  const calls = new Set<string>();
  for (const part of parts) {
    if (part.type === "tool-call") calls.add(part.toolCallId);
    if (part.type === "tool-result" && !results.has(part.toolCallId)) results.set(part.toolCallId, part);
  }
  return { results, paired: new Set([...results.keys()].filter((id) => calls.has(id))) };
}

function isInstruction(role: Role): boolean {
  return role === "system" || role === "developer";
}

/** More than three lines of instructions are folded. */
const LINES = 3;
const LETTERS = 280;

function Instruction({ parts, children }: { parts: readonly Part[]; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const isLong = useMemo(() => {
    const text = parts.map((part) => (part.type === "text" ? part.text : "\n\n\n")).join("\n");
    return text.length > LETTERS || text.trim().split("\n", LINES + 1).length > LINES;
  }, [parts]);
  if (!isLong) return children;
  return (
    <>
      {/* What is folded is out of reach for keys, too. */}
      <div className={open ? undefined : styles["folded"]} inert={!open}>
        {children}
      </div>
      <Button small icon={open ? "chevron-up" : "chevron-down"} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Show less" : "Show all"}
      </Button>
    </>
  );
}
