// A tool call: what the model asked, whether it can be trusted, and what came back.
import { argumentsText, type ToolCallPart, type ToolResultPart } from "koine";
import { type ReactNode, useMemo } from "react";
import { Icon, Spinner } from "../kit/index.ts";
import { visible } from "../markdown/address.ts";
import { JsonBlock } from "./json-block.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import { ToolOutput } from "./tool-result.tsx";
import styles from "./tool.module.css";
import { sealWords } from "./words.ts";

export interface ToolCallProps {
  call: ToolCallPart;
  result: ToolResultPart | undefined;
  /** Why its arguments are invalid. */
  reason: string | undefined;
  /** Its arguments are still being written. */
  streaming: boolean;
  /** Its result may still come. */
  pending: boolean;
  /** Somebody has to decide whether it runs. */
  awaiting?: boolean;
  /** Whether it has a result is not known yet. */
  unknown?: boolean;
  footer: ReactNode;
}

/** Characters of arguments and result together that are shown without being asked for. */
const SHORT = 700;

type State = "writing" | "awaiting" | "running" | "unknown" | "invalid" | "failed" | "done" | "no-result";
const STATES: Record<State, { words: string; kind: "good" | "bad" | "warn" | "busy" }> = {
  writing: { words: "Writing arguments", kind: "busy" },
  awaiting: { words: "Waiting for approval", kind: "warn" },
  unknown: { words: "Loading the result", kind: "busy" },
  running: { words: "Running", kind: "busy" },
  invalid: { words: "Invalid arguments", kind: "bad" },
  failed: { words: "Failed", kind: "bad" },
  done: { words: "Done", kind: "good" },
  "no-result": { words: "No result", kind: "warn" },
};

export function ToolCall(props: ToolCallProps) {
  const { call, result, reason, streaming, footer } = props;
  const text = useMemo(() => textOfCall(call, streaming), [call, streaming]);
  const name = visible(call.toolName, 80);
  const state = stateOf(props);
  const open = streaming || state === "failed" || state === "invalid" || text.length + lengthOf(result) <= SHORT;
  return (
    <div className={styles["card"]} role="group" aria-label={`Tool call ${name}`}>
      <LazyFold open={open} className={styles["fold"]} summary={<CallHead call={call} state={state} preview={text} />}>
        {() => (
          <div className={styles["inside"]}>
            {call.invalid === true && <Invalid reason={reason} />}
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

function CallHead({ call, state, preview }: { call: ToolCallPart; state: State; preview: string }) {
  const { words, kind } = STATES[state];
  const sealed = sealWords(call.seals);
  return (
    <>
      <span className={styles["sign"]}>{kind === "busy" ? <Spinner /> : <Icon name="tool" size={16} />}</span>
      <span className={styles["name"]}>{visible(call.toolName, 80)}</span>
      <span className={styles["preview"]}>{preview === "{}" ? "" : visible(preview, 160)}</span>
      {call.tool !== undefined && <span className={styles["fact"]}>{visible(call.tool, 60)}</span>}
      {call.executor === "provider" && <span className={styles["fact"]}>run by the provider</span>}
      {sealed !== undefined && <span className={styles["fact"]}>{sealed}</span>}
      <span className={styles["state"]} data-kind={kind}>
        {words}
      </span>
    </>
  );
}

function Invalid({ reason }: { reason: string | undefined }) {
  return (
    <p className={styles["invalid"]}>
      <Icon name="warning" size={16} />
      <span>
        These arguments are unreadable or cut off. The call must not be run.
        {reason !== undefined && ` ${visible(reason, 300)}`}
      </span>
    </p>
  );
}

function stateOf({ call, result, streaming, pending, awaiting, unknown }: ToolCallProps): State {
  if (streaming) return "writing";
  if (result !== undefined) return result.isError ? "failed" : "done";
  if (call.invalid === true) return "invalid";
  if (awaiting === true) return "awaiting";
  if (unknown === true) return "unknown";
  return pending ? "running" : "no-result";
}

/** While they are written, the arguments are their text so far. */
function textOfCall(call: ToolCallPart, streaming: boolean): string {
  if ((streaming || call.invalid === true) && call.inputText !== undefined) return call.inputText;
  try {
    return argumentsText(call);
  } catch {
    return call.inputText ?? '"(These arguments have no JSON form.)"';
  }
}

function lengthOf(result: ToolResultPart | undefined): number {
  if (result === undefined) return 0;
  const { output, content } = result;
  if (typeof output === "string") return output.length + (content?.length ?? 0) * 100;
  // An object is counted by its first level: it is only a question of size.
  return typeof output === "object" && output !== null ? Object.keys(output).length * 60 : 10;
}
