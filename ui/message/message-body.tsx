// What a message says, part by part: calls with their results inside them, long instructions folded.
import type { Message, Part, Role, StoredMessage, ToolCallPart } from "koine";
import { Fragment, memo, type ReactNode, useMemo, useState } from "react";
import { Button } from "../kit/index.ts";
import styles from "./message.module.css";
import { AlsoRecorded } from "./also-recorded.tsx";
import { DrawPart } from "./nested.tsx";
import { type Pairing, pairResults } from "./pairing.ts";
import { PartView } from "./part-view.tsx";
import { ToolCall } from "./tool-call.tsx";
import { LoneResult } from "./tool-result.tsx";

export interface MessageBodyProps {
  message: Message | StoredMessage;
  /** The messages that follow it and hold what its tools gave back: all of them is shown here. */
  tools?: readonly Message[] | undefined;
  /** Some of those are not loaded: a call without a result may have one. */
  isPartial?: boolean | undefined;
  /** Its last part is still being written. */
  streaming?: boolean | undefined;
  /** Its tools may still be at work: a call without a result has not failed. */
  pending?: boolean | undefined;
  /** Ids of calls that wait for somebody's decision. */
  awaiting?: ReadonlySet<string> | undefined;
  /** What stands below a call: who decides whether it runs. */
  renderCallFooter?: ((call: ToolCallPart) => ReactNode) | undefined;
}

const NO_TOOLS: readonly Message[] = [];

export const MessageBody = memo(function MessageBody(props: MessageBodyProps) {
  const { message, tools = NO_TOOLS, streaming = false } = props;
  const { parts, role } = message;
  const pairing = useMemo(() => pairResults(parts, tools), [parts, tools]);
  const body = parts.map((part, index) => {
    const last = streaming && index === parts.length - 1;
    // A part is known by its place: parts are only ever added to a message.
    if (part.type === "tool-call") return <Call key={index} {...props} call={part} pairing={pairing} last={last} />;
    return <PartOf key={index} part={part} pairing={pairing} streaming={last} plain={role !== "assistant"} />;
  });
  const hasMore = tools.some((tool) => tool.parts.some((part) => !pairing.paired.has(part)));
  if (parts.length === 0 && !streaming && !hasMore) {
    return (
      <>
        <p className={styles["nothing"]}>This message says nothing.</p>
        <AlsoRecorded message={message} />
      </>
    );
  }
  return (
    <DrawPart value={PartView}>
      <div className={styles["body"]}>
        {isInstruction(role) ? <Instruction parts={parts}>{body}</Instruction> : body}
        {!streaming && <AlsoRecorded message={message} />}
        {tools.map((tool, index) => (
          <Fragment key={index}>
            {tool.parts.map((part, at) => (
              <PartOf key={at} part={part} pairing={pairing} plain />
            ))}
            <AlsoRecorded message={tool} />
          </Fragment>
        ))}
      </div>
    </DrawPart>
  );
});

interface PartOfProps {
  part: Part;
  pairing: Pairing;
  streaming?: boolean;
  plain: boolean;
}

/** A part that is no call: a result stands in the card of its call, where it is the one that counts. */
function PartOf({ part, pairing, streaming = false, plain }: PartOfProps): ReactNode {
  if (pairing.paired.has(part)) return null;
  if (part.type === "tool-result" && pairing.doubles.has(part)) return <LoneResult result={part} isDouble />;
  return <PartView part={part} streaming={streaming} plain={plain} />;
}

interface CallProps extends MessageBodyProps {
  call: ToolCallPart;
  pairing: Pairing;
  last: boolean;
}

function Call(props: CallProps) {
  const { message, call, pairing, streaming = false, pending = false, last, renderCallFooter } = props;
  const result = pairing.results.get(call);
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
      awaiting={props.awaiting?.has(call.toolCallId) === true}
      unknown={props.isPartial === true}
      footer={footer}
    />
  );
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
