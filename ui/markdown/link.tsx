// Links of messages: they lead where they say, in another tab, and are no links where that is not safe.
import { createContext, type ReactNode, use } from "react";
import { isDeceptive, readLink, visible } from "./address.ts";
import type { Source } from "./citations.ts";
import styles from "./inline.module.css";

/** `words`: its words as plain text, which may look like an address of their own. */
export function SafeLink({ href, words, children }: { href: string; words: string; children: ReactNode }) {
  const address = readLink(href);
  if (address === undefined) {
    const shown = visible(href);
    return (
      <span>
        <bdi>{children}</bdi>
        {words.trim() !== href.trim() && <span className={styles["dead"]}> ({shown})</span>}
      </span>
    );
  }
  return (
    <a
      href={address.href}
      data-address={visible(address.href)}
      className={styles["link"]}
      target="_blank"
      rel="noopener noreferrer nofollow"
    >
      <bdi>{children}</bdi>
      {isDeceptive(words, address) && <span className={styles["dead"]}> ({visible(address.host)})</span>}
    </a>
  );
}

export const Sources = createContext<readonly Source[]>([]);

/** The number of a source, where it is cited. */
export function CitationMark({ number }: { number: number }) {
  const source = use(Sources)[number - 1];
  if (source === undefined) return null;
  const label = `Source ${number}: ${source.title}`;
  return (
    <sup className={styles["mark"]}>
      {source.href === undefined ? (
        <span title={label}>{number}</span>
      ) : (
        <a
          href={source.href}
          data-address={visible(source.href)}
          aria-label={label}
          className={styles["link"]}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          {number}
        </a>
      )}
    </sup>
  );
}
