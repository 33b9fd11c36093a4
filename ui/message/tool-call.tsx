// Shows the card of a tool call: name, state, arguments and result.
import { formatArguments, type ToolCallPart, type ToolResultPart } from "koine";
import { type ReactNode, useMemo } from "react";
import { Icon, Spinner } from "../kit/index.ts";
import { escapeInvisible } from "../markdown/safe-url.ts";
import { JsonBlock } from "./json-block.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import { ToolOutput } from "./tool-result.tsx";
import styles from "./tool.module.css";
import { describeSeals } from "./message-labels.ts";

export interface ToolCallProps {
  call: ToolCallPart;
  result: ToolResultPart | undefined;
  /** Reason why the call's arguments are invalid; undefined if they are valid or the reason is unknown. */
  reason: string | undefined;
  /** True if the call's arguments are still streaming. */
  streaming: boolean;
  /** True if the call's result may still arrive. */
  pending: boolean;
  /** True if the call waits for an approval. */
  needsApproval?: boolean;
  /** True if the call's result may be stored but is not loaded yet. */
  isResultLoading?: boolean;
  footer: ReactNode;
}

/**
 * A card is initially open if its arguments and its result together have at most this number of characters; otherwise
 * it is folded.
 */
const MAX_OPEN_LENGTH = 700;

type ToolCallState = "writing" | "awaiting" | "running" | "unknown" | "invalid" | "failed" | "done" | "no-result";
const STATE_LABELS: Record<ToolCallState, { label: string; kind: "good" | "bad" | "warn" | "busy" }> = {
  writing: { label: "Writing arguments", kind: "busy" },
  awaiting: { label: "Waiting for approval", kind: "warn" },
  unknown: { label: "Loading the result", kind: "busy" },
  running: { label: "Running", kind: "busy" },
  invalid: { label: "Invalid arguments", kind: "bad" },
  failed: { label: "Failed", kind: "bad" },
  done: { label: "Done", kind: "good" },
  "no-result": { label: "No result", kind: "warn" },
};

export function ToolCall(props: ToolCallProps) {
  const { call, result, reason, streaming, footer } = props;
  const text = useMemo(() => formatCallArguments(call, streaming), [call, streaming]);
  const name = escapeInvisible(call.toolName, 80);
  const state = computeToolCallState(props);
  const open =
    streaming ||
    state === "failed" ||
    state === "invalid" ||
    text.length + estimateResultLength(result) <= MAX_OPEN_LENGTH;
  return (
    <div className={styles["card"]} role="group" aria-label={`Tool call ${name}`}>
      <LazyFold open={open} className={styles["fold"]} summary={<CallHead call={call} state={state} preview={text} />}>
        {() => (
          <div className={styles["inside"]}>
            {call.invalid === true && <InvalidArguments reason={reason} />}
            <JsonBlock
              label={call.format === "text" ? "Input" : "Arguments"}
              text={text}
              streaming={streaming}
              plain={call.format === "text" || call.invalid === true}
            />
            {result !== undefined && <ToolOutput result={result} />}
          </div>
        )}
      </LazyFold>
      {footer}
    </div>
  );
}

function CallHead({ call, state, preview }: { call: ToolCallPart; state: ToolCallState; preview: string }) {
  const { label, kind } = STATE_LABELS[state];
  const sealed = describeSeals(call.seals);
  return (
    <>
      <span className={styles["sign"]}>{kind === "busy" ? <Spinner /> : <Icon name="tool" size={16} />}</span>
      <span className={styles["name"]}>{escapeInvisible(call.toolName, 80)}</span>
      <span className={styles["preview"]}>{preview === "{}" ? "" : escapeInvisible(preview, 160)}</span>
      {call.tool !== undefined && <span className={styles["fact"]}>{escapeInvisible(call.tool, 60)}</span>}
      {call.executor === "provider" && <span className={styles["fact"]}>run by the provider</span>}
      {sealed !== undefined && <span className={styles["fact"]}>{sealed}</span>}
      <span className={styles["state"]} data-kind={kind}>
        {label}
      </span>
    </>
  );
}

function InvalidArguments({ reason }: { reason: string | undefined }) {
  return (
    <p className={styles["invalid"]}>
      <Icon name="warning" size={16} />
      <span>
        These arguments are invalid or cut off, so the call was not executed.
        {reason !== undefined && ` ${escapeInvisible(reason, 300)}`}
      </span>
    </p>
  );
}

function computeToolCallState({
  call,
  result,
  streaming,
  pending,
  needsApproval,
  isResultLoading,
}: ToolCallProps): ToolCallState {
  if (streaming) return "writing";
  if (result !== undefined) return result.isError ? "failed" : "done";
  if (call.invalid === true) return "invalid";
  if (needsApproval === true) return "awaiting";
  if (isResultLoading === true) return "unknown";
  return pending ? "running" : "no-result";
}

/** Returns the arguments as formatted JSON; while they stream or if they are invalid, the text as received. */
function formatCallArguments(call: ToolCallPart, streaming: boolean): string {
  if ((streaming || call.invalid === true) && call.inputText !== undefined) return call.inputText;
  try {
    return formatArguments(call);
  } catch {
    return call.inputText ?? '"(These arguments cannot be represented as JSON.)"';
  }
}

function estimateResultLength(result: ToolResultPart | undefined): number {
  if (result === undefined) return 0;
  const { output, content } = result;
  if (typeof output === "string") return output.length + (content?.length ?? 0) * 100;
  // The length of an object is estimated from the number of its top-level keys; writing the JSON only to measure it
  // would be slow.
  return typeof output === "object" && output !== null ? Object.keys(output).length * 60 : 10;
}
