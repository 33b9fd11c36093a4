// Losses as a list: how grave, what they are called, what they are about.
import type { Loss } from "koine";
import { aboutWords } from "../translate/words.ts";
import styles from "./inspect-view.module.css";

export function LossList({ losses }: { losses: readonly Loss[] }) {
  return (
    <ul className={styles["losses"]}>
      {losses.map((loss, at) => (
        // Losses have no names; they never change their order.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at} data-level={loss.level}>
          <strong>{loss.level}</strong> <code>{loss.code}</code> {aboutWords(loss, "at")} {loss.message}
        </li>
      ))}
    </ul>
  );
}
