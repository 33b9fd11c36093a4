// What is known of the call behind a message: who was asked, how often, what it cost, and what did not arrive.
import { useEffect, useState, type ReactNode } from "react";
import type { Loss } from "koine";
import { useApi } from "../data/hooks.ts";
import type { Run } from "../data/types.ts";
import { Dialog, formatCost, formatCount, formatDate, formatDuration, Spinner } from "../kit/index.ts";
import styles from "./run-dialog.module.css";

export function RunDialog({ runId, onClose }: { runId: string; onClose: () => void }) {
  const api = useApi();
  const [run, setRun] = useState<Run>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    api.run(runId).then(
      (found) => isWanted && setRun(found),
      (error: unknown) => isWanted && setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => void (isWanted = false);
  }, [api, runId]);
  return (
    <Dialog open onClose={onClose} title="Run" wide>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {run === undefined && failure === undefined && <Spinner label="Loading the run" />}
      {run !== undefined && <RunFacts run={run} />}
    </Dialog>
  );
}

function RunFacts({ run }: { run: Run }) {
  return (
    <div className={styles["run"]}>
      <dl className={styles["facts"]}>
        {factsOf(run).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {run.error !== undefined && (
        <p className={styles["error"]}>
          <strong>{run.error.kind}</strong>: {run.error.message}
        </p>
      )}
      <Attempts attempts={run.attempts} />
      <Losses losses={run.losses} />
    </div>
  );
}

const STATES: Record<Run["state"], string> = {
  created: "begun",
  streaming: "under way",
  committed: "finished",
  failed: "failed",
  cancelled: "stopped",
  superseded: "finished, and replaced by another",
};

function factsOf({ id, state, createdAt, finishedAt, usage, metadata }: Run): [string, ReactNode][] {
  const word = (name: string): string | undefined => {
    const value = metadata[name];
    return typeof value === "string" ? value : undefined;
  };
  const took = finishedAt === undefined ? undefined : Date.parse(finishedAt) - Date.parse(createdAt);
  const facts: [string, ReactNode | undefined][] = [
    ["State", STATES[state]],
    ["Provider", word("provider")],
    ["Model", word("model")],
    ["Asked in", word("dialect")],
    ["Began", formatDate(createdAt)],
    ["Took", took === undefined || Number.isNaN(took) ? undefined : formatDuration(took)],
    ["Tokens in", usage && formatCount(usage.inputTokens)],
    ["of them from the cache", usage?.cacheReadTokens && formatCount(usage.cacheReadTokens)],
    ["Tokens out", usage && formatCount(usage.outputTokens)],
    ["of them reasoning", usage?.reasoningTokens && formatCount(usage.reasoningTokens)],
    ["Cost", usage?.cost === undefined ? undefined : formatCost(usage.cost)],
    ["Run", <code key="id">{id}</code>],
  ];
  return facts.filter((fact): fact is [string, ReactNode] => fact[1] !== undefined && fact[1] !== 0);
}

function Attempts({ attempts }: { attempts: Run["attempts"] }) {
  if (attempts.length === 0) return null;
  return (
    <section>
      <h3>{attempts.length === 1 ? "One attempt" : `${attempts.length} attempts`}</h3>
      <ol className={styles["list"]}>
        {attempts.map((each, at) => (
          // Attempts have no name of their own, and never change.
          <li key={at}>{attemptWords(each)}</li>
        ))}
      </ol>
    </section>
  );
}

/** Whom, how long, and how it ended; whatever else is known stands behind it as it is. */
function attemptWords(attempt: Run["attempts"][number]): string {
  const { provider, model, startedAt: _, durationMs, error, ...rest } = attempt;
  const told = [`${wordOf(provider)}/${wordOf(model)}`];
  if (typeof durationMs === "number") told.push(formatDuration(durationMs));
  for (const [name, value] of Object.entries(rest)) told.push(`${name}: ${wordOf(value)}`);
  if (typeof error === "object" && error !== null) {
    // As the server writes errors.
    const { kind, message } = error as { kind?: unknown; message?: unknown };
    told.push(`${wordOf(kind)}: ${wordOf(message)}`);
  }
  return told.join(" · ");
}

function wordOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function Losses({ losses }: { losses: readonly Loss[] }) {
  return (
    <section>
      <h3>{losses.length === 0 ? "Nothing was lost" : `Losses: ${losses.length}`}</h3>
      {losses.length > 0 && (
        <ul className={styles["list"]}>
          {losses.map(({ path, action, level, code, message }) => (
            <li key={`${path} ${code} ${message}`}>
              <strong data-level={level}>{level}</strong> {message} <code>{path === "" ? "/" : path}</code> ({action})
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
