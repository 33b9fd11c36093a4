// What of a message has no place of its own in the page, folded below it.
import type { Message } from "koine";
import { useMemo } from "react";
import { JsonBlock, jsonText } from "./json-block.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import styles from "./message.module.css";
import { unseenOf } from "./unseen.ts";

export function AlsoRecorded({ message }: { message: Message }) {
  const facts = useMemo(() => unseenOf(message), [message]);
  if (facts === undefined) return null;
  return (
    <LazyFold summary="Also recorded" className={styles["also"]}>
      {() => <JsonBlock label="Also recorded" text={jsonText(facts)} />}
    </LazyFold>
  );
}
