// Losses as a list: how grave, what they are called, what they are about. A long conversation loses the same thing many
// times: it is told once, with its places.
import type { Loss } from "koine";
import { groupLosses } from "../translate/loss-groups.ts";
import { aboutWords, placesWords } from "../translate/words.ts";
import styles from "./inspect-view.module.css";

export function LossList({ losses }: { losses: readonly Loss[] }) {
  return (
    <ul className={styles["losses"]}>
      {groupLosses(losses).map(({ loss, paths }) => (
        <li key={`${loss.code} ${loss.path}`} data-level={loss.level}>
          <strong>{loss.level}</strong> <code>{loss.code}</code> {aboutWords(loss, "at", placesWords(paths))}{" "}
          {loss.message}
        </li>
      ))}
    </ul>
  );
}
