// Shows the inspector: a conversation or one call in every dialect, with losses, call details and code.
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { useConversation } from "../data/hooks.ts";
import { Button, formatCount, Icon, Spinner } from "../kit/index.ts";
import { threadPath } from "../routes.ts";
import { Columns } from "../translate/columns.tsx";
import type { TranslatorHandle } from "../translate/use-translator.ts";
import { useTranslator } from "../translate/use-translator.ts";
import { CallDetails, readDialect, useRun } from "./call-details.tsx";
import { CodeDialog } from "./code-dialog.tsx";
import styles from "./inspect-view.module.css";
import type { InspectedCall } from "./inspected-calls.ts";
import { listInspectedPath, formatCallLabel, listCalls, computeWindow } from "./inspected-calls.ts";
import type { InspectSubject, SubjectQuery } from "./use-subject.ts";
import { useSubject } from "./use-subject.ts";

/** Number of messages that are shown initially, and number that each click on the "more" button adds. */
const WINDOW_SIZE = 200;

export interface InspectViewProps {
  threadId: string;
  /** Id of the last message of the branch or call to show; undefined for the active branch. */
  at?: string | undefined;
}

export function InspectView({ threadId, at }: InspectViewProps) {
  const { state } = useConversation(threadId);
  const translation = useTranslator();
  const [selectedSubject, setSelectedSubject] = useState<InspectSubject>();
  const [limit, setLimit] = useState(WINDOW_SIZE);
  const path = listInspectedPath(state.nodes, state.path, at);
  const turns = listCalls(state.nodes, path);
  const subject = selectedSubject ?? findInitialSubject(turns, at);
  const window = computeWindow(state.nodes, path, limit);
  const { source, failure } = useSubject({ threadId, path, window, subject });
  const { translator } = translation;
  const name = toSubjectName(threadId, subject);
  const run = useRun(subject.type === "conversation" ? undefined : subject.runId);
  useEffect(() => {
    // While the same conversation or call is loaded again, `source` is undefined and its translation stays visible. The
    // translation of another one is removed at once.
    if (source !== undefined || translator.hasOtherName(name)) translator.setSource(source, name);
  }, [translator, source, name]);
  const hiddenCount = subject.type === "conversation" ? window.from - window.leadCount : 0;
  const problem = failure ?? describeProblem(state.status, path.length) ?? translation.state.failure?.message;
  return (
    <div className={styles["view"]}>
      <header className={styles["top"]}>
        <Link href={threadPath(threadId, at)} className={styles["back"]}>
          <Icon name="chevron-left" size={16} />
          Conversation
        </Link>
        <h1>Inspect</h1>
        <SubjectChoice turns={turns} subject={subject} onChange={setSelectedSubject} />
        {subject.type !== "answer" && (
          <CodeButton
            translation={translation}
            dialect={readDialect(run)}
            query={{ threadId, path, subject }}
            isPart={hiddenCount > 0}
          />
        )}
      </header>
      {run !== undefined && <CallDetails run={run} />}
      {hiddenCount > 0 && (
        <p className={styles["window"]}>
          {window.leadCount > 0 && "The instructions and the "}
          {window.leadCount > 0 ? "last" : "The last"} {formatCount(path.length - window.from)} of{" "}
          {formatCount(path.length)} messages; message numbers start at the first shown message.
          <Button small onClick={() => setLimit(path.length - window.from + WINDOW_SIZE)}>
            {formatCount(Math.min(WINDOW_SIZE, hiddenCount))} more
          </Button>
        </p>
      )}
      <InspectResult translation={translation} problem={problem} name={name} />
    </div>
  );
}

/**
 * Returns the request of the call whose last message is `at`, the message in the URL; if there is no such call, the
 * conversation.
 */
function findInitialSubject(turns: readonly InspectedCall[], at: string | undefined): InspectSubject {
  const turn = at === undefined ? undefined : turns.find(({ messageId }) => messageId === at);
  return turn === undefined
    ? { type: "conversation" }
    : { type: "request", runId: turn.runId, messageId: turn.messageId };
}

