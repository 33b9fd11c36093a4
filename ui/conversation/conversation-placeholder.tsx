// Shows a placeholder for a conversation that is loading, does not exist, or could not be read.
import { Link } from "wouter";
import type { ConversationState } from "../data/types.ts";
import { Button, Icon, Spinner } from "../kit/index.ts";
import { ROUTES } from "../routes.ts";
import styles from "./conversation-view.module.css";

export function ConversationPlaceholder({ state }: { state: ConversationState }) {
  const { status, error } = state;
  if (status === "missing") {
    return (
      <div className={styles["notShown"]}>
        <Icon name="search" size={28} />
        <h1>This conversation does not exist</h1>
        <p>It was deleted, or it belongs to another user.</p>
        <Link href={ROUTES.home}>Home</Link>
      </div>
    );
  }
  if (status === "failed") {
    return (
      <div className={styles["notShown"]} role="alert">
        <Icon name="warning" size={28} />
        <h1>The conversation could not be read</h1>
        <p>{error?.message}</p>
        <Button icon="refresh" onClick={() => location.reload()}>
          Try again
        </Button>
      </div>
    );
  }
  return (
    <div className={styles["notShown"]}>
      <Spinner label="Loading the conversation" size={22} />
    </div>
  );
}
