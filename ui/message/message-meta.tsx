// Shows the metadata line of a message: model, usage, finish reason, losses and time.
import type { Message, StoredMessage, Usage } from "koine";
import { memo, type ReactNode } from "react";
import { formatCost, formatTokens, Icon, RelativeTime } from "../kit/index.ts";
import { escapeInvisible } from "../markdown/safe-url.ts";
import styles from "./meta.module.css";
import { describeFinish, describeProvider } from "./message-labels.ts";

export interface MessageMetaProps {
  message: Message | StoredMessage;
  /** True if the model is already shown elsewhere; then this line omits it. */
  isModelShown?: boolean | undefined;
  /** Number of losses of the model call that produced the message, and a function that shows them. */
  losses?: { count: number; show: () => void } | undefined;
  /** Reason why the answer was interrupted; undefined if it is unknown. */
  reason?: string | undefined;
}

export const MessageMeta = memo(function MessageMeta({ message, isModelShown, losses, reason }: MessageMetaProps) {
  const { model, usage, finishReason, interrupted } = message.metadata ?? {};
  const isAnswer = message.role === "assistant";
  const finishLabel = interrupted === true ? undefined : describeFinish(finishReason);
  const details: ReactNode[] = [];
  const add = (key: string, content: ReactNode, kind?: "warn"): void => {
    details.push(
      <MetaDetail key={key} kind={kind}>
        {content}
      </MetaDetail>,
    );
  };
  if (interrupted === true) add("interrupted", <InterruptedDetail reason={reason} />, "warn");
  if (finishLabel !== undefined) add("ended", <FinishDetail label={finishLabel} raw={finishReason?.raw} />, "warn");
  if (isAnswer && isModelShown !== true && typeof model === "string") {
    add("model", <ModelDetail model={model} from={describeProvider(message)} />);
  }
  if (isAnswer && usage !== undefined) add("usage", <UsageDetail usage={usage} />);
  if (losses !== undefined && losses.count > 0) add("losses", <LossButton {...losses} />);
  if ("createdAt" in message) add("time", <RelativeTime value={message.createdAt} />);
  return details.length === 0 ? null : <footer className={styles["meta"]}>{details}</footer>;
});

function MetaDetail({ kind, children }: { kind: "warn" | undefined; children: ReactNode }) {
  return (
    <span className={styles["fact"]} data-kind={kind}>
      {children}
    </span>
  );
}

function InterruptedDetail({ reason }: { reason: string | undefined }) {
  return (
    <>
      <Icon name="warning" size={14} /> interrupted{reason !== undefined && `: ${escapeInvisible(reason, 200)}`}
    </>
  );
}

function FinishDetail({ label, raw }: { label: string; raw: string | undefined }) {
  return (
    <span title={raw === undefined ? undefined : escapeInvisible(raw, 80)}>
      <Icon name="info" size={14} /> {label}
    </span>
  );
}

function ModelDetail({ model, from }: { model: string; from: string | undefined }) {
  return (
    <bdi className={styles["model"]} title={from}>
      {escapeInvisible(model, 80)}
    </bdi>
  );
}

function LossButton({ count, show }: { count: number; show: () => void }) {
  return (
    <button type="button" className={styles["losses"]} onClick={show}>
      {count === 1 ? "1 loss" : `${count} losses`}
    </button>
  );
}

/** Returns the token counts for the tooltip: total, cache and reasoning, one per line. */
function formatUsageDetails(usage: Usage): string {
  const { cacheReadTokens, cacheWriteTokens, reasoningTokens, totalTokens } = usage;
  const counts: readonly [string, number | undefined][] = [
    ["in total", totalTokens],
    ["read from a cache", cacheReadTokens],
    ["written to a cache", cacheWriteTokens],
    ["of reasoning", reasoningTokens],
  ];
  return counts.flatMap(([label, count]) => (count === undefined ? [] : [`${count} tokens ${label}`])).join("\n");
}

function UsageDetail({ usage }: { usage: Usage }) {
  const { inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0, cost } = usage;
  const extraCounts = [
    cacheReadTokens > 0 && `${formatTokens(cacheReadTokens)} cached`,
    reasoningTokens > 0 && `${formatTokens(reasoningTokens)} reasoning`,
  ].filter(Boolean);
  return (
    <span title={formatUsageDetails(usage)}>
      {formatTokens(inputTokens)} in, {formatTokens(outputTokens)} out
      {extraCounts.length > 0 && ` (${extraCounts.join(", ")})`}
      {cost !== undefined && <span className={styles["cost"]}> · {formatCost(cost)}</span>}
    </span>
  );
}
