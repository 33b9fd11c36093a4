// Shows the details of a recorded call: dialect, provider, attempts, usage and losses.
import { useEffect, useState } from "react";
import { useApi } from "../data/hooks.ts";
import type { RunJson } from "../data/types.ts";
import { Disclosure, formatCost, formatDate, formatDuration, formatTokens } from "../kit/index.ts";
import { countMarks, formatMarkCounts } from "../json/document-marks.ts";
import { DIALECT_NAMES } from "../translate/dialect-names.ts";
import { describeAttempt, readTextField } from "./describe-attempt.ts";
import styles from "./inspect-view.module.css";
import { LossList } from "./loss-list.tsx";

/** Returns the dialect of the call; "" if it is unknown. */
export function readDialect(run: RunJson | undefined): string {
  return run === undefined ? "" : readTextField(run.metadata, "dialect");
}

export function CallDetails({ run }: { run: RunJson }) {
  const { metadata, attempts, losses, usage, error } = run;
  const dialect = readDialect(run);
  const details: [name: string, value: string][] = [
    [
      "Dialect",
      dialect === "" ? "" : (Object.entries(DIALECT_NAMES).find(([id]) => id === dialect)?.[1].title ?? dialect),
    ],
    ["Answered by", [readTextField(metadata, "provider"), readTextField(metadata, "model")].filter(Boolean).join(", ")],
    ["Client", readTextField(metadata, "userAgent")],
    ["When", formatDate(run.createdAt)],
    ["State", run.state],
    [
      "Tokens",
      usage === undefined ? "" : `${formatTokens(usage.inputTokens)} in, ${formatTokens(usage.outputTokens)} out`,
    ],
    ["Cost", usage?.cost === undefined ? "" : formatCost(usage.cost)],
    ["Error", error?.message ?? ""],
  ];
  return (
    <section aria-label="Call details" className={styles["facts"]}>
      <dl>
        {details.map(([name, value]) => value !== "" && <CallDetail key={name} name={name} value={value} />)}
        {attempts.map((attempt, at) => (
          // The index is a safe key, because attempts have no id and their order is fixed.
          // oxlint-disable-next-line react/no-array-index-key
          <CallDetail
            key={`attempt ${at}`}
            name={`Attempt ${at + 1}`}
            value={describeAttempt(attempt, formatDuration)}
          />
        ))}
      </dl>
      {losses.length > 0 && (
        <Disclosure summary={`Recorded with the call: ${formatMarkCounts(countMarks(losses))}`}>
          <LossList losses={losses} />
        </Disclosure>
      )}
    </section>
  );
}

function CallDetail({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/**
 * Returns a run; undefined until it is read, or if it cannot be read. The error is not shown here, because the
 * inspector reads the call's content, too, and shows that error.
 */
export function useRun(id: string | undefined): RunJson | undefined {
  const api = useApi();
  const [run, setRun] = useState<RunJson>();
  useEffect(() => {
    if (id === undefined) return undefined;
    let isMounted = true;
    api.run(id).then(
      (loadedRun) => isMounted && setRun(loadedRun),
      () => isMounted && setRun(undefined),
    );
    return () => void (isMounted = false);
  }, [api, id]);
  return run !== undefined && run.id === id ? run : undefined;
}
