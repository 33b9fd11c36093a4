// How likely every token was, folded.
import type { Logprob } from "koine";
import { formatCount } from "../kit/index.ts";
import { visible } from "../markdown/address.ts";
import { LazyFold } from "./lazy-fold.tsx";
import styles from "./message.module.css";

/** Tokens that are listed; there is one for every few letters. */
const MOST = 500;
/** Tokens that could have stood in its place. */
const MOST_OTHERS = 20;

export function Logprobs({ logprobs }: { logprobs: readonly Logprob[] | undefined }) {
  if (logprobs === undefined || logprobs.length === 0) return null;
  return (
    <LazyFold summary={`Token probabilities (${formatCount(logprobs.length)})`}>
      {() => (
        <>
          <ol className={styles["tokens"]}>
            {logprobs.slice(0, MOST).map((each, index) => (
              <li key={index} title={alternatives(each)}>
                <code>{shownToken(each.token)}</code> {percent(each)}
              </li>
            ))}
          </ol>
          {logprobs.length > MOST && <p>{formatCount(logprobs.length - MOST)} more are not listed.</p>}
        </>
      )}
    </LazyFold>
  );
}

function shownToken(token: string): string {
  return visible(token, 60).replaceAll(" ", "␣");
}

function percent({ logprob }: Logprob): string {
  const share = Math.exp(logprob) * 100;
  return Number.isFinite(share) ? `${share >= 99.95 ? "100" : share.toFixed(1)} %` : "?";
}

function alternatives({ top }: Logprob): string | undefined {
  if (top === undefined || top.length === 0) return undefined;
  const lines = top.slice(0, MOST_OTHERS).map((each) => `${shownToken(each.token)} ${percent(each)}`);
  if (top.length > MOST_OTHERS) lines.push(`${top.length - MOST_OTHERS} more`);
  return lines.join("\n");
}
