// An address that leads nowhere.
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
        <h1>There is nothing at this address</h1>
        <p>
          <Link href={ROUTES.home}>Go to the beginning</Link>
        </p>
      </div>
    </Titled>
  );
}
