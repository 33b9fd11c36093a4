// One thread of the list.
import { memo } from "react";
import { Link } from "wouter";
import type { Thread } from "../data/types.ts";
import { Icon, Menu, RelativeTime, VisuallyHidden } from "../kit/index.ts";
import { threadPath } from "../routes.ts";
import { MarkedText } from "./marked-text.tsx";
import { nameOf } from "../data/names.ts";
import { factsOf, plainSnippet, type Row } from "./rows.ts";
import styles from "./threads.module.css";

export interface ThreadRowProps extends Row {
  current: boolean;
  /** Whether Tab reaches this row; arrow keys reach the others. */
  reachable: boolean;
  search: string;
  onRename: (thread: Thread) => void;
  onDelete: (thread: Thread) => void;
}

export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const { thread, hits, current, reachable, search, onRename, onDelete } = props;
  const name = nameOf(thread);
  const tabIndex = reachable ? 0 : -1;
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
            <MarkedText text={name} search={search} />
          </span>
          <RelativeTime value={thread.summary?.updatedAt ?? thread.createdAt} className={styles["when"]} />
        </span>
        <Facts thread={thread} />
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
                <MarkedText text={plainSnippet(snippet)} search={search} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
});

function Facts({ thread }: { thread: Thread }) {
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
      {factsOf(thread).map((fact, at) => (
        <span key={fact} title={at === 0 ? summary?.models.join(", ") : undefined}>
          {fact}
        </span>
      ))}
    </span>
  );
}
