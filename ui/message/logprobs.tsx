// Shows a collapsed list of the log probabilities of an answer's tokens.
import type { Logprob } from "koine";
import { formatCount } from "../kit/index.ts";
import { escapeInvisible } from "../markdown/safe-url.ts";
import { LazyFold } from "./lazy-fold.tsx";
import styles from "./message.module.css";

/** Maximum number of listed tokens. */
const MAX_TOKENS = 500;
/** Maximum number of listed alternatives per token. */
const MAX_ALTERNATIVES = 20;

export function Logprobs({ logprobs }: { logprobs: readonly Logprob[] | undefined }) {
  if (logprobs === undefined || logprobs.length === 0) return null;
  return (
    <LazyFold summary={`Token probabilities (${formatCount(logprobs.length)})`}>
      {() => (
        <>
          <ol className={styles["tokens"]}>
            {logprobs.slice(0, MAX_TOKENS).map((each, index) => (
              <li key={index} title={formatAlternatives(each)}>
                <code>{formatToken(each.token)}</code> {formatPercent(each)}
              </li>
            ))}
          </ol>
          {logprobs.length > MAX_TOKENS && <p>{formatCount(logprobs.length - MAX_TOKENS)} more are not listed.</p>}
        </>
      )}
    </LazyFold>
  );
}

function formatToken(token: string): string {
  return escapeInvisible(token, 60).replaceAll(" ", "␣");
}

function formatPercent({ logprob }: Logprob): string {
  const share = Math.exp(logprob) * 100;
  return Number.isFinite(share) ? `${share >= 99.95 ? "100" : share.toFixed(1)} %` : "?";
}

function formatAlternatives({ top }: Logprob): string | undefined {
  if (top === undefined || top.length === 0) return undefined;
  const lines = top.slice(0, MAX_ALTERNATIVES).map((each) => `${formatToken(each.token)} ${formatPercent(each)}`);
  if (top.length > MAX_ALTERNATIVES) lines.push(`${top.length - MAX_ALTERNATIVES} more`);
  return lines.join("\n");
}
