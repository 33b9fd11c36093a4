// Where a chat or a task begins.
import { Composer } from "./composer.tsx";
import styles from "./new-view.module.css";

export function NewView() {
  return (
    <div className={styles["view"]}>
      <h1>New conversation</h1>
      <Composer />
    </div>
  );
}
