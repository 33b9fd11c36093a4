// Shows why a payload could not be read, with the position of the error.
import { Button, Icon } from "../kit/index.ts";
import { JsonView } from "../json/json-view.tsx";
import { createExcerpt } from "./excerpt.ts";
import styles from "./translate-view.module.css";
import type { ReadFailure } from "./types.ts";

export interface ReadFailureProps {
  failure: ReadFailure;
  text: string | undefined;
  /** Moves the text cursor to the position of the error; undefined if the payload is not editable text. */
  onGoTo: ((line: number, column: number) => void) | undefined;
}

export function ReadFailureView({ failure, text, onGoTo }: ReadFailureProps) {
  const { message, line, column, wire, wireLine } = failure;
  const position = line === undefined || column === undefined ? undefined : { line, column };
  return (
    <section aria-label="Error" className={styles["wrong"]}>
      <div role="alert" className={styles["alert"]}>
        <Icon name="error" />
        <p>
          {position !== undefined && (
            <strong>
              Line {position.line}, column {position.column}:{" "}
            </strong>
          )}
          {message}
        </p>
        {position !== undefined && onGoTo !== undefined && (
          <Button small onClick={() => onGoTo(position.line, position.column)}>
            Go there
          </Button>
        )}
      </div>
      {position !== undefined && text !== undefined && <ExcerptView text={text} {...position} />}
      {wire !== undefined && (
        <div className={styles["wire"]}>
          <JsonView
            document={wire}
            label="The decoded payload"
            marks={[{ ids: ["wrong"], line: wireLine ?? 0, level: "breaks", code: "unreadable", message, context: "" }]}
            selection={["wrong"]}
          />
        </div>
      )}
    </section>
  );
}

function ExcerptView({ text, line, column }: { text: string; line: number; column: number }) {
  return (
    <pre className={styles["excerpt"]} aria-hidden="true">
      {createExcerpt(text, line, column).map(({ number, text: shown, caret }) => (
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
