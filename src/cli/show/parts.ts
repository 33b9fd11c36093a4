// Shows the parts of a message on a page: text in full, the first lines of long reasoning, tool inputs and results, and
// media as one line.
import type {
  Annotation,
  MediaPart,
  Part,
  ReasoningPart,
  Seal,
  ToolCallPart,
  ToolResultPart,
} from "../../model/index.ts";
import { isObject } from "../../model/index.ts";
import { stringifyJson } from "../../model/index.ts";
import { formatBytes } from "./format-numbers.ts";
import type { TextPage } from "./page.ts";
import { escapeToLine } from "./escape-unsafe.ts";

export interface PartDisplayOptions {
  page: TextPage;
  /** True if long parts are shown in full instead of their first lines. */
  full: boolean;
  /** The tool results that are shown below their calls. */
  results: ReadonlyMap<ToolCallPart, ToolResultPart>;
}

const MAX_FOLDED_LINES = { reasoning: 3, input: 6, output: 8, opaque: 2 } as const;

export function showPart(part: Part, indent: number, options: PartDisplayOptions): void {
  const { page } = options;
  switch (part.type) {
    case "text":
      page.addText(part.text, indent);
      part.annotations?.forEach((annotation, index) => showAnnotation(annotation, index + 1, indent, page));
      return;
    case "reasoning":
      return showReasoning(part, indent, options);
    case "refusal":
      return page.addText(part.text, indent, { firstLinePrefix: "refusal: ", style: "red" });
    case "tool-call":
      return showCall(part, indent, options);
    case "tool-result":
      return showResult(part, indent, options);
    case "image":
    case "audio":
    case "video":
    case "file":
      return showMedia(part, indent, options);
    case "opaque":
      return page.addText(stringifyJson(part.value), indent, {
        firstLinePrefix: `[${escapeToLine(part.dialect)}] `,
        style: "dim",
        ...limitLines("opaque", options),
      });
    default:
      return page.addLine(`[part of unknown type: ${stringifyJson(part)}]`, indent, "dim");
  }
}

function limitLines(partKind: keyof typeof MAX_FOLDED_LINES, { full }: PartDisplayOptions): { maxLines?: number } {
  return full ? {} : { maxLines: MAX_FOLDED_LINES[partKind] };
}

function showReasoning(part: ReasoningPart, indent: number, options: PartDisplayOptions): void {
  const { text, summary = [], seals = [] } = part;
  const reasoning = [text, ...summary].filter((each) => each !== "").join("\n\n");
  const display = { firstLinePrefix: "┊ ", linePrefix: "┊ ", style: ["dim", "italic"] as const };
  if (reasoning !== "")
    options.page.addText(reasoning, indent, {
      ...display,
      style: [...display.style],
      ...limitLines("reasoning", options),
    });
  const isHidden = reasoning === "" && !seals.some(({ kind }) => kind === "redacted");
  const remarks = [...(isHidden ? ["reasoning without text"] : []), ...seals.map(describeSeal)];
  if (remarks.length > 0) options.page.addLine(`┊ (${remarks.join(", ")})`, indent, "dim");
}

const SEAL_DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ["signature", "signed by"],
  ["encrypted", "encrypted by"],
  ["redacted", "redacted by"],
]);

/** Returns a phrase such as "signed by anthropic". */
function describeSeal({ kind, provider, dialect }: Seal): string {
  return `${SEAL_DESCRIPTIONS.get(kind) ?? `${kind} of`} ${provider ?? dialect}`;
}

function showAnnotation(annotation: Annotation, number: number, indent: number, page: TextPage): void {
  const { title, url, fileId, source, citedText } = annotation;
  const where = [title, url ?? fileId ?? source].filter((each) => each !== undefined).join(" — ");
  page.addLine(`[${number}] ${where === "" ? annotation.kind : where}`, indent, "blue");
  if (citedText !== undefined) page.addLine(`    “${citedText}”`, indent, "dim");
}

/**
 * Formats a value. Text is returned unchanged. An object with multiline text is formatted field by field, because JSON
 * would escape the line breaks. Any other value is formatted as JSON: the original text `exact`, if it is given.
 */
function formatValue(value: unknown, exact?: string): string {
  if (typeof value === "string") return value;
  if (!isObject(value) || !Object.values(value).some(isMultilineText)) return exact ?? stringifyJson(value);
  return Object.entries(value)
    .map(([key, field]) => {
      if (!isMultilineText(field)) return `${key}: ${typeof field === "string" ? field : stringifyJson(field)}`;
      return `${key}:\n${field.trimEnd().replaceAll(/^/gm, "  ")}`;
    })
    .join("\n");
}

function isMultilineText(value: unknown): value is string {
  return typeof value === "string" && value.includes("\n");
}

function showCall(call: ToolCallPart, indent: number, options: PartDisplayOptions): void {
  const { page, results } = options;
  const remarks = [
    call.executor === "provider" ? "run by the provider" : "",
    call.invalid === true ? "invalid arguments" : "",
    call.toolCallId,
  ].filter((remark) => remark !== "");
  page.addLine(`→ ${call.toolName}  (${remarks.join(", ")})`, indent, "yellow");
  const input = formatValue(call.input, call.inputText);
  if (input !== "" && input !== "{}") page.addText(input, indent + 2, limitLines("input", options));
  const result = results.get(call);
  if (result !== undefined) showOutput(result, indent, options, "←");
}

/** Shows a tool result whose call is not in the shown messages. */
function showResult(result: ToolResultPart, indent: number, options: PartDisplayOptions): void {
  const id = result.toolCallId === "" ? "no id" : result.toolCallId;
  showOutput(result, indent, options, `← ${result.toolName}  (${id}, no matching call)`);
}

function showOutput(result: ToolResultPart, indent: number, options: PartDisplayOptions, prefix: string): void {
  const { output, content = [], isError } = result;
  const text = output === undefined ? "" : formatValue(output);
  const style = isError ? ("red" as const) : ("green" as const);
  const head = isError ? `${prefix} failed` : prefix;
  if (prefix !== "←" || isError || text === "")
    options.page.addLine(text === "" && content.length === 0 ? `${head} (empty)` : head, indent, style);
  const isOneLine = prefix === "←" && !isError;
  if (text !== "")
    options.page.addText(text, isOneLine ? indent : indent + 2, {
      ...(isOneLine && { firstLinePrefix: "← " }),
      style,
      ...limitLines("output", options),
    });
  for (const part of content) showPart(part, indent + 2, options);
}

function showMedia(part: MediaPart, indent: number, options: PartDisplayOptions): void {
  const { mimeType, name, size, url, data, text, fileId, path, blob, content } = part;
  const details = [
    mimeType,
    name,
    size === undefined ? undefined : formatBytes(size),
    data === undefined ? undefined : formatBytes(Math.floor((data.length * 3) / 4)),
    url,
    fileId === undefined ? undefined : `file ${fileId}`,
    path,
    blob === undefined ? undefined : `blob ${blob}`,
    part.type === "audio" && part.transcript !== undefined ? `“${part.transcript}”` : undefined,
  ].filter((detail) => detail !== undefined);
  options.page.addLine(`[${[part.type, ...details].join(", ")}]`, indent, "magenta");
  if (text !== undefined) options.page.addText(text, indent + 2, { style: "dim", ...limitLines("output", options) });
  for (const inner of content ?? []) showPart(inner, indent + 2, options);
}
