// Shows a message for unknown URLs.
import { Link } from "wouter";
import { Icon } from "../kit/index.ts";
import { ROUTES } from "../routes.ts";
import styles from "./lazy-view.module.css";
import { Titled } from "./page-title.tsx";

export function NotFound() {
  return (
    <Titled title="Not found">
      <div className={styles["centre"]}>
        <Icon name="search" size={28} />
        <h1>This page does not exist</h1>
        <p>
          <Link href={ROUTES.home}>Home</Link>
        </p>
      </div>
    </Titled>
  );
}
