// Renders the parts of a message. Tool calls are shown with their results, and long instructions are folded.
import type { Message, Part, Role, StoredMessage, ToolCallPart } from "koine";
import { Fragment, memo, type ReactNode, useMemo, useState } from "react";
import { Button } from "../kit/index.ts";
import styles from "./message.module.css";
import { UndisplayedFieldsFold } from "./undisplayed-fields-fold.tsx";
import { PartComponentContext } from "./nested-parts.tsx";
import { type ToolResultPairing, pairResults } from "./pair-results.ts";
import { PartView } from "./part-view.tsx";
import { ToolCall } from "./tool-call.tsx";
import { UnpairedResult } from "./tool-result.tsx";

export interface MessageBodyProps {
  message: Message | StoredMessage;
  /** Messages after this message, which contain the results of its tool calls. */
  tools?: readonly Message[] | undefined;
  /** True if some tool results are not loaded; then a call without a result is shown as loading. */
  hasUnloadedResults?: boolean | undefined;
  /** True if the last part is still streaming. */
  streaming?: boolean | undefined;
  /** True if tools may still be running; then a call without a result is shown as running. */
  pending?: boolean | undefined;
  /** Ids of tool calls that wait for an approval. */
  pendingCallIds?: ReadonlySet<string> | undefined;
  /** Renders content below a tool call, such as the approval buttons. */
  renderCallFooter?: ((call: ToolCallPart) => ReactNode) | undefined;
}

const NO_TOOLS: readonly Message[] = [];

export const MessageBody = memo(function MessageBody(props: MessageBodyProps) {
  const { message, tools = NO_TOOLS, streaming = false } = props;
  const { parts, role } = message;
  const pairing = useMemo(() => pairResults(parts, tools), [parts, tools]);
  const body = parts.map((part, index) => {
    const last = streaming && index === parts.length - 1;
    // The index is a safe key, because parts are only appended to a message and never reordered.
    if (part.type === "tool-call")
      return <PairedToolCall key={index} {...props} call={part} pairing={pairing} last={last} />;
    return <UnpairedPart key={index} part={part} pairing={pairing} streaming={last} plain={role !== "assistant"} />;
  });
  const hasMore = tools.some((tool) => tool.parts.some((part) => !pairing.paired.has(part)));
  if (parts.length === 0 && !streaming && !hasMore) {
    return (
      <>
        <p className={styles["nothing"]}>This message is empty.</p>
        <UndisplayedFieldsFold message={message} />
      </>
    );
  }
  return (
    <PartComponentContext value={PartView}>
      <div className={styles["body"]}>
        {isInstruction(role) ? <FoldedInstruction parts={parts}>{body}</FoldedInstruction> : body}
        {!streaming && <UndisplayedFieldsFold message={message} />}
        {tools.map((tool, index) => (
          <Fragment key={index}>
            {tool.parts.map((part, at) => (
              <UnpairedPart key={at} part={part} pairing={pairing} plain />
            ))}
            <UndisplayedFieldsFold message={tool} />
          </Fragment>
        ))}
      </div>
    </PartComponentContext>
  );
});

interface UnpairedPartProps {
  part: Part;
  pairing: ToolResultPairing;
  streaming?: boolean;
  plain: boolean;
}

/** Renders a part that is not a tool call; nothing for a paired result, which is inside the card of its call. */
function UnpairedPart({ part, pairing, streaming = false, plain }: UnpairedPartProps): ReactNode {
  if (pairing.paired.has(part)) return null;
  if (part.type === "tool-result" && pairing.duplicates.has(part)) return <UnpairedResult result={part} isDouble />;
  return <PartView part={part} streaming={streaming} plain={plain} />;
}

interface PairedToolCallProps extends MessageBodyProps {
  call: ToolCallPart;
  pairing: ToolResultPairing;
  last: boolean;
}

function PairedToolCall(props: PairedToolCallProps) {
  const { message, call, pairing, streaming = false, pending = false, last, renderCallFooter } = props;
  const result = pairing.results.get(call);
  const reason = message.metadata?.invalidToolCalls?.find(({ toolCallId }) => toolCallId === call.toolCallId)?.reason;
  const footer = renderCallFooter?.(call);
  const isWriting = last && result === undefined && call.inputText !== undefined && footer === undefined;
  return (
    <ToolCall
      call={call}
      result={result}
      reason={reason}
      streaming={isWriting}
      pending={pending || streaming}
      needsApproval={props.pendingCallIds?.has(call.toolCallId) === true}
      isResultLoading={props.hasUnloadedResults === true}
      footer={footer}
    />
  );
}

function isInstruction(role: Role): boolean {
  return role === "system" || role === "developer";
}

/** Instructions (system and developer messages) with more lines or characters than these limits are folded. */
const MAX_INSTRUCTION_LINES = 3;
const MAX_INSTRUCTION_LENGTH = 280;

function FoldedInstruction({ parts, children }: { parts: readonly Part[]; children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const isLong = useMemo(() => {
    const text = parts.map((part) => (part.type === "text" ? part.text : "\n\n\n")).join("\n");
    return (
      text.length > MAX_INSTRUCTION_LENGTH ||
      text.trim().split("\n", MAX_INSTRUCTION_LINES + 1).length > MAX_INSTRUCTION_LINES
    );
  }, [parts]);
  if (!isLong) return children;
  return (
    <>
      {/* `inert` removes the folded content from the tab order. */}
      <div className={open ? undefined : styles["folded"]} inert={!open}>
        {children}
      </div>
      <Button small icon={open ? "chevron-up" : "chevron-down"} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Show less" : "Show all"}
      </Button>
    </>
  );
}
