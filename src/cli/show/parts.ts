// The parts of a message on a page: text as it is, reasoning folded, calls with their results below, media in a word.
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
import { bytes } from "./numbers.ts";
import type { Page } from "./page.ts";
import { visibleLine } from "./visible.ts";

export interface PartView {
  page: Page;
  /** Nothing is folded. */
  full: boolean;
  /** The results that are shown below their calls. */
  results: ReadonlyMap<ToolCallPart, ToolResultPart>;
}

const FOLDED = { reasoning: 3, input: 6, output: 8, opaque: 2 } as const;

export function showPart(part: Part, indent: number, view: PartView): void {
  const { page } = view;
  switch (part.type) {
    case "text":
      page.add(part.text, indent);
      part.annotations?.forEach((annotation, index) => showAnnotation(annotation, index + 1, indent, page));
      return;
    case "reasoning":
      return showReasoning(part, indent, view);
    case "refusal":
      return page.add(part.text, indent, { mark: "refuses: ", style: "red" });
    case "tool-call":
      return showCall(part, indent, view);
    case "tool-result":
      return showResult(part, indent, view);
    case "image":
    case "audio":
    case "video":
    case "file":
      return showMedia(part, indent, view);
    case "opaque":
      return page.add(stringifyJson(part.value), indent, {
        mark: `[${visibleLine(part.dialect)}] `,
        style: "dim",
        ...most("opaque", view),
      });
    default:
      return page.line(`[a part of an unknown type: ${stringifyJson(part)}]`, indent, "dim");
  }
}

function most(what: keyof typeof FOLDED, { full }: PartView): { most?: number } {
  return full ? {} : { most: FOLDED[what] };
}

function showReasoning(part: ReasoningPart, indent: number, view: PartView): void {
  const { text, summary = [], seals = [] } = part;
  const thoughts = [text, ...summary].filter((each) => each !== "").join("\n\n");
  const block = { mark: "┊ ", rail: "┊ ", style: ["dim", "italic"] as const };
  if (thoughts !== "")
    view.page.add(thoughts, indent, { ...block, style: [...block.style], ...most("reasoning", view) });
  const isHidden = thoughts === "" && !seals.some(({ kind }) => kind === "redacted");
  const remarks = [...(isHidden ? ["reasoning without a text"] : []), ...seals.map(sealWords)];
  if (remarks.length > 0) view.page.line(`┊ (${remarks.join(", ")})`, indent, "dim");
}

const SEAL_WORDS: ReadonlyMap<string, string> = new Map([
  ["signature", "signed by"],
  ["encrypted", "encrypted by"],
  ["redacted", "redacted by"],
]);

/** "signed by anthropic". */
function sealWords({ kind, provider, dialect }: Seal): string {
  return `${SEAL_WORDS.get(kind) ?? `${kind} of`} ${provider ?? dialect}`;
}

function showAnnotation(annotation: Annotation, number: number, indent: number, page: Page): void {
  const { title, url, fileId, source, citedText } = annotation;
  const where = [title, url ?? fileId ?? source].filter((each) => each !== undefined).join(" — ");
  page.line(`[${number}] ${where === "" ? annotation.kind : where}`, indent, "blue");
  if (citedText !== undefined) page.line(`    “${citedText}”`, indent, "dim");
}

/** A value as text: JSON, or field by field where that would hide the line breaks of a text. */
function readable(value: unknown, exact?: string): string {
  if (typeof value === "string") return value;
  if (!isObject(value) || !Object.values(value).some(hasLines)) return exact ?? stringifyJson(value);
  return Object.entries(value)
    .map(([key, field]) => {
      if (!hasLines(field)) return `${key}: ${typeof field === "string" ? field : stringifyJson(field)}`;
      return `${key}:\n${field.trimEnd().replaceAll(/^/gm, "  ")}`;
    })
    .join("\n");
}

function hasLines(value: unknown): value is string {
  return typeof value === "string" && value.includes("\n");
}

function showCall(call: ToolCallPart, indent: number, view: PartView): void {
  const { page, results } = view;
  const remarks = [
    call.executor === "provider" ? "run by the provider" : "",
    call.invalid === true ? "its arguments cannot be read" : "",
    call.toolCallId,
  ].filter((remark) => remark !== "");
  page.line(`→ ${call.toolName}  (${remarks.join(", ")})`, indent, "yellow");
  const input = readable(call.input, call.inputText);
  if (input !== "" && input !== "{}") page.add(input, indent + 2, most("input", view));
  const result = results.get(call);
  if (result !== undefined) showOutput(result, indent, view, "←");
}

/** A result by itself: the call that it answers is elsewhere, or nowhere. */
function showResult(result: ToolResultPart, indent: number, view: PartView): void {
  const id = result.toolCallId === "" ? "no id" : result.toolCallId;
  showOutput(result, indent, view, `← ${result.toolName}  (${id}, no call before it)`);
}

function showOutput(result: ToolResultPart, indent: number, view: PartView, mark: string): void {
  const { output, content = [], isError } = result;
  const text = output === undefined ? "" : readable(output);
  const style = isError ? ("red" as const) : ("green" as const);
  const head = isError ? `${mark} failed` : mark;
  if (mark !== "←" || isError || text === "")
    view.page.line(text === "" && content.length === 0 ? `${head} (empty)` : head, indent, style);
  const isShort = mark === "←" && !isError;
  if (text !== "")
    view.page.add(text, isShort ? indent : indent + 2, {
      ...(isShort && { mark: "← " }),
      style,
      ...most("output", view),
    });
  for (const part of content) showPart(part, indent + 2, view);
}

function showMedia(part: MediaPart, indent: number, view: PartView): void {
  const { mimeType, name, size, url, data, text, fileId, path, blob, content } = part;
  const words = [
    mimeType,
    name,
    size === undefined ? undefined : bytes(size),
    data === undefined ? undefined : bytes(Math.floor((data.length * 3) / 4)),
    url,
    fileId === undefined ? undefined : `file ${fileId}`,
    path,
    blob === undefined ? undefined : `blob ${blob}`,
    part.type === "audio" && part.transcript !== undefined ? `“${part.transcript}”` : undefined,
  ].filter((word) => word !== undefined);
  view.page.line(`[${[part.type, ...words].join(", ")}]`, indent, "magenta");
  if (text !== undefined) view.page.add(text, indent + 2, { style: "dim", ...most("output", view) });
  for (const inner of content ?? []) showPart(inner, indent + 2, view);
}
