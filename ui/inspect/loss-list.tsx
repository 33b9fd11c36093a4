// Shows a list of losses. Equal losses at several paths are combined into one entry with all paths.
import type { Loss } from "koine";
import { groupLosses } from "../translate/loss-groups.ts";
import { describeLoss, formatPaths } from "../translate/loss-labels.ts";
import styles from "./inspect-view.module.css";

export function LossList({ losses }: { losses: readonly Loss[] }) {
  return (
    <ul className={styles["losses"]}>
      {groupLosses(losses).map(({ loss, paths }) => (
        <li key={`${loss.code} ${loss.path}`} data-level={loss.level}>
          <strong>{loss.level}</strong> <code>{loss.code}</code> {describeLoss(loss, "at", formatPaths(paths))}{" "}
          {loss.message}
        </li>
      ))}
    </ul>
  );
}
