// Shows the view at /new, which starts a chat or a task.
import { NewConversation } from "./new-conversation.tsx";
import styles from "./new-view.module.css";

export function NewView() {
  return (
    <div className={styles["view"]}>
      <h1>New conversation</h1>
      <NewConversation />
    </div>
  );
}
