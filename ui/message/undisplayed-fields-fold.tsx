// Shows a collapsed section with the fields of a message that the page does not display elsewhere.
import type { Message } from "koine";
import { useMemo } from "react";
import { JsonBlock, toJsonText } from "./json-block.tsx";
import { LazyFold } from "./lazy-fold.tsx";
import styles from "./message.module.css";
import { listUndisplayedFields } from "./undisplayed-fields.ts";

export function UndisplayedFieldsFold({ message }: { message: Message }) {
  const fields = useMemo(() => listUndisplayedFields(message), [message]);
  if (fields === undefined) return null;
  return (
    <LazyFold summary="Other stored fields" className={styles["also"]}>
      {() => <JsonBlock label="Other stored fields" text={toJsonText(fields)} />}
    </LazyFold>
  );
}
