// What items of OpenAI's Responses cannot say, one row each: a part, what is written for it, and the losses told.
import type { Part, ToolCallPart, ToolResultPart } from "../../src/model/parts.ts";

export const DIALECT = "openai-responses";

export const call: ToolCallPart = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} };
export const result: ToolResultPart = {
  type: "tool-result",
  toolCallId: "a",
  toolName: "f",
  isError: false,
  output: "x",
};
export const wireCall = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
export const wireResult = { type: "function_call_output", call_id: "a", output: "x" };
export const sealed = (kind: string, value: string, provider = "openai"): Required<Part>["seals"][number] => {
  return { dialect: DIALECT, provider, kind, value };
};
const own = (form: object): { extra: Record<string, never> } => ({
  extra: { [DIALECT]: { $form: form } as never },
});

/** In a message of a user, beside a text. */
export const userRows: [sentence: string, part: Part, block: object | undefined, losses: string[]][] = [
  [
    "B45, B46: an inline file gets a name",
    { type: "file", data: "aGk=", mimeType: "application/pdf" },
    { type: "input_file", file_data: "data:application/pdf;base64,aGk=", filename: "file.pdf" },
    ["field-filled /messages/0/parts/0/name"],
  ],
  [
    "an inline image without a type is taken for a PNG",
    { type: "image", data: "aGk=" },
    { type: "input_image", image_url: "data:image/png;base64,aGk=" },
    ["field-filled /messages/0/parts/0/mimeType"],
  ],
  [
    "B47: the type of a URL has no place",
    { type: "image", url: "https://example.com/x", mimeType: "image/png", name: "x" },
    { type: "input_image", image_url: "https://example.com/x" },
    ["field-unsaid /messages/0/parts/0/mimeType", "field-unsaid /messages/0/parts/0/name"],
  ],
  [
    "a text document is written as data",
    { type: "file", text: "hi", name: "a.txt" },
    { type: "input_file", file_data: "data:text/plain;base64,aGk=", filename: "a.txt" },
    ["text-as-data /messages/0/parts/0/text"],
  ],
  [
    "a document of texts is written as data",
    {
      type: "file",
      name: "a.txt",
      content: [
        { type: "text", text: "h" },
        { type: "text", text: "i" },
      ],
    },
    { type: "input_file", file_data: "data:text/plain;base64,aAoKaQ==", filename: "a.txt" },
    ["text-as-data /messages/0/parts/0/content"],
  ],
  [
    "a document of more than texts is left out",
    { type: "file", content: [{ type: "image", url: "u" }] },
    undefined,
    ["media-elsewhere /messages/0/parts/0"],
  ],
  [
    "B46: a foreign file id is left out",
    { type: "file", fileId: "f", issuer: { dialect: "anthropic" } },
    undefined,
    ["file-id /messages/0/parts/0"],
  ],
  [
    "B5: a file id of another provider is left out",
    { type: "file", fileId: "f", issuer: { dialect: DIALECT, provider: "azure" } },
    undefined,
    ["file-id /messages/0/parts/0"],
  ],
  [
    "B46: one's own file id is sent",
    { type: "image", fileId: "f", issuer: { dialect: DIALECT, provider: "openai" } },
    { type: "input_image", file_id: "f" },
    [],
  ],
  ["a path is left out", { type: "image", path: "a.png" }, undefined, ["media-elsewhere /messages/0/parts/0"]],
  [
    "audio that came so is said by its format",
    { type: "audio", data: "aGk=", mimeType: "audio/mpeg", transcript: "t", ...own({ in: "input_audio" }) },
    { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
    ["field-unsaid /messages/0/parts/0/transcript"],
  ],
  [
    "other audio is left out: the API takes none",
    { type: "audio", data: "aGk=", mimeType: "audio/mpeg" },
    undefined,
    ["part-unsayable /messages/0/parts/0"],
  ],
  [
    "a video is left out",
    { type: "video", url: "https://example.com/v" },
    undefined,
    ["part-unsayable /messages/0/parts/0"],
  ],
  [
    "a refusal of a user is a text",
    { type: "refusal", text: "No." },
    { type: "input_text", text: "No." },
    ["refusal-as-text /messages/0/parts/0"],
  ],
  [
    "B39: a breakpoint of another dialect is left out",
    { type: "text", text: "x", cache: { ttl: "1h" } },
    { type: "input_text", text: "x" },
    ["bookkeeping /messages/0/parts/0/cache"],
  ],
  [
    "a breakpoint of one's own stays",
    { type: "text", text: "x", cache: { ttl: "1h" }, ...own({ cache: "explicit" }) },
    { type: "input_text", text: "x", prompt_cache_breakpoint: { mode: "explicit" } },
    ["field-unsaid /messages/0/parts/0/cache/ttl"],
  ],
  [
    "B48, B60: citations and log probabilities are the assistant's",
    { type: "text", text: "x", annotations: [], logprobs: [] },
    { type: "input_text", text: "x" },
    ["field-unsaid /messages/0/parts/0/annotations", "field-unsaid /messages/0/parts/0/logprobs"],
  ],
  [
    "B5: an item of another provider is left out",
    {
      type: "opaque",
      dialect: DIALECT,
      issuer: { dialect: DIALECT, provider: "azure" },
      value: { type: "compaction" },
    },
    undefined,
    ["opaque-foreign /messages/0/parts/0"],
  ],
  [
    "a block of another dialect is left out",
    { type: "opaque", dialect: "gemini", value: {} },
    undefined,
    ["opaque-foreign /messages/0/parts/0"],
  ],
  [
    "a reference into another provider's store breaks the request",
    { type: "opaque", dialect: "gemini", value: { type: "item_reference" } },
    undefined,
    ["context-foreign /messages/0/parts/0"],
  ],
  [
    "a block of one's own that is none is left out",
    { type: "opaque", dialect: DIALECT, value: 7 },
    undefined,
    ["part-unsayable /messages/0/parts/0"],
  ],
  [
    "B15: reasoning never becomes what a user says",
    { type: "reasoning", text: "Hm." },
    undefined,
    ["reasoning-unsaid /messages/0/parts/0"],
  ],
  [
    "residue of another dialect is reported, form apart",
    { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
    { type: "input_text", text: "x" },
    ["residue-foreign /messages/0/parts/0/extra/gemini/y", "form-foreign /messages/0/parts/0/extra/gemini/$form/z"],
  ],
  [
    "a kept field whose place is taken is reported",
    { type: "text", text: "x", extra: { [DIALECT]: { text: "old" } } },
    { type: "input_text", text: "x" },
    ["residue-clash /messages/0/parts/0/extra/openai-responses/text"],
  ],
];

/** Alone in a message of the assistant. */
export const assistantRows: [sentence: string, parts: Part[], items: object[], losses: string[]][] = [
  [
    "B5, B6: reasoning of another dialect is left out",
    [{ type: "reasoning", text: "Hm.", seals: [{ dialect: "anthropic", kind: "signature", value: "s" }] }],
    [],
    ["reasoning-unsaid /0/parts/0", "message-unsaid /0"],
  ],
  [
    "B5: reasoning of another provider is left out",
    [{ type: "reasoning", text: "", seals: [sealed("encrypted", "e", "azure")] }],
    [],
    ["reasoning-unsaid /0/parts/0", "message-unsaid /0"],
  ],
  [
    "B13: encrypted reasoning needs no id, and none is made up",
    [
      {
        type: "reasoning",
        text: "",
        seals: [sealed("encrypted", "e"), { dialect: "gemini", kind: "signature", value: "s" }],
      },
    ],
    [{ type: "reasoning", encrypted_content: "e", summary: [] }],
    ["bookkeeping /0/parts/0/seals/0/provider", "seal-foreign /0/parts/0/seals/1"],
  ],
  [
    "B5: an id of another provider is left out",
    [{ type: "text", text: "x", seals: [sealed("id", "msg_1", "azure")] }],
    [{ role: "assistant", content: "x" }],
    ["id-foreign /0/parts/0/seals/0"],
  ],
  [
    "several texts are a message each, and a refusal is a list",
    [
      { type: "text", text: "x" },
      { type: "text", text: "y" },
      { type: "refusal", text: "No.", logprobs: [] },
    ],
    [
      { role: "assistant", content: "x" },
      { role: "assistant", content: "y" },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
    ],
    ["field-unsaid /0/parts/2/logprobs"],
  ],
  [
    "B48: a citation without a place is of the whole text",
    [{ type: "text", text: "x 🌟", annotations: [{ kind: "url", url: "u", citedText: "c" }, { kind: "document" }] }],
    [
      {
        role: "assistant",
        content: [
          {
            type: "output_text",
            text: "x 🌟",
            annotations: [{ type: "url_citation", url: "u", title: "", start_index: 0, end_index: 3 }],
            logprobs: [],
          },
        ],
      },
    ],
    [
      "field-filled /0/parts/0/annotations/0/title",
      "field-filled /0/parts/0/annotations/0/span",
      "field-unsaid /0/parts/0/annotations/0/citedText",
      "field-unsaid /0/parts/0/annotations/1",
    ],
  ],
  [
    "an image of the assistant is left out",
    [{ type: "image", url: "https://example.com" }],
    [],
    ["part-unsayable /0/parts/0", "message-unsaid /0"],
  ],
  ["B31: a call that was cut off says so", [{ ...call, invalid: true }], [{ ...wireCall, status: "incomplete" }], []],
  [
    "B22: unreadable arguments go out as they are",
    [{ ...call, input: "{x", inputText: "{x", invalid: true }],
    [{ ...wireCall, arguments: "{x" }],
    [],
  ],
  [
    "what every call is goes unsaid",
    [{ ...call, executor: "client", format: "json", invalid: false }],
    [wireCall],
    ["tool-default /0/parts/0/executor", "tool-default /0/parts/0/format", "tool-default /0/parts/0/invalid"],
  ],
  [
    "B32: free text is a custom call's",
    [{ ...call, input: "x", format: "text" }],
    [{ type: "custom_tool_call", call_id: "a", name: "f", input: "x" }],
    [],
  ],
  [
    "a tool of another dialect is a function here",
    [{ ...call, tool: "bash_20250124" }],
    [wireCall],
    ["field-unsaid /0/parts/0/tool"],
  ],
  [
    "a tool whose input does not fit its item is a function",
    [{ ...call, tool: "shell_call", input: "ls" }],
    [{ ...wireCall, arguments: '"ls"' }],
    ["field-unsaid /0/parts/0/tool"],
  ],
  [
    "a computer has a name of its own",
    [{ ...call, tool: "computer_call", input: { type: "wait" } }],
    [{ type: "computer_call", call_id: "a", action: { type: "wait" } }],
    ["field-unsaid /0/parts/0/toolName"],
  ],
  [
    "B33: what another provider ran is left out",
    [
      { ...call, executor: "provider" },
      { ...result, executor: "provider" },
      { type: "text", text: "x" },
    ],
    [{ role: "assistant", content: "x" }],
    ["provider-tool /0/parts/0", "provider-tool /0/parts/1"],
  ],
  [
    "B33: a result whose call was removed is left out",
    [
      { ...result, executor: "provider", tool: "web_search_call" },
      { type: "text", text: "x" },
    ],
    [{ role: "assistant", content: "x" }],
    ["provider-tool /0/parts/0"],
  ],
  [
    "B33: a call whose result was removed stays",
    [{ ...call, executor: "provider", tool: "mcp_call" }],
    [{ type: "mcp_call", id: "a", name: "f", arguments: "{}", status: "completed" }],
    [],
  ],
];

/** The answer to a plain call. */
export const resultRows: [
  sentence: string,
  result: Partial<ToolResultPart>,
  item: object | undefined,
  losses: string[],
][] = [
  ["a text", {}, wireResult, []],
  ["B27: a failure has no place", { isError: true }, wireResult, ["error-unsaid /1/parts/0/isError"]],
  [
    "JSON is written as text",
    { output: { x: 1 } },
    { ...wireResult, output: '{"x":1}' },
    ["output-as-text /1/parts/0/output"],
  ],
  [
    "output and content are one list",
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
  ["another name than the call's is reported", { toolName: "g" }, wireResult, ["tool-name /1/parts/0/toolName"]],
];

const shell = { ...call, tool: "shell_call", toolName: "shell", input: { commands: [] } };
const patch = { ...call, tool: "apply_patch_call", toolName: "apply_patch", input: { type: "delete_file" } };
const approval = { ...call, tool: "mcp_approval_request" };
const computer = { ...call, tool: "computer_call", toolName: "computer", input: { type: "wait" } };
/** A text, and what goes with it, as the answer of a tool that has items of its own. */
export const shapedRows: [
  sentence: string,
  call: ToolCallPart,
  options: { isError?: boolean; content?: Part[] },
  item: object | undefined,
  losses: string[],
][] = [
  [
    "a shell answers in outcomes",
    shell,
    { isError: true },
    {
      type: "shell_call_output",
      call_id: "a",
      output: [{ stdout: "", stderr: "x", outcome: { type: "exit", exit_code: 1 } }],
    },
    ["output-shaped /1/parts/0/output", "error-unsaid /1/parts/0/isError"],
  ],
  [
    "a patch that failed says so",
    patch,
    { isError: true },
    { type: "apply_patch_call_output", call_id: "a", output: "x", status: "failed" },
    [],
  ],
  [
    "a text is no approval",
    approval,
    {},
    { type: "mcp_approval_response", approval_request_id: "a", approve: false, reason: "x" },
    ["output-shaped /1/parts/0/output"],
  ],
  [
    "a computer answers with a picture",
    computer,
    { content: [{ type: "image", url: "u" }] },
    { type: "computer_call_output", call_id: "a", output: { type: "computer_screenshot", image_url: "u" } },
    ["field-unsaid /1/parts/0/output"],
  ],
  ["a computer cannot answer with a text", computer, {}, undefined, ["part-unsayable /1/parts/0", "message-unsaid /1"]],
];
