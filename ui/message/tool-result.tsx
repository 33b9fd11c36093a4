// What came back from a tool: text, JSON, media, or an error.
import type { ToolResultPart } from "koine";
import type { ReactNode } from "react";
import { Icon } from "../kit/index.ts";
import { visible } from "../markdown/address.ts";
import { JsonBlock, jsonText } from "./json-block.tsx";
import { NestedParts } from "./nested.tsx";
import { looksLikeJson } from "./pretty-json.ts";
import styles from "./tool.module.css";

/** The result within the card of its call. */
export function ToolOutput({ result }: { result: ToolResultPart }): ReactNode {
  const { output, content, isError } = result;
  const label = isError ? "Error" : "Result";
  const isText = typeof output === "string";
  const text = output === undefined ? undefined : isText ? output : jsonText(output);
  const nothing = (text === undefined || text === "") && (content === undefined || content.length === 0);
  return (
    <div className={styles["output"]} data-error={isError}>
      {text !== undefined && text !== "" && (
        <JsonBlock label={label} text={text} plain={isText && !looksLikeJson(text)} />
      )}
      {content !== undefined && content.length > 0 && <NestedParts parts={content} />}
      {nothing && <p className={styles["empty"]}>{isError ? "It failed without a word." : "It gave back nothing."}</p>}
    </div>
  );
}

/** A result whose call is not shown with it. */
export function LoneResult({ result, isDouble = false }: { result: ToolResultPart; isDouble?: boolean }) {
  const name = visible(result.toolName === "" ? "a tool" : result.toolName, 80);
  return (
    <div className={styles["card"]} role="group" aria-label={`Result of ${name}`}>
      <header className={styles["head"]}>
        <Icon name={result.isError ? "error" : "tool"} size={16} />
        <span className={styles["name"]}>{name}</span>
        {isDouble && <span className={styles["fact"]}>another result for this call</span>}
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
