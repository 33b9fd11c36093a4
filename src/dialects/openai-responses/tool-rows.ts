// Items that ask something of a tool, one row each: who is asked, in which field, and where the answer stands.

/** How a call says what it asks: JSON as text, free text, a value, or a value that is one of several fields. */
type Asking = "json" | "text" | "value" | "field";

export interface ToolRow {
  /** The type of the item, which is also the `tool` of the call. */
  readonly call: string;
  /** What the tool is called, where the item does not say so. */
  readonly name?: string;
  /** The field that says what is asked. */
  readonly asks: string;
  readonly how: Asking;
  /** The item's id is the call's. */
  readonly byId?: true;
  /** The type of the item that answers; without one, the answer stands in the item that asked. */
  readonly output?: string;
  /** The field with the answer. */
  readonly answer: string;
  /** The field of the answering item that names the call. */
  readonly answers: string;
}

const ROWS: readonly ToolRow[] = [
  row("function_call", undefined, "arguments", "json", "function_call_output"),
  row("custom_tool_call", undefined, "input", "text", "custom_tool_call_output"),
  row("computer_call", "computer", "action", "value", "computer_call_output"),
  row("local_shell_call", "local_shell", "action", "value", "local_shell_call_output"),
  row("shell_call", "shell", "action", "value", "shell_call_output"),
  row("apply_patch_call", "apply_patch", "operation", "value", "apply_patch_call_output"),
  row("tool_search_call", "tool_search", "arguments", "value", "tool_search_output", "tools"),
  {
    ...row("mcp_approval_request", undefined, "arguments", "json", "mcp_approval_response", "approve"),
    byId: true,
    answers: "approval_request_id",
  },
  hosted("web_search_call", "web_search", "action", "value", "results"),
  hosted("file_search_call", "file_search", "queries", "field", "results"),
  hosted("code_interpreter_call", "code_interpreter", "code", "field", "outputs"),
  hosted("image_generation_call", "image_generation", "revised_prompt", "field", "result"),
  hosted("mcp_call", undefined, "arguments", "json", "output"),
];

function row(
  call: string,
  name: string | undefined,
  asks: string,
  how: Asking,
  output: string,
  answer = "output",
): ToolRow {
  return { call, asks, how, output, answer, answers: "call_id", ...(name !== undefined && { name }) };
}

function hosted(call: string, name: string | undefined, asks: string, how: Asking, answer: string): ToolRow {
  return { call, asks, how, answer, answers: "id", byId: true, ...(name !== undefined && { name }) };
}

const BY_CALL = new Map<unknown, ToolRow>(ROWS.map((each) => [each.call, each]));
const BY_OUTPUT = new Map<unknown, ToolRow>(ROWS.map((each) => [each.output, each]));
BY_OUTPUT.delete(undefined);

/** The row of an item that asks. */
export function rowOfCall(type: unknown): ToolRow | undefined {
  return BY_CALL.get(type);
}

/** The row of an item that answers. */
export function rowOfOutput(type: unknown): ToolRow | undefined {
  return BY_OUTPUT.get(type);
}

/** Whether a tool answers in a shape of its own, which no plain text is. */
export function isShaped({ call }: ToolRow): boolean {
  return call === "shell_call" || call === "tool_search_call" || call === "mcp_approval_request";
}

// Both stand in the table.
export const FUNCTION = ROWS[0] as ToolRow;
export const CUSTOM = ROWS[1] as ToolRow;
