// The sources that a text cites, by the numbers that stand in it.
import type { Annotation } from "koine";
import { useMemo } from "react";
import { cite } from "../markdown/citations.ts";
import { SafeLink } from "../markdown/link.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import styles from "./message.module.css";

/** Characters of the cited words that are shown. */
const MOST = 400;

export function SourceList({ annotations, text }: { annotations: readonly Annotation[] | undefined; text: string }) {
  const sources = useMemo(() => cite(text, annotations).sources, [annotations, text]);
  if (sources.length === 0) return null;
  return (
    <LazyFold summary={`Sources (${sources.length})`} open={sources.length <= 5} className={styles["sources"]}>
      {() => (
        <ol className={styles["sourceList"]}>
          {sources.map(({ number, title, href, host, cited }) => (
            <li key={number}>
              {href === undefined ? (
                title
              ) : (
                <SafeLink href={href} words={title}>
                  {title}
                </SafeLink>
              )}
              {host !== "" && <span className={styles["aside"]}> {host}</span>}
              {cited.map((words) => (
                <blockquote key={words} className={styles["cited"]}>
                  {words.length > MOST ? `${words.slice(0, MOST)}… (${words.length - MOST} more characters)` : words}
                </blockquote>
              ))}
            </li>
          ))}
        </ol>
      )}
    </LazyFold>
  );
}
