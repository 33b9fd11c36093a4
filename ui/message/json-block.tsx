// Shows a code block with formatted JSON. The digits of numbers stay as written.
import { stringifyJson } from "koine";
import { useMemo } from "react";
import { CodeBlock } from "../markdown/code-block.tsx";
import { ShowAllButton } from "../markdown/show-all-button.tsx";
import { usePartialText } from "../markdown/use-partial-text.ts";
import { prettyJson } from "./pretty-json.ts";

export interface JsonBlockProps {
  label: string;
  /** JSON text, which may be incomplete; any text if `plain` is true. */
  text: string;
  streaming?: boolean;
  /** True if the text is not JSON; then it is shown unchanged. */
  plain?: boolean;
}

export function JsonBlock({ label, text, streaming = false, plain = false }: JsonBlockProps) {
  const shown = usePartialText(text, streaming);
  const formatted = useMemo(() => (plain ? shown.text : prettyJson(shown.text)), [shown.text, plain]);
  return (
    <>
      <CodeBlock text={formatted} language={plain ? "" : "json"} label={label} growing={streaming} isLow />
      <ShowAllButton shown={shown} />
    </>
  );
}

/** Returns the JSON text of a value; a placeholder if the value cannot be represented as JSON. */
export function toJsonText(value: unknown): string {
  try {
    return value === undefined ? "null" : stringifyJson(value);
  } catch {
    return '"(This value cannot be represented as JSON.)"';
  }
}
