// The facts of a message on one line: who answered, what it took, how it ended, and when.
import type { Message, StoredMessage, Usage } from "koine";
import { memo, type ReactNode } from "react";
import { formatCost, formatTokens, Icon, RelativeTime } from "../kit/index.ts";
import { visible } from "../markdown/address.ts";
import styles from "./meta.module.css";
import { finishWords, providerWords } from "./words.ts";

export interface MessageMetaProps {
  message: Message | StoredMessage;
  /** Who answered is told elsewhere. */
  named?: boolean | undefined;
  /** What was lost in translation: how much, and where to see it. */
  losses?: { count: number; show: () => void } | undefined;
  /** Why it was interrupted. */
  reason?: string | undefined;
}

export const MessageMeta = memo(function MessageMeta({ message, named, losses, reason }: MessageMetaProps) {
  const { model, usage, finishReason, interrupted } = message.metadata ?? {};
  const isAnswer = message.role === "assistant";
  const ended = interrupted === true ? undefined : finishWords(finishReason);
  const facts: ReactNode[] = [];
  const add = (key: string, content: ReactNode, kind?: "warn"): void => {
    facts.push(
      <Fact key={key} kind={kind}>
        {content}
      </Fact>,
    );
  };
  if (interrupted === true) add("interrupted", <Interrupted reason={reason} />, "warn");
  if (ended !== undefined) add("ended", <Ended words={ended} raw={finishReason?.raw} />, "warn");
  if (isAnswer && named !== true && typeof model === "string") {
    add("model", <Model model={model} from={providerWords(message)} />);
  }
  if (isAnswer && usage !== undefined) add("usage", <UsageFacts usage={usage} />);
  if (losses !== undefined && losses.count > 0) add("losses", <Losses {...losses} />);
  if ("createdAt" in message) add("time", <RelativeTime value={message.createdAt} />);
  return facts.length === 0 ? null : <footer className={styles["meta"]}>{facts}</footer>;
});

function Fact({ kind, children }: { kind: "warn" | undefined; children: ReactNode }) {
  return (
    <span className={styles["fact"]} data-kind={kind}>
      {children}
    </span>
  );
}

function Interrupted({ reason }: { reason: string | undefined }) {
  return (
    <>
      <Icon name="warning" size={14} /> interrupted{reason !== undefined && `: ${visible(reason, 200)}`}
    </>
  );
}

function Ended({ words, raw }: { words: string; raw: string | undefined }) {
  return (
    <span title={raw === undefined ? undefined : visible(raw, 80)}>
      <Icon name="info" size={14} /> {words}
    </span>
  );
}

function Model({ model, from }: { model: string; from: string | undefined }) {
  return (
    <bdi className={styles["model"]} title={from}>
      {visible(model, 80)}
    </bdi>
  );
}

function Losses({ count, show }: { count: number; show: () => void }) {
  return (
    <button type="button" className={styles["losses"]} onClick={show}>
      {count === 1 ? "1 loss" : `${count} losses`}
    </button>
  );
}

/** Counts beside the two main ones, as they are known. */
function details(usage: Usage): string {
  const { cacheReadTokens, cacheWriteTokens, reasoningTokens, totalTokens } = usage;
  const counts: readonly [string, number | undefined][] = [
    ["in total", totalTokens],
    ["read from a cache", cacheReadTokens],
    ["written to a cache", cacheWriteTokens],
    ["of reasoning", reasoningTokens],
  ];
  return counts.flatMap(([words, count]) => (count === undefined ? [] : [`${count} tokens ${words}`])).join("\n");
}

function UsageFacts({ usage }: { usage: Usage }) {
  const { inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0, cost } = usage;
  const asides = [
    cacheReadTokens > 0 && `${formatTokens(cacheReadTokens)} cached`,
    reasoningTokens > 0 && `${formatTokens(reasoningTokens)} reasoning`,
  ].filter(Boolean);
  return (
    <span title={details(usage)}>
      {formatTokens(inputTokens)} in, {formatTokens(outputTokens)} out
      {asides.length > 0 && ` (${asides.join(", ")})`}
      {cost !== undefined && <span className={styles["cost"]}> · {formatCost(cost)}</span>}
    </span>
  );
}
