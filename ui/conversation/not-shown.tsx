// In the place of a conversation: it is being loaded, is not there, or could not be read.
import { Link } from "wouter";
import type { ConversationState } from "../data/types.ts";
import { Button, Icon, Spinner } from "../kit/index.ts";
import { ROUTES } from "../routes.ts";
import styles from "./conversation-view.module.css";

export function NotShown({ state }: { state: ConversationState }) {
  const { status, error } = state;
  if (status === "missing") {
    return (
      <div className={styles["notShown"]}>
        <Icon name="search" size={28} />
        <h1>This conversation is not here</h1>
        <p>It was deleted, or it belongs to somebody else.</p>
        <Link href={ROUTES.home}>To the beginning</Link>
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
