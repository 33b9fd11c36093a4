// Declares the types of tool items, each with its tool, the field of the input, and the place of the output.

/**
 * The spelling of a call's input on the wire: JSON text, free text, a JSON value, or one field of the canonical input
 * object.
 */
type InputForm = "json" | "text" | "value" | "field";

export interface ToolItemType {
  /** The type of the call item, which is also the `tool` field of the call part. */
  readonly callType: string;
  /** The name of the tool; absent if the item has a `name` field. */
  readonly toolName?: string;
  /** The field of the call item that contains the input. */
  readonly inputField: string;
  readonly inputForm: InputForm;
  /** True if the id of the call item is also the call id. */
  readonly hasItemIdAsCallId?: true;
  /** The type of the output item; absent if the call item contains the output. */
  readonly outputType?: string;
  /** The field of the output item, or else of the call item, that contains the output. */
  readonly outputField: string;
  /** The field of the output item that contains the call id. */
  readonly callIdField: string;
}

const TOOL_ITEM_TYPES: readonly ToolItemType[] = [
  clientTool("function_call", undefined, "arguments", "json", "function_call_output"),
  clientTool("custom_tool_call", undefined, "input", "text", "custom_tool_call_output"),
  clientTool("computer_call", "computer", "action", "value", "computer_call_output"),
  clientTool("local_shell_call", "local_shell", "action", "value", "local_shell_call_output"),
  clientTool("shell_call", "shell", "action", "value", "shell_call_output"),
  clientTool("apply_patch_call", "apply_patch", "operation", "value", "apply_patch_call_output"),
  clientTool("tool_search_call", "tool_search", "arguments", "value", "tool_search_output", "tools"),
  {
    ...clientTool("mcp_approval_request", undefined, "arguments", "json", "mcp_approval_response", "approve"),
    hasItemIdAsCallId: true,
    callIdField: "approval_request_id",
  },
  hostedTool("web_search_call", "web_search", "action", "value", "results"),
  hostedTool("file_search_call", "file_search", "queries", "field", "results"),
  hostedTool("code_interpreter_call", "code_interpreter", "code", "field", "outputs"),
  hostedTool("image_generation_call", "image_generation", "revised_prompt", "field", "result"),
  hostedTool("mcp_call", undefined, "arguments", "json", "output"),
];

function clientTool(
  callType: string,
  toolName: string | undefined,
  inputField: string,
  inputForm: InputForm,
  outputType: string,
  outputField = "output",
): ToolItemType {
  return {
    callType,
    inputField,
    inputForm,
    outputType,
    outputField,
    callIdField: "call_id",
    ...(toolName !== undefined && { toolName }),
  };
}

function hostedTool(
  callType: string,
  toolName: string | undefined,
  inputField: string,
  inputForm: InputForm,
  outputField: string,
): ToolItemType {
  return {
    callType,
    inputField,
    inputForm,
    outputField,
    callIdField: "id",
    hasItemIdAsCallId: true,
    ...(toolName !== undefined && { toolName }),
  };
}

const BY_CALL_TYPE = new Map<unknown, ToolItemType>(TOOL_ITEM_TYPES.map((each) => [each.callType, each]));
const BY_OUTPUT_TYPE = new Map<unknown, ToolItemType>(TOOL_ITEM_TYPES.map((each) => [each.outputType, each]));
BY_OUTPUT_TYPE.delete(undefined);

/** Returns the tool item type whose call items have this `type`; undefined if there is none. */
export function findByCallType(type: unknown): ToolItemType | undefined {
  return BY_CALL_TYPE.get(type);
}

/** Returns the tool item type whose output items have this `type`; undefined if there is none. */
export function findByOutputType(type: unknown): ToolItemType | undefined {
  return BY_OUTPUT_TYPE.get(type);
}

/** True if the output of the tool is structured, so that a plain text is not accepted. */
export function hasStructuredOutput({ callType }: ToolItemType): boolean {
  return callType === "shell_call" || callType === "tool_search_call" || callType === "mcp_approval_request";
}

// The casts are safe, because the first two entries of the table are the function type and the custom type.
export const FUNCTION_TYPE = TOOL_ITEM_TYPES[0] as ToolItemType;
export const CUSTOM_TYPE = TOOL_ITEM_TYPES[1] as ToolItemType;
