// A JSON value or text, laid out for reading, digits as they were written.
import { stringifyJson } from "koine";
import { useMemo } from "react";
import { CodeBlock } from "../markdown/code-block.tsx";
import { RestOfText } from "../markdown/long-text.tsx";
import { useShown } from "../markdown/shown.ts";
import { prettyJson } from "./pretty-json.ts";

export interface JsonBlockProps {
  label: string;
  /** Its text; laid out where it is JSON. */
  text: string;
  streaming?: boolean;
  /** It is no JSON: shown as it is. */
  plain?: boolean;
}

export function JsonBlock({ label, text, streaming = false, plain = false }: JsonBlockProps) {
  const shown = useShown(text, streaming);
  const laidOut = useMemo(() => (plain ? shown.text : prettyJson(shown.text)), [shown.text, plain]);
  return (
    <>
      <CodeBlock text={laidOut} language={plain ? "" : "json"} label={label} growing={streaming} low />
      <RestOfText shown={shown} />
    </>
  );
}

/** The text of any value. What has no JSON form is said to have none. */
export function jsonText(value: unknown): string {
  try {
    return value === undefined ? "null" : stringifyJson(value);
  } catch {
    return '"(This value has no JSON form.)"';
  }
}
