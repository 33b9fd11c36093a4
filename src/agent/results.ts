// The results of calls: what a tool gave back, and what the model is told where none did.
import type { SchemaIssue } from "../client/index.ts";
import { checkMessages } from "../ledger/index.ts";
import { KoineError } from "../model/errors.ts";
import { stringifyJson, toolResult, validate } from "../model/index.ts";
import type { Message, Part, ToolCallPart, ToolResultOptions, ToolResultPart } from "../model/index.ts";
import { plainJson } from "./plain-json.ts";
import { isToolOutput } from "./tool.ts";

function resultPart(call: ToolCallPart, output: unknown, options: ToolResultOptions = {}): ToolResultPart {
  // The constructor makes a message of this one part.
  return toolResult(call, output, options).parts[0] as ToolResultPart;
}

export function errorResult(call: ToolCallPart, text: string): ToolResultPart {
  return resultPart(call, text.toWellFormed(), { isError: true });
}

/** What a tool returned, as its result. What cannot be recorded becomes an error that says so: the tool has run. */
export function resultOf(call: ToolCallPart, returned: unknown): ToolResultPart {
  try {
    const { output, content, isError } = isToolOutput(returned) ? returned : { output: returned };
    const parts = content === undefined ? undefined : contentOf(content);
    const isFailure = output instanceof Error;
    const options: ToolResultOptions = { isError: isError === true || isFailure };
    if (parts !== undefined) options.content = parts;
    // A tool that returns nothing has an empty result, which is one (B27).
    const said = output === undefined && parts === undefined ? "" : isFailure ? messageOf(output) : plainJson(output);
    const part = resultPart(call, said, options);
    checkMessages([{ role: "tool", parts: [part] }], "");
    return part;
  } catch (error) {
    return unrecordable(call, error);
  }
}

/** The tool has run, and nobody can be told what it gave. */
export function unrecordable(call: ToolCallPart, reason: unknown): ToolResultPart {
  return errorResult(call, `The tool has run, but what it returned cannot be recorded: ${messageOf(reason)}`);
}

/** The parts that go with an output: what a user could say, too. Undefined where there are none. */
function contentOf(content: unknown): Part[] | undefined {
  if (!Array.isArray(content)) throw new TypeError("`content` must be a list of parts.");
  if (content.length === 0) return undefined;
  const parts = plainJson(content) as Part[]; // checked here
  const issue = validate({ role: "user", parts }).find(({ code }) => code !== "unknown-field");
  if (issue === undefined) return parts;
  const reason =
    issue.code === "role-part" ? "Text, images, audio, video and files can go with a result." : issue.message;
  throw new TypeError(`At "${issue.path.replace("/parts", "/content")}": ${reason}`);
}

/** The blobs that parts name. */
export function blobsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    const blobs = "blob" in part && part.blob !== undefined ? [part.blob] : [];
    return "content" in part && part.content !== undefined ? [...blobs, ...blobsOf(part.content)] : blobs;
  });
}

/** What a tool threw, as its result. */
export function thrownResult(call: ToolCallPart, thrown: unknown): ToolResultPart {
  return errorResult(call, messageOf(thrown));
}

/** The words of whatever was thrown; anything can be, and its getters may throw too. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === "string" && thrown !== "") return thrown;
    if (thrown instanceof Error) return withCauses(thrown);
    return `Something that is no error was thrown: ${stringifyJson(thrown)}`;
  } catch {
    return "Something that is no error was thrown.";
  }
}

/** How many causes are told. */
const CAUSES = 4;

/** "fetch failed" helps nobody; why it did stands in the cause. Koine's own errors say all that a model should hear. */
function withCauses(error: Error): string {
  let told = wordsOf(error);
  let each: Error = error;
  for (let count = 0; count < CAUSES && !(each instanceof KoineError) && each.cause instanceof Error; count++) {
    each = each.cause;
    const words = wordsOf(each);
    if (!told.includes(words)) told += `: ${words}`;
  }
  return told;
}

function wordsOf(error: Error): string {
  // What the types promise, nobody holds whoever throws to.
  const { message, name, code }: { message: unknown; name: unknown; code?: unknown } = error;
  if (typeof message === "string" && message !== "") return message;
  if (typeof message === "object" && message !== null) return stringifyJson(message);
  return [code, name].find((word): word is string => typeof word === "string" && word !== "") ?? "Error";
}

/** Whether a tool threw because it was told to stop. */
export function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  try {
    return thrown === signal.reason || (thrown instanceof Error && /^(?:Abort|Timeout)Error$/.test(thrown.name));
  } catch {
    return false;
  }
}

// ---- What the model is told of calls that gave no result of their own ----

/** The arguments were cut off or cannot be read (B31). */
export function unreadable(call: ToolCallPart, { metadata }: Message): ToolResultPart {
  const reason = metadata?.invalidToolCalls?.find(({ toolCallId }) => toolCallId === call.toolCallId)?.reason;
  const what = reason === undefined ? "The call was cut off" : `The arguments cannot be read (${reason})`;
  return errorResult(call, `${what}, so the tool was not run. Make the call again, whole.`);
}

/** The answer was stopped, by a filter or an error: what it asks for may be half of what was meant. */
export function notMeant(call: ToolCallPart, { metadata }: Message): ToolResultPart {
  const why = metadata?.finishReason?.unified ?? "error";
  return errorResult(call, `The answer that made this call was stopped (${why}), so the tool was not run.`);
}

export function unknownTool(call: ToolCallPart, names: readonly string[]): ToolResultPart {
  const there = names.length === 0 ? "There are no tools." : `The tools are: ${names.join(", ")}.`;
  return errorResult(call, `There is no tool "${call.toolName}". ${there}`);
}

export function wrongArguments(call: ToolCallPart, issues: readonly SchemaIssue[]): ToolResultPart {
  const lines = issues.map(({ path, message }) => `- ${path === "" ? "" : `${path}: `}${message}`);
  return errorResult(
    call,
    [`The arguments do not fit the tool "${call.toolName}", so it was not run:`, ...lines].join("\n"),
  );
}

export function notApproved(call: ToolCallPart, reason: string): ToolResultPart {
  return errorResult(call, reason === "" ? "This call was not allowed, and the tool was not run." : reason);
}

/** It had begun when its process died, and its tool may not be repeated. */
export function interrupted(call: ToolCallPart): ToolResultPart {
  return errorResult(
    call,
    "The call was interrupted after the tool had begun. Whether it took effect is not known; it was not run again.",
  );
}

export function cancelled(call: ToolCallPart, hasBegun: boolean): ToolResultPart {
  return errorResult(
    call,
    hasBegun
      ? "The call was cancelled while the tool ran. Whether it took effect is not known."
      : "The call was cancelled before the tool began; it was not run.",
  );
}

export function timedOut(call: ToolCallPart, ms: number): ToolResultPart {
  return errorResult(
    call,
    `The tool did not finish within ${ms / 1000} s and was told to stop. Whether it took effect is not known.`,
  );
}
