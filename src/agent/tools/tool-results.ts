// Creates the results of tool calls: from the return value of a tool, or as an error for the model if there is no
// return value.
import type { SchemaIssue } from "../../client/index.ts";
import { assertStorableMessages } from "../../ledger/index.ts";
import { KoineError } from "../../model/errors.ts";
import { stringifyJson, toolResult, validate } from "../../model/index.ts";
import type { Message, Part, ToolCallPart, ToolResultOptions, ToolResultPart } from "../../model/index.ts";
import { toPlainJson } from "./plain-json.ts";
import { isToolOutput } from "./tool.ts";

function resultPart(call: ToolCallPart, output: unknown, options: ToolResultOptions = {}): ToolResultPart {
  // The cast is safe, because `toolResult` returns a message with exactly this part.
  return toolResult(call, output, options).parts[0] as ToolResultPart;
}

export function errorResult(call: ToolCallPart, text: string): ToolResultPart {
  return resultPart(call, text.toWellFormed(), { isError: true });
}

/** Converts the return value of a tool to a result. A value that cannot be recorded becomes an error result. */
export function toToolResult(call: ToolCallPart, returned: unknown): ToolResultPart {
  try {
    const { output, content, isError } = isToolOutput(returned) ? returned : { output: returned };
    const parts = content === undefined ? undefined : checkContent(content);
    const isFailure = output instanceof Error;
    const options: ToolResultOptions = { isError: isError === true || isFailure };
    if (parts !== undefined) options.content = parts;
    // A tool that returns undefined has an empty result (B27).
    const value =
      output === undefined && parts === undefined ? "" : isFailure ? describeThrown(output) : toPlainJson(output);
    const part = resultPart(call, value, options);
    assertStorableMessages([{ role: "tool", parts: [part] }], "");
    return part;
  } catch (error) {
    return unrecordableResult(call, error);
  }
}

/** Creates the result of a tool that ran but whose return value cannot be recorded. */
export function unrecordableResult(call: ToolCallPart, reason: unknown): ToolResultPart {
  return errorResult(call, `The tool ran, but its return value cannot be recorded: ${describeThrown(reason)}`);
}

/**
 * Returns the content parts of an output, which must be valid in a user message; undefined for an empty list. Throws
 * for an invalid part.
 */
function checkContent(content: unknown): Part[] | undefined {
  if (!Array.isArray(content)) throw new TypeError("`content` must be a list of parts.");
  if (content.length === 0) return undefined;
  const parts = toPlainJson(content) as Part[]; // The cast is safe, because `validate` checks the parts.
  const issue = validate({ role: "user", parts }).find(({ code }) => code !== "unknown-field");
  if (issue === undefined) return parts;
  const reason =
    issue.code === "role-part" ? "Only text, images, audio, video and files are allowed in a result." : issue.message;
  throw new TypeError(`At "${issue.path.replace("/parts", "/content")}": ${reason}`);
}

/** Returns the ids of the blobs that parts refer to, at any depth. */
export function findBlobs(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    const blobs = "blob" in part && part.blob !== undefined ? [part.blob] : [];
    return "content" in part && part.content !== undefined ? [...blobs, ...findBlobs(part.content)] : blobs;
  });
}

/** Creates the result of a tool that threw. */
export function thrownResult(call: ToolCallPart, thrown: unknown): ToolResultPart {
  return errorResult(call, describeThrown(thrown));
}

/** Describes an exception of any type, even if its getters throw. */
export function describeThrown(thrown: unknown): string {
  try {
    if (typeof thrown === "string" && thrown !== "") return thrown;
    if (thrown instanceof Error) return describeWithCauses(thrown);
    return `A value that is not an error was thrown: ${stringifyJson(thrown)}`;
  } catch {
    return "A value that is not an error was thrown.";
  }
}

/** The number of nested causes that are described. */
const MAX_CAUSES = 4;

/**
 * Returns the message of an error with the messages of its causes, because "fetch failed" alone is not helpful. Koine's
 * own errors already contain the messages of their causes.
 */
function describeWithCauses(error: Error): string {
  let text = readErrorText(error);
  let each: Error = error;
  for (let count = 0; count < MAX_CAUSES && !(each instanceof KoineError) && each.cause instanceof Error; count++) {
    each = each.cause;
    const causeText = readErrorText(each);
    if (!text.includes(causeText)) text += `: ${causeText}`;
  }
  return text;
}

function readErrorText(error: Error): string {
  // At run time, the fields of a thrown error can have any type.
  const { message, name, code }: { message: unknown; name: unknown; code?: unknown } = error;
  if (typeof message === "string" && message !== "") return message;
  if (typeof message === "object" && message !== null) return stringifyJson(message);
  return [code, name].find((each): each is string => typeof each === "string" && each !== "") ?? "Error";
}

/** True if a tool threw because its signal was aborted. */
export function isAbortError(thrown: unknown, signal: AbortSignal): boolean {
  try {
    return thrown === signal.reason || (thrown instanceof Error && /^(?:Abort|Timeout)Error$/.test(thrown.name));
  } catch {
    return false;
  }
}

// ---- Error results for calls without a return value ----

/** Creates the result of a call whose arguments were truncated or cannot be parsed (B31). */
export function unreadableArgumentsResult(call: ToolCallPart, { metadata }: Message): ToolResultPart {
  const reason = metadata?.invalidToolCalls?.find(({ toolCallId }) => toolCallId === call.toolCallId)?.reason;
  const fault = reason === undefined ? "The call was truncated" : `The arguments cannot be parsed (${reason})`;
  return errorResult(call, `${fault}, so the tool was not run. Repeat the complete call.`);
}

/**
 * Creates the result of a call in an answer that a filter, a refusal or an error stopped, so that the call may be
 * incomplete.
 */
export function stoppedAnswerResult(call: ToolCallPart, { metadata }: Message): ToolResultPart {
  const why = metadata?.finishReason?.unified ?? "error";
  return errorResult(call, `The answer that made this call was stopped (${why}), so the tool was not run.`);
}

export function unknownToolResult(call: ToolCallPart, names: readonly string[]): ToolResultPart {
  const list = names.length === 0 ? "There are no tools." : `The tools are: ${names.join(", ")}.`;
  return errorResult(call, `There is no tool "${call.toolName}". ${list}`);
}

export function invalidArgumentsResult(call: ToolCallPart, issues: readonly SchemaIssue[]): ToolResultPart {
  const lines = issues.map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`);
  return errorResult(
    call,
    [`The arguments do not match the schema of the tool "${call.toolName}", so it was not run:`, ...lines].join("\n"),
  );
}

export function notApprovedResult(call: ToolCallPart, reason: string): ToolResultPart {
  return errorResult(call, reason === "" ? "This call was not approved, so the tool was not run." : reason);
}

/** Creates the result of a call that was running when its process died and must not be repeated. */
export function interruptedResult(call: ToolCallPart): ToolResultPart {
  return errorResult(
    call,
    "The call was interrupted after the tool had started. Whether it took effect is unknown; it was not run again.",
  );
}

export function cancelledResult(call: ToolCallPart, hasStarted: boolean): ToolResultPart {
  return errorResult(
    call,
    hasStarted
      ? "The call was cancelled while the tool ran. Whether it took effect is unknown."
      : "The call was cancelled before the tool started; it was not run.",
  );
}

export function timedOutResult(call: ToolCallPart, ms: number): ToolResultPart {
  return errorResult(
    call,
    `The tool did not finish within ${ms / 1000} s, and its signal was aborted. Whether the call took effect is unknown.`,
  );
}
