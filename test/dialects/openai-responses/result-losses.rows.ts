// Rows for losses.test.ts: tool results, the encoded items, and the losses in Responses.
import type { Part, ToolCallPart, ToolResultPart } from "../../../src/model/parts.ts";
import { call, wireResult } from "./item-losses.rows.ts";

/** Results of a plain call. */
export const resultRows: [
  sentence: string,
  result: Partial<ToolResultPart>,
  item: object | undefined,
  losses: string[],
][] = [
  ["a text output", {}, wireResult, []],
  [
    "B27: the error flag of a result is dropped",
    { isError: true },
    wireResult,
    ["error-flag-unsupported /1/parts/0/isError"],
  ],
  [
    "a JSON output is written as text",
    { output: { x: 1 } },
    { ...wireResult, output: '{"x":1}' },
    ["output-as-text /1/parts/0/output"],
  ],
  [
    "output and content are joined in one list",
    { content: [{ type: "image", url: "u" }] },
    {
      ...wireResult,
      output: [
        { type: "input_text", text: "x" },
        { type: "input_image", image_url: "u" },
      ],
    },
    ["output-in-content /1/parts/0/output"],
  ],
  [
    "a tool name that differs from that of the call is reported",
    { toolName: "g" },
    wireResult,
    ["result-tool-name-dropped /1/parts/0/toolName"],
  ],
];

const shell = { ...call, tool: "shell_call", toolName: "shell", input: { commands: [] } };
const patch = { ...call, tool: "apply_patch_call", toolName: "apply_patch", input: { type: "delete_file" } };
const approval = { ...call, tool: "mcp_approval_request" };
const computer = { ...call, tool: "computer_call", toolName: "computer", input: { type: "wait" } };
/** Text results of tools whose items have a structured output. */
export const structuredOutputRows: [
  sentence: string,
  call: ToolCallPart,
  options: { isError?: boolean; content?: Part[] },
  item: object | undefined,
  losses: string[],
][] = [
  [
    "a text output of a shell is wrapped",
    shell,
    { isError: true },
    {
      type: "shell_call_output",
      call_id: "a",
      output: [{ stdout: "", stderr: "x", outcome: { type: "exit", exit_code: 1 } }],
    },
    ["output-wrapped /1/parts/0/output", "error-flag-unsupported /1/parts/0/isError"],
  ],
  [
    "a failed patch has the status failed",
    patch,
    { isError: true },
    { type: "apply_patch_call_output", call_id: "a", output: "x", status: "failed" },
    [],
  ],
  [
    "a text output of an approval request becomes a rejection",
    approval,
    {},
    { type: "mcp_approval_response", approval_request_id: "a", approve: false, reason: "x" },
    ["output-wrapped /1/parts/0/output"],
  ],
  [
    "a computer output is an image",
    computer,
    { content: [{ type: "image", url: "u" }] },
    { type: "computer_call_output", call_id: "a", output: { type: "computer_screenshot", image_url: "u" } },
    ["field-unsupported /1/parts/0/output"],
  ],
  [
    "a computer output without an image is dropped",
    computer,
    {},
    undefined,
    ["part-unsupported /1/parts/0", "message-unsupported /1"],
  ],
];
