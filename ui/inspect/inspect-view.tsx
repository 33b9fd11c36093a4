// The inspector: a conversation, or one call of it, in every dialect side by side, with what each would lose; what really
// happened on the wire; and the same as code.
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { useConversation } from "../data/hooks.ts";
import { Button, formatCount, Icon, Spinner } from "../kit/index.ts";
import { threadPath } from "../routes.ts";
import { Columns } from "../translate/columns.tsx";
import type { Translation } from "../translate/use-translator.ts";
import { useTranslator } from "../translate/use-translator.ts";
import { CallFacts, dialectOf, useRun } from "./call-facts.tsx";
import { CodeDialog } from "./code-dialog.tsx";
import styles from "./inspect-view.module.css";
import type { Turn } from "./turns.ts";
import { pathTo, turnLabel, turnsOf, windowOf } from "./turns.ts";
import type { Subject, SubjectQuery } from "./use-subject.ts";
import { useSubject } from "./use-subject.ts";

/** How many messages are looked at first, and how many more at a time. */
const WINDOW = 200;

export interface InspectViewProps {
  threadId: string;
  /** The message that the branch, and the turn, ends with. */
  at?: string | undefined;
}

export function InspectView({ threadId, at }: InspectViewProps) {
  const { state } = useConversation(threadId);
  const translation = useTranslator();
  const [chosen, choose] = useState<Subject>();
  const [limit, setLimit] = useState(WINDOW);
  const path = pathTo(state.nodes, state.path, at);
  const turns = turnsOf(state.nodes, path);
  const subject = chosen ?? firstSubject(turns, at);
  const window = windowOf(state.nodes, path, limit);
  const { source, failure } = useSubject({ threadId, path, window, subject });
  const { translator } = translation;
  const name = nameOf(threadId, subject);
  const run = useRun(subject.type === "conversation" ? undefined : subject.runId);
  useEffect(() => {
    // While the same is loaded anew, what is known of it stays; what is known of something else goes.
    if (source !== undefined || translator.isOther(name)) translator.setSource(source, name);
  }, [translator, source, name]);
  const left = subject.type === "conversation" ? window.from - window.lead : 0;
  const problem = failure ?? problemOf(state.status, path.length) ?? translation.state.failure?.message;
  return (
    <div className={styles["view"]}>
      <header className={styles["top"]}>
        <Link href={threadPath(threadId, at)} className={styles["back"]}>
          <Icon name="chevron-left" size={16} />
          Conversation
        </Link>
        <h1>Inspect</h1>
        <SubjectChoice turns={turns} subject={subject} onChange={choose} />
        {subject.type !== "answer" && (
          <CodeButton
            translation={translation}
            dialect={dialectOf(run)}
            query={{ threadId, path, subject }}
            isPart={left > 0}
          />
        )}
      </header>
      {run !== undefined && <CallFacts run={run} />}
      {left > 0 && (
        <p className={styles["window"]}>
          {window.lead > 0 && "The instructions, and the "}
          {window.lead > 0 ? "last" : "The last"} {formatCount(path.length - window.from)} of {formatCount(path.length)}{" "}
          messages; their numbers count from the first shown.
          <Button small onClick={() => setLimit(path.length - window.from + WINDOW)}>
            {formatCount(Math.min(WINDOW, left))} more
          </Button>
        </p>
      )}
      <Outcome translation={translation} problem={problem} name={name} />
    </div>
  );
}

/** The call that the address names by its last message, else all of it. */
function firstSubject(turns: readonly Turn[], at: string | undefined): Subject {
  const turn = at === undefined ? undefined : turns.find(({ messageId }) => messageId === at);
  return turn === undefined
    ? { type: "conversation" }
    : { type: "request", runId: turn.runId, messageId: turn.messageId };
}

/** Of what is looked at; a conversation that goes on is the same one. */
function nameOf(threadId: string, subject: Subject): string {
  return subject.type === "conversation" ? threadId : `${subject.runId} ${subject.type}`;
}

function problemOf(status: string, length: number): string | undefined {
  if (status === "missing") return "There is no such conversation.";
  if (status === "failed") return "The conversation could not be loaded.";
  return status === "ready" && length === 0 ? "Nothing was said yet." : undefined;
}

interface OutcomeProps {
  translation: Translation;
  problem: string | undefined;
  name: string;
}

function Outcome({ translation, problem, name }: OutcomeProps) {
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
  turns: readonly Turn[];
  subject: Subject;
  onChange: (subject: Subject) => void;
}

function SubjectChoice({ turns, subject, onChange }: SubjectChoiceProps) {
  const runId = subject.type === "conversation" ? "" : subject.runId;
  const side = subject.type === "answer" ? "answer" : "request";
  const change = (id: string, type: "request" | "answer"): void => {
    const own = subject.type !== "conversation" && subject.runId === id ? subject : undefined;
    const { messageId } = own ?? turns.find((each) => each.runId === id) ?? {};
    onChange(messageId === undefined ? { type: "conversation" } : { type, runId: id, messageId });
  };
  return (
    <div className={styles["subject"]}>
      <label>
        <span>Show</span>
        <select value={runId} onChange={({ target }) => change(target.value, side)}>
          <option value="">The conversation</option>
          {/* Somebody has made another branch the active one. */}
          {runId !== "" && !turns.some((turn) => turn.runId === runId) && (
            <option value={runId}>A call of another branch</option>
          )}
          <optgroup label="One call">
            {turns.map((turn, index) => (
              <option key={turn.runId} value={turn.runId} label={turnLabel(turn, index)} />
            ))}
          </optgroup>
        </select>
      </label>
      {runId !== "" && (
        <div role="radiogroup" aria-label="Side of the call" className={styles["sides"]}>
          {(["request", "answer"] as const).map((each) => (
            <label key={each}>
              <input type="radio" name="side" checked={side === each} onChange={() => change(runId, each)} />
              {each === "request" ? "What was asked" : "What was answered"}
            </label>
          ))}
        </div>
      )}
    </div>
  );
}

interface CodeButtonProps {
  translation: Translation;
  /** In which the call was made. */
  dialect: string;
  query: SubjectQuery;
  /** Not everything is shown. */
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

/** Code is of the whole conversation, however much of it is shown. */
function WholeCodeDialog({ query, ...rest }: Omit<CodeButtonProps, "isPart"> & { onClose: () => void }) {
  const whole = useSubject(query);
  return <CodeDialog {...rest} whole={whole} />;
}
