// The results of calls: what a tool gave back, and what the model is told where none did.
import type { SchemaIssue } from "../client/index.ts";
import { checkMessages } from "../ledger/check.ts";
import { parseJson, stringifyJson, toolResult } from "../model/index.ts";
import type { Message, Part, ToolCallPart, ToolResultOptions, ToolResultPart } from "../model/index.ts";
import { isToolOutput } from "./tool.ts";

function resultPart(call: ToolCallPart, output: unknown, options: ToolResultOptions = {}): ToolResultPart {
  // The constructor makes a message of this one part.
  return toolResult(call, output, options).parts[0] as ToolResultPart;
}

export function errorResult(call: ToolCallPart, text: string): ToolResultPart {
  return resultPart(call, text, { isError: true });
}

/** What a tool returned, as its result. What cannot be recorded becomes an error that says so: the tool has run. */
export function resultOf(call: ToolCallPart, returned: unknown): ToolResultPart {
  try {
    const { output, content, isError } = isToolOutput(returned) ? returned : { output: returned };
    const options: ToolResultOptions = { isError: isError === true };
    // Whether they are parts is checked below.
    if (content !== undefined) options.content = plainJson(content) as Part[];
    // A tool that returns nothing has an empty result, which is one (B27).
    const said = output === undefined && content === undefined ? "" : plainJson(output);
    const part = resultPart(call, said, options);
    checkMessages([{ role: "tool", parts: [part] }], "");
    return part;
  } catch (error) {
    return errorResult(call, `The tool has run, but what it returned cannot be recorded: ${messageOf(error)}`);
  }
}

/** The value as it will be read back: a date as its text, a class instance as its fields. Exact digits stay. */
function plainJson(value: unknown): unknown {
  return value === undefined || typeof value === "string" ? value : parseJson(stringifyJson(value));
}

/** What a tool threw, as its result. */
export function thrownResult(call: ToolCallPart, thrown: unknown): ToolResultPart {
  return errorResult(call, messageOf(thrown));
}

export function messageOf(thrown: unknown): string {
  if (typeof thrown === "string" && thrown !== "") return thrown;
  if (thrown instanceof Error) return thrown.message === "" ? thrown.name : thrown.message;
  try {
    return `Something that is no error was thrown: ${stringifyJson(thrown)}`;
  } catch {
    return "Something that is no error was thrown.";
  }
}

// ---- What the model is told of calls that gave no result of their own ----

/** The arguments were cut off or cannot be read (B31). */
export function unreadable(call: ToolCallPart, { metadata }: Message): ToolResultPart {
  const reason = metadata?.invalidToolCalls?.find(({ toolCallId }) => toolCallId === call.toolCallId)?.reason;
  const what = reason === undefined ? "The call was cut off" : `The arguments cannot be read (${reason})`;
  return errorResult(call, `${what}, so the tool was not run. Make the call again, whole.`);
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
