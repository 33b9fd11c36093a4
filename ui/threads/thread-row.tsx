// Shows one row of the thread list.
import { memo } from "react";
import { Link } from "wouter";
import type { ThreadJson } from "../data/types.ts";
import { Icon, Menu, RelativeTime, VisuallyHidden } from "../kit/index.ts";
import { threadPath } from "../routes.ts";
import { HighlightedText } from "./marked-text.tsx";
import { formatThreadName } from "../data/thread-names.ts";
import { listThreadDetails, toPlainText, type ThreadListRow } from "./thread-rows.ts";
import styles from "./threads.module.css";

export interface ThreadRowProps extends ThreadListRow {
  current: boolean;
  /** True if the row is in the tab order; arrow keys move to the other rows. */
  isTabStop: boolean;
  search: string;
  onRename: (thread: ThreadJson) => void;
  onDelete: (thread: ThreadJson) => void;
}

export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const { thread, hits, current, isTabStop, search, onRename, onDelete } = props;
  const name = formatThreadName(thread);
  const tabIndex = isTabStop ? 0 : -1;
  return (
    <div className={styles["row"]} data-current={current}>
      <Link
        href={threadPath(thread.id)}
        className={styles["link"]}
        aria-current={current ? "page" : undefined}
        tabIndex={tabIndex}
        data-thread={thread.id}
      >
        <span className={styles["first"]}>
          <span className={styles["name"]} title={name}>
            <HighlightedText text={name} search={search} />
          </span>
          <RelativeTime value={thread.summary?.updatedAt ?? thread.createdAt} className={styles["when"]} />
        </span>
        <ThreadDetails thread={thread} />
      </Link>
      <Menu
        label={`Actions for ${name}`}
        className={styles["actions"]}
        tabIndex={tabIndex}
        items={[
          { label: "Rename…", icon: "edit", onSelect: () => onRename(thread) },
          { label: "Delete…", icon: "trash", danger: true, onSelect: () => onDelete(thread) },
        ]}
      />
      {hits.length > 0 && (
        <ul className={styles["hits"]} aria-label={`Found in ${name}`}>
          {hits.map(({ messageId, snippet }) => (
            <li key={messageId}>
              <Link href={threadPath(thread.id, messageId)} tabIndex={tabIndex} className={styles["hit"]}>
                <HighlightedText text={toPlainText(snippet)} search={search} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
});

function ThreadDetails({ thread }: { thread: ThreadJson }) {
  const { summary, kind } = thread;
  return (
    <span className={styles["facts"]}>
      {summary !== undefined && summary.live > 0 && (
        <span className={styles["live"]} title="Answering now">
          <VisuallyHidden>Answering now</VisuallyHidden>
        </span>
      )}
      {kind === "task" && (
        <span className={styles["kind"]}>
          <Icon name="spark" size={12} />
          Task
        </span>
      )}
      {listThreadDetails(thread).map((fact, at) => (
        <span key={fact} title={at === 0 ? summary?.models.join(", ") : undefined}>
          {fact}
        </span>
      ))}
    </span>
  );
}
