// Shows links in messages. A link opens in another tab, shows its real host if its text is deceptive, and is rendered
// as plain text if its URL is unsafe.
import { createContext, type ReactNode, use } from "react";
import { isDeceptive, parseLinkUrl, escapeInvisible } from "./safe-url.ts";
import type { CitedSource } from "./citations.ts";
import styles from "./inline.module.css";

/** Renders a link. `linkText` is the content of the link as plain text, which may look like another URL. */
export function SafeLink({ href, linkText, children }: { href: string; linkText: string; children: ReactNode }) {
  const url = parseLinkUrl(href);
  if (url === undefined) {
    const visibleHref = escapeInvisible(href);
    return (
      <span>
        <bdi>{children}</bdi>
        {linkText.trim() !== href.trim() && <span className={styles["dead"]}> ({visibleHref})</span>}
      </span>
    );
  }
  return (
    <a
      href={url.href}
      data-address={escapeInvisible(url.href)}
      className={styles["link"]}
      target="_blank"
      rel="noopener noreferrer nofollow"
    >
      <bdi>{children}</bdi>
      {isDeceptive(linkText, url) && <span className={styles["dead"]}> ({escapeInvisible(url.host)})</span>}
    </a>
  );
}

export const SourcesContext = createContext<readonly CitedSource[]>([]);

/** Shows the number of a cited source, with a link to the source. */
export function CitationMark({ sourceNumber }: { sourceNumber: number }) {
  const source = use(SourcesContext)[sourceNumber - 1];
  if (source === undefined) return null;
  const label = `Source ${sourceNumber}: ${source.title}`;
  return (
    <sup className={styles["mark"]}>
      {source.href === undefined ? (
        <span title={label}>{sourceNumber}</span>
      ) : (
        <a
          href={source.href}
          data-address={escapeInvisible(source.href)}
          aria-label={label}
          className={styles["link"]}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          {sourceNumber}
        </a>
      )}
    </sup>
  );
}
