// Creates histories with unusual tool calls: unpaired, repeated, reordered or invalid calls and results.
import type { Message } from "../../model/message.ts";
import { assistant, user } from "../../model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../model/parts.ts";

export function toolCall(number: number, beside: Partial<ToolCallPart> = {}): ToolCallPart {
  const input = { place: `Place number ${number}` };
  return { type: "tool-call", toolCallId: `call_number_${number}`, toolName: "look_up", input, ...beside };
}
export function toolResult(number: number, beside: Partial<ToolResultPart> = {}): ToolResultPart {
  const output = `Output number ${number}.`;
  return {
    type: "tool-result",
    toolCallId: `call_number_${number}`,
    toolName: "look_up",
    isError: false,
    output,
    ...beside,
  };
}
export function toolMessage(...parts: ToolResultPart[]): Message {
  return { role: "tool", parts };
}
export function conversationWithCalls(calls: readonly Part[], ...after: Message[]): Message[] {
  return [user("Please look it up."), assistant(calls), ...after];
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

const EXACT_NUMBERS = '{"big": 9007199254740993, "also": 1.10000000000000000001}';

export const DIFFICULT_TOOL_CALLS: readonly [name: string, messages: Message[]][] = [
  [
    "parallel results out of order",
    conversationWithCalls(
      [toolCall(1), toolCall(2), toolCall(3)],
      toolMessage(toolResult(3), toolResult(1), toolResult(2)),
      user("Thanks."),
    ),
  ],
  [
    "results in a message each",
    conversationWithCalls(
      [toolCall(1), toolCall(2)],
      toolMessage(toolResult(1)),
      toolMessage(toolResult(2)),
      assistant("Both are here."),
    ),
  ],
  [
    "a call without a result",
    conversationWithCalls([toolCall(1), toolCall(2)], toolMessage(toolResult(2)), user("What about the first?")),
  ],
  ["calls without results at the end", conversationWithCalls([toolCall(1), toolCall(2)])],
  ["a result without a call", [user("A question."), toolMessage(toolResult(7)), assistant("An answer.")]],
  [
    "two results for a call",
    conversationWithCalls(
      [toolCall(1)],
      toolMessage(toolResult(1), toolResult(1, { output: "Another output." })),
      user("Which?"),
    ),
  ],
  [
    "an invalid call",
    conversationWithCalls(
      [toolCall(1, { input: '{"cut": "off', inputText: '{"cut": "off', invalid: true })],
      toolMessage(toolResult(1, { isError: true })),
    ),
  ],
  [
    "integers beyond doubles",
    conversationWithCalls(
      [toolCall(1, { input: { big: 9007199254740992, also: 1.1 }, inputText: EXACT_NUMBERS })],
      toolMessage(toolResult(1)),
    ),
  ],
  [
    "free-form input",
    conversationWithCalls(
      [toolCall(1, { toolName: "free_form", input: "some free text", format: "text" })],
      toolMessage(toolResult(1, { toolName: "free_form", format: "text" })),
    ),
  ],
  [
    "ids that a target rejects",
    conversationWithCalls(
      [toolCall(1, { toolCallId: "an id / of 64 characters or more, with everything in it: äöü ✓ {}" })],
      toolMessage(toolResult(1, { toolCallId: "an id / of 64 characters or more, with everything in it: äöü ✓ {}" })),
    ),
  ],
  [
    "a name that a target rejects",
    conversationWithCalls(
      [toolCall(1, { toolName: "name.with dots/äöü" })],
      toolMessage(toolResult(1, { toolName: "name.with dots/äöü" })),
    ),
  ],
  [
    "an error, an empty output and none",
    conversationWithCalls(
      [toolCall(1), toolCall(2), toolCall(3)],
      toolMessage(toolResult(1, { isError: true }), toolResult(2, { output: "" }), resultWithoutOutput(3)),
      user("And?"),
    ),
  ],
  [
    "outputs that are no text",
    conversationWithCalls(
      [toolCall(1), toolCall(2), toolCall(3)],
      toolMessage(
        toolResult(1, { output: { deep: ["value", 12345] } }),
        toolResult(2, { output: [1, "two"] }),
        toolResult(3, { output: null }),
      ),
      user("And?"),
    ),
  ],
  [
    "an image in a result",
    conversationWithCalls(
      [toolCall(1)],
      toolMessage(
        toolResult(1, {
          content: [
            { type: "text", text: "See this." },
            { type: "image", data: PIXEL, mimeType: "image/png" },
          ],
        }),
      ),
      user("And?"),
    ),
  ],
  [
    "a tool of the provider",
    [
      user("Search."),
      assistant([
        toolCall(1, { executor: "provider", tool: "web_search" }),
        toolResult(1, { executor: "provider", tool: "web_search" }),
        { type: "text", text: "Found." },
      ]),
      user("Thanks."),
    ],
  ],
];

function resultWithoutOutput(number: number): ToolResultPart {
  const { output: _, ...rest } = toolResult(number);
  return rest;
}
