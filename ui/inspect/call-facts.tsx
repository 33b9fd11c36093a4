// What really happened on the wire: who was asked, how often, what it cost, and what did not arrive.
import { useEffect, useState } from "react";
import { useApi } from "../data/hooks.ts";
import type { Run } from "../data/types.ts";
import { Disclosure, formatCost, formatDate, formatDuration, formatTokens } from "../kit/index.ts";
import { tallyOf, tallyWords } from "../json/marks.ts";
import { SPEAKER_NAMES } from "../translate/names.ts";
import { attemptFacts, textOfField } from "./attempts.ts";
import styles from "./inspect-view.module.css";
import { LossList } from "./loss-list.tsx";

/** In which a call was made; "" where that is not known. */
export function dialectOf(run: Run | undefined): string {
  return run === undefined ? "" : textOfField(run.metadata, "dialect");
}

export function CallFacts({ run }: { run: Run }) {
  const { metadata, attempts, losses, usage, error } = run;
  const dialect = dialectOf(run);
  const facts: [name: string, value: string][] = [
    [
      "Asked in",
      dialect === "" ? "" : (Object.entries(SPEAKER_NAMES).find(([id]) => id === dialect)?.[1].title ?? dialect),
    ],
    ["Answered by", [textOfField(metadata, "provider"), textOfField(metadata, "model")].filter(Boolean).join(", ")],
    ["Client", textOfField(metadata, "userAgent")],
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
    <section aria-label="What happened" className={styles["facts"]}>
      <dl>
        {facts.map(([name, value]) => value !== "" && <Fact key={name} name={name} value={value} />)}
        {attempts.map((attempt, at) => (
          // Attempts have no names; they never change their order.
          // oxlint-disable-next-line react/no-array-index-key
          <Fact key={`attempt ${at}`} name={`Attempt ${at + 1}`} value={attemptFacts(attempt, formatDuration)} />
        ))}
      </dl>
      {losses.length > 0 && (
        <Disclosure summary={`Recorded with the call: ${tallyWords(tallyOf(losses))}`}>
          <LossList losses={losses} />
        </Disclosure>
      )}
    </section>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** A call that cannot be read has no facts to show; what it asked and answered says why. */
export function useRun(id: string | undefined): Run | undefined {
  const api = useApi();
  const [run, setRun] = useState<Run>();
  useEffect(() => {
    if (id === undefined) return undefined;
    let isWanted = true;
    api.run(id).then(
      (found) => isWanted && setRun(found),
      () => isWanted && setRun(undefined),
    );
    return () => void (isWanted = false);
  }, [api, id]);
  return run !== undefined && run.id === id ? run : undefined;
}