/**
 * Returns a name that identifies the shown conversation, request or answer. The name of a conversation does not change
 * when messages are added.
 */
function toSubjectName(threadId: string, subject: InspectSubject): string {
  return subject.type === "conversation" ? threadId : `${subject.runId} ${subject.type}`;
}

function describeProblem(status: string, length: number): string | undefined {
  if (status === "missing") return "This conversation does not exist.";
  if (status === "failed") return "The conversation could not be loaded.";
  return status === "ready" && length === 0 ? "The conversation has no messages yet." : undefined;
}

interface InspectResultProps {
  translation: TranslatorHandle;
  problem: string | undefined;
  name: string;
}

function InspectResult({ translation, problem, name }: InspectResultProps) {
  const { reading } = translation.state;
  if (problem !== undefined) {
    return (
      <p role="alert" className={styles["problem"]}>
        {problem}
      </p>
    );
  }
  if (reading !== undefined) return <Columns translation={translation} reading={reading} subject={name} />;
  return (
    <p className={styles["wait"]}>
      <Spinner label="Reading" />
    </p>
  );
}

interface SubjectChoiceProps {
  turns: readonly InspectedCall[];
  subject: InspectSubject;
  onChange: (subject: InspectSubject) => void;
}

function SubjectChoice({ turns, subject, onChange }: SubjectChoiceProps) {
  const runId = subject.type === "conversation" ? "" : subject.runId;
  const side = subject.type === "answer" ? "answer" : "request";
  const change = (id: string, type: "request" | "answer"): void => {
    const sameSubject = subject.type !== "conversation" && subject.runId === id ? subject : undefined;
    const { messageId } = sameSubject ?? turns.find((each) => each.runId === id) ?? {};
    onChange(messageId === undefined ? { type: "conversation" } : { type, runId: id, messageId });
  };
  return (
    <div className={styles["subject"]}>
      <label>
        <span>Show</span>
        <select value={runId} onChange={({ target }) => change(target.value, side)}>
          <option value="">The conversation</option>
          {/* If another client has changed the active branch, `turns` does not contain the selected call. */}
          {runId !== "" && !turns.some((turn) => turn.runId === runId) && (
            <option value={runId}>A call of another branch</option>
          )}
          <optgroup label="One call">
            {turns.map((turn, index) => (
              <option key={turn.runId} value={turn.runId} label={formatCallLabel(turn, index)} />
            ))}
          </optgroup>
        </select>
      </label>
      {runId !== "" && (
        <div role="radiogroup" aria-label="Side of the call" className={styles["sides"]}>
          {(["request", "answer"] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="side" checked={side === each} onChange={() => change(runId, each)} />
              {each === "request" ? "Request" : "Answer"}
            </label>
          ))}
        </div>
      )}
    </div>
  );
}

interface CodeButtonProps {
  translation: TranslatorHandle;
  /** Dialect of the recorded call. */
  dialect: string;
  query: SubjectQuery;
  /** True if the inspector shows only a part of the conversation. */
  isPart: boolean;
}

function CodeButton({ translation, dialect, query, isPart }: CodeButtonProps) {
  const [open, setOpen] = useState(false);
  const { reading } = translation.state;
  const close = (): void => setOpen(false);
  return (
    <>
      <Button small icon="code" disabled={reading === undefined} onClick={() => setOpen(true)}>
        Copy as code
      </Button>
      {open && isPart && <WholeCodeDialog {...{ translation, dialect, query }} onClose={close} />}
      {open && !isPart && <CodeDialog {...{ translation, dialect }} onClose={close} />}
    </>
  );
}

/**
 * Loads the whole conversation before it shows the code; used if the inspector shows only a part of the conversation.
 */
function WholeCodeDialog({ query, ...rest }: Omit<CodeButtonProps, "isPart"> & { onClose: () => void }) {
  const wholeConversation = useSubject(query);
  return <CodeDialog {...rest} wholeConversation={wholeConversation} />;
}
