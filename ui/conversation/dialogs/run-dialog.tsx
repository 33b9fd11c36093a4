// Shows the dialog with the details of a run: provider, model, attempts, usage and losses.
import { useEffect, useState, type ReactNode } from "react";
import type { Loss } from "koine";
import { useApi } from "../../data/hooks.ts";
import type { RunJson } from "../../data/types.ts";
import { Dialog, formatCost, formatCount, formatDate, formatDuration, Spinner } from "../../kit/index.ts";
import styles from "./run-dialog.module.css";

export function RunDialog({ runId, onClose }: { runId: string; onClose: () => void }) {
  const api = useApi();
  const [run, setRun] = useState<RunJson>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isMounted = true;
    api.run(runId).then(
      (loadedRun) => isMounted && setRun(loadedRun),
      (error: unknown) => isMounted && setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => void (isMounted = false);
  }, [api, runId]);
  return (
    <Dialog open onClose={onClose} title="Run" wide>
      {failure !== undefined && <p role="alert">{failure}</p>}
      {run === undefined && failure === undefined && <Spinner label="Loading the run" />}
      {run !== undefined && <RunDetails run={run} />}
    </Dialog>
  );
}

function RunDetails({ run }: { run: RunJson }) {
  return (
    <div className={styles["run"]}>
      <dl className={styles["facts"]}>
        {listRunFields(run).map(([name, value]) => (
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
      <AttemptList attempts={run.attempts} />
      <RunLossList losses={run.losses} />
    </div>
  );
}

const STATE_LABELS: Record<RunJson["state"], string> = {
  created: "created",
  streaming: "streaming",
  committed: "finished",
  failed: "failed",
  cancelled: "cancelled",
  superseded: "finished, replaced by another run",
};

function listRunFields({ id, state, createdAt, finishedAt, usage, metadata }: RunJson): [string, ReactNode][] {
  const readText = (name: string): string | undefined => {
    const value = metadata[name];
    return typeof value === "string" ? value : undefined;
  };
  const durationMs = finishedAt === undefined ? undefined : Date.parse(finishedAt) - Date.parse(createdAt);
  const fields: [string, ReactNode | undefined][] = [
    ["State", STATE_LABELS[state]],
    ["Provider", readText("provider")],
    ["Model", readText("model")],
    ["Dialect", readText("dialect")],
    ["Started", formatDate(createdAt)],
    ["Duration", durationMs === undefined || Number.isNaN(durationMs) ? undefined : formatDuration(durationMs)],
    ["Tokens in", usage && formatCount(usage.inputTokens)],
    ["Tokens in from cache", usage?.cacheReadTokens && formatCount(usage.cacheReadTokens)],
    ["Tokens out", usage && formatCount(usage.outputTokens)],
    ["Tokens out for reasoning", usage?.reasoningTokens && formatCount(usage.reasoningTokens)],
    ["Cost", usage?.cost === undefined ? undefined : formatCost(usage.cost)],
    ["Run", <code key="id">{id}</code>],
  ];
  return fields.filter((fact): fact is [string, ReactNode] => fact[1] !== undefined && fact[1] !== 0);
}

function AttemptList({ attempts }: { attempts: RunJson["attempts"] }) {
  if (attempts.length === 0) return null;
  return (
    <section>
      <h3>{attempts.length === 1 ? "One attempt" : `${attempts.length} attempts`}</h3>
      <ol className={styles["list"]}>
        {attempts.map((each, at) => (
          // The index is a safe key, because attempts have no id and the list never changes.
          <li key={at}>{describeRunAttempt(each)}</li>
        ))}
      </ol>
    </section>
  );
}

/** Formats an attempt on one line: provider and model, duration, the attempt's other fields, and the error. */
function describeRunAttempt(attempt: RunJson["attempts"][number]): string {
  const { provider, model, startedAt: _, durationMs, error, ...rest } = attempt;
  const details = [`${toText(provider)}/${toText(model)}`];
  if (typeof durationMs === "number") details.push(formatDuration(durationMs));
  for (const [name, value] of Object.entries(rest)) details.push(`${name}: ${toText(value)}`);
  if (typeof error === "object" && error !== null) {
    // The cast states only what is used: `toText` accepts a value of any type.
    const { kind, message } = error as { kind?: unknown; message?: unknown };
    details.push(`${toText(kind)}: ${toText(message)}`);
  }
  return details.join(" · ");
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function RunLossList({ losses }: { losses: readonly Loss[] }) {
  return (
    <section>
      <h3>{losses.length === 0 ? "No losses" : `Losses: ${losses.length}`}</h3>
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
