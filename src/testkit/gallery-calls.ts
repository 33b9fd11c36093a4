// Calls and results that do not fit together, or fit in an unusual way.
import type { Message } from "../model/message.ts";
import { assistant, user } from "../model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../model/parts.ts";

export function call(number: number, beside: Partial<ToolCallPart> = {}): ToolCallPart {
  const input = { place: `Place number ${number}` };
  return { type: "tool-call", toolCallId: `call_number_${number}`, toolName: "look_up", input, ...beside };
}
export function result(number: number, beside: Partial<ToolResultPart> = {}): ToolResultPart {
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
export function tool(...parts: ToolResultPart[]): Message {
  return { role: "tool", parts };
}
export function calling(calls: readonly Part[], ...after: Message[]): Message[] {
  return [user("Please look it up."), assistant(calls), ...after];
}

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

const BIG = '{"big": 9007199254740993, "also": 1.10000000000000000001}';

/** The conversations, each with a name. */
export const CALLS: readonly [name: string, messages: Message[]][] = [
  [
    "parallel results out of order",
    calling([call(1), call(2), call(3)], tool(result(3), result(1), result(2)), user("Thanks.")),
  ],
  [
    "results in a message each",
    calling([call(1), call(2)], tool(result(1)), tool(result(2)), assistant("Both are here.")),
  ],
  ["a call without a result", calling([call(1), call(2)], tool(result(2)), user("What about the first?"))],
  ["calls without results at the end", calling([call(1), call(2)])],
  ["a result without a call", [user("A question."), tool(result(7)), assistant("An answer.")]],
  [
    "two results for a call",
    calling([call(1)], tool(result(1), result(1, { output: "Another output." })), user("Which?")),
  ],
  [
    "an invalid call",
    calling(
      [call(1, { input: '{"cut": "off', inputText: '{"cut": "off', invalid: true })],
      tool(result(1, { isError: true })),
    ),
  ],
  [
    "integers beyond doubles",
    calling([call(1, { input: { big: 9007199254740992, also: 1.1 }, inputText: BIG })], tool(result(1))),
  ],
  [
    "free-form input",
    calling(
      [call(1, { toolName: "free_form", input: "some free text", format: "text" })],
      tool(result(1, { toolName: "free_form", format: "text" })),
    ),
  ],
  [
    "ids that a target refuses",
    calling(
      [call(1, { toolCallId: "an id / of 64 characters or more, with everything in it: äöü ✓ {}" })],
      tool(result(1, { toolCallId: "an id / of 64 characters or more, with everything in it: äöü ✓ {}" })),
    ),
  ],
  [
    "a name that a target refuses",
    calling([call(1, { toolName: "name.with dots/äöü" })], tool(result(1, { toolName: "name.with dots/äöü" }))),
  ],
  [
    "an error, an empty output and none",
    calling(
      [call(1), call(2), call(3)],
      tool(result(1, { isError: true }), result(2, { output: "" }), noOutput(3)),
      user("And?"),
    ),
  ],
  [
    "outputs that are no text",
    calling(
      [call(1), call(2), call(3)],
      tool(
        result(1, { output: { deep: ["value", 12345] } }),
        result(2, { output: [1, "two"] }),
        result(3, { output: null }),
      ),
      user("And?"),
    ),
  ],
  [
    "an image in a result",
    calling(
      [call(1)],
      tool(
        result(1, {
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
        call(1, { executor: "provider", tool: "web_search" }),
        result(1, { executor: "provider", tool: "web_search" }),
        { type: "text", text: "Found." },
      ]),
      user("Thanks."),
    ],
  ],
];

function noOutput(number: number): ToolResultPart {
  const { output: _, ...rest } = result(number);
  return rest;
}
