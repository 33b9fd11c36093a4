// Shows the result of a tool: text, JSON, media or an error.
import type { ToolResultPart } from "koine";
import type { ReactNode } from "react";
import { Icon } from "../kit/index.ts";
import { escapeInvisible } from "../markdown/safe-url.ts";
import { JsonBlock, toJsonText } from "./json-block.tsx";
import { NestedParts } from "./nested-parts.tsx";
import { looksLikeJson } from "./pretty-json.ts";
import styles from "./tool.module.css";

/** Shows the output of a tool: text or JSON, nested parts, or a note if there is neither. */
export function ToolOutput({ result }: { result: ToolResultPart }): ReactNode {
  const { output, content, isError } = result;
  const label = isError ? "Error" : "Result";
  const isText = typeof output === "string";
  const text = output === undefined ? undefined : isText ? output : toJsonText(output);
  const isEmpty = (text === undefined || text === "") && (content === undefined || content.length === 0);
  return (
    <div className={styles["output"]} data-error={isError}>
      {text !== undefined && text !== "" && (
        <JsonBlock label={label} text={text} plain={isText && !looksLikeJson(text)} />
      )}
      {content !== undefined && content.length > 0 && <NestedParts parts={content} />}
      {isEmpty && (
        <p className={styles["empty"]}>
          {isError ? "The tool failed without a message." : "The tool returned nothing."}
        </p>
      )}
    </div>
  );
}

/**
 * Shows a result in its own card, because no call has its id, or because its call already has another result
 * (`isDouble`).
 */
export function UnpairedResult({
  result,
  isDouble: isDuplicate = false,
}: {
  result: ToolResultPart;
  isDouble?: boolean;
}) {
  const name = escapeInvisible(result.toolName === "" ? "a tool" : result.toolName, 80);
  return (
    <div className={styles["card"]} role="group" aria-label={`Result of ${name}`}>
      <header className={styles["head"]}>
        <Icon name={result.isError ? "error" : "tool"} size={16} />
        <span className={styles["name"]}>{name}</span>
        {isDuplicate && <span className={styles["fact"]}>another result for this call</span>}
        <span className={styles["state"]} data-kind={result.isError ? "bad" : "good"}>
          {result.isError ? "Failed" : "Result"}
        </span>
      </header>
      <div className={styles["inside"]}>
        <ToolOutput result={result} />
      </div>
    </div>
  );
}
