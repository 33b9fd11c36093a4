// Shows the numbered list of sources that a text cites.
import type { Annotation } from "koine";
import { useMemo } from "react";
import { collectCitations } from "../markdown/citations.ts";
import { SafeLink } from "../markdown/link.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import styles from "./message.module.css";

/** Maximum number of characters that are shown of a cited passage. */
const MAX_CITED_LENGTH = 400;

export function SourceList({ annotations, text }: { annotations: readonly Annotation[] | undefined; text: string }) {
  const sources = useMemo(() => collectCitations(text, annotations).sources, [annotations, text]);
  if (sources.length === 0) return null;
  return (
    <LazyFold summary={`Sources (${sources.length})`} open={sources.length <= 5} className={styles["sources"]}>
      {() => (
        <ol className={styles["sourceList"]}>
          {sources.map(({ number, title, href, host, citedTexts }) => (
            <li key={number}>
              {href === undefined ? (
                title
              ) : (
                <SafeLink href={href} linkText={title}>
                  {title}
                </SafeLink>
              )}
              {host !== "" && <span className={styles["aside"]}> {host}</span>}
              {citedTexts.map((citedText) => (
                <blockquote key={citedText} className={styles["cited"]}>
                  {citedText.length > MAX_CITED_LENGTH
                    ? `${citedText.slice(0, MAX_CITED_LENGTH)}… (${citedText.length - MAX_CITED_LENGTH} more characters)`
                    : citedText}
                </blockquote>
              ))}
            </li>
          ))}
        </ol>
      )}
    </LazyFold>
  );
}
