// Why a payload could not be read, at the place where it could not.
import { Button, Icon } from "../kit/index.ts";
import { JsonView } from "../json/json-view.tsx";
import { excerptOf } from "./excerpt.ts";
import styles from "./translate-view.module.css";
import type { ReadFailure } from "./types.ts";

export interface ReadFailureProps {
  failure: ReadFailure;
  text: string | undefined;
  /** Puts the cursor there. */
  onGo: ((line: number, column: number) => void) | undefined;
}

export function ReadFailureView({ failure, text, onGo }: ReadFailureProps) {
  const { message, line, column, wire, wireLine } = failure;
  const place = line === undefined || column === undefined ? undefined : { line, column };
  return (
    <section aria-label="What is wrong" className={styles["wrong"]}>
      <div role="alert" className={styles["alert"]}>
        <Icon name="error" />
        <p>
          {place !== undefined && (
            <strong>
              Line {place.line}, column {place.column}:{" "}
            </strong>
          )}
          {message}
        </p>
        {place !== undefined && onGo !== undefined && (
          <Button small onClick={() => onGo(place.line, place.column)}>
            Go there
          </Button>
        )}
      </div>
      {place !== undefined && text !== undefined && <Excerpt text={text} {...place} />}
      {wire !== undefined && (
        <div className={styles["wire"]}>
          <JsonView
            document={wire}
            label="The payload as it was read"
            marks={[
              { ids: ["wrong"], line: wireLine ?? 0, level: "breaks", code: "unreadable", says: message, about: "" },
            ]}
            selection={["wrong"]}
          />
        </div>
      )}
    </section>
  );
}

function Excerpt({ text, line, column }: { text: string; line: number; column: number }) {
  return (
    <pre className={styles["excerpt"]} aria-hidden="true">
      {excerptOf(text, line, column).map(({ number, text: shown, caret }) => (
        <span key={number}>
          <i>{number}</i>
          {shown}
          {"\n"}
          {caret !== undefined && <b>{`${" ".repeat(caret)}▲\n`}</b>}
        </span>
      ))}
    </pre>
  );
}
