// Rows for losses.test.ts: parts, the encoded items, and the losses in Responses.
import type { Part, ToolCallPart, ToolResultPart } from "../../../src/model/parts.ts";

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
const ownExtra = (form: object): { extra: Record<string, never> } => ({
  extra: { [DIALECT]: { $form: form } as never },
});

/** Parts of a user message, beside a text. */
export const userPartRows: [sentence: string, part: Part, block: object | undefined, losses: string[]][] = [
  [
    "B45, B46: an inline file gets a name",
    { type: "file", data: "aGk=", mimeType: "application/pdf" },
    { type: "input_file", file_data: "data:application/pdf;base64,aGk=", filename: "file.pdf" },
    ["field-synthesized /messages/0/parts/0/name"],
  ],
  [
    "an inline image without a MIME type becomes a PNG",
    { type: "image", data: "aGk=" },
    { type: "input_image", image_url: "data:image/png;base64,aGk=" },
    ["field-synthesized /messages/0/parts/0/mimeType"],
  ],
  [
    "B47: the MIME type of an image by URL is dropped",
    { type: "image", url: "https://example.com/x", mimeType: "image/png", name: "x" },
    { type: "input_image", image_url: "https://example.com/x" },
    ["field-unsupported /messages/0/parts/0/mimeType", "field-unsupported /messages/0/parts/0/name"],
  ],
  [
    "a text document is written as data",
    { type: "file", text: "hi", name: "a.txt" },
    { type: "input_file", file_data: "data:text/plain;base64,aGk=", filename: "a.txt" },
    ["text-as-data /messages/0/parts/0/text"],
  ],
  [
    "a document with text content is written as data",
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
    "a document with other content than text is dropped",
    { type: "file", content: [{ type: "image", url: "u" }] },
    undefined,
    ["media-source-unsupported /messages/0/parts/0"],
  ],
  [
    "B46: a file id of another dialect is dropped",
    { type: "file", fileId: "f", issuer: { dialect: "anthropic" } },
    undefined,
    ["file-id-not-portable /messages/0/parts/0"],
  ],
  [
    "B5: a file id of another provider is dropped",
    { type: "file", fileId: "f", issuer: { dialect: DIALECT, provider: "azure" } },
    undefined,
    ["file-id-not-portable /messages/0/parts/0"],
  ],
  [
    "B46: a file id of the same provider is sent",
    { type: "image", fileId: "f", issuer: { dialect: DIALECT, provider: "openai" } },
    { type: "input_image", file_id: "f" },
    [],
  ],
  ["a path is dropped", { type: "image", path: "a.png" }, undefined, ["media-source-unsupported /messages/0/parts/0"]],
  [
    "audio that was decoded from this dialect is sent with its format",
    { type: "audio", data: "aGk=", mimeType: "audio/mpeg", transcript: "t", ...ownExtra({ in: "input_audio" }) },
    { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } },
    ["field-unsupported /messages/0/parts/0/transcript"],
  ],
  [
    "other audio is dropped, because the API accepts none",
    { type: "audio", data: "aGk=", mimeType: "audio/mpeg" },
    undefined,
    ["part-unsupported /messages/0/parts/0"],
  ],
  [
    "a video is dropped",
    { type: "video", url: "https://example.com/v" },
    undefined,
    ["part-unsupported /messages/0/parts/0"],
  ],
  [
    "a refusal of a user becomes a text",
    { type: "refusal", text: "No." },
    { type: "input_text", text: "No." },
    ["refusal-as-text /messages/0/parts/0"],
  ],
  [
    "B39: a breakpoint of another dialect is dropped",
    { type: "text", text: "x", cache: { ttl: "1h" } },
    { type: "input_text", text: "x" },
    ["metadata-dropped /messages/0/parts/0/cache"],
  ],
  [
    "a breakpoint of this dialect is sent",
    { type: "text", text: "x", cache: { ttl: "1h" }, ...ownExtra({ cache: "explicit" }) },
    { type: "input_text", text: "x", prompt_cache_breakpoint: { mode: "explicit" } },
    ["field-unsupported /messages/0/parts/0/cache/ttl"],
  ],
  [
    "B48, B60: a user's text has no citations and log probabilities",
    { type: "text", text: "x", annotations: [], logprobs: [] },
    { type: "input_text", text: "x" },
    ["field-unsupported /messages/0/parts/0/annotations", "field-unsupported /messages/0/parts/0/logprobs"],
  ],
  [
    "B5: an opaque item of another provider is dropped",
    {
      type: "opaque",
      dialect: DIALECT,
      issuer: { dialect: DIALECT, provider: "azure" },
      value: { type: "compaction" },
    },
    undefined,
    ["opaque-not-portable /messages/0/parts/0"],
  ],
  [
    "an opaque block of another dialect is dropped",
    { type: "opaque", dialect: "gemini", value: {} },
    undefined,
    ["opaque-not-portable /messages/0/parts/0"],
  ],
  [
    "an opaque reference to stored data of another provider is dropped",
    { type: "opaque", dialect: "gemini", value: { type: "item_reference" } },
    undefined,
    ["context-not-portable /messages/0/parts/0"],
  ],
  [
    "an opaque value that is not an object is dropped",
    { type: "opaque", dialect: DIALECT, value: 7 },
    undefined,
    ["part-unsupported /messages/0/parts/0"],
  ],
  [
    "B15: reasoning never becomes a user's text",
    { type: "reasoning", text: "Hm." },
    undefined,
    ["reasoning-unsupported /messages/0/parts/0"],
  ],
  [
    "residue of another dialect is reported, form apart",
    { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
    { type: "input_text", text: "x" },
    [
      "residue-not-portable /messages/0/parts/0/extra/gemini/y",
      "form-not-portable /messages/0/parts/0/extra/gemini/$form/z",
    ],
  ],
  [
    "residue whose field is occupied is reported",
    { type: "text", text: "x", extra: { [DIALECT]: { text: "old" } } },
    { type: "input_text", text: "x" },
    ["residue-conflict /messages/0/parts/0/extra/openai-responses/text"],
  ],
];

/** The only parts of an assistant message. */
export const assistantRows: [sentence: string, parts: Part[], items: object[], losses: string[]][] = [
  [
    "B5, B6: reasoning of another dialect is dropped",
    [{ type: "reasoning", text: "Hm.", seals: [{ dialect: "anthropic", kind: "signature", value: "s" }] }],
    [],
    ["reasoning-unsupported /0/parts/0", "message-unsupported /0"],
  ],
  [
    "B5: reasoning of another provider is dropped",
    [{ type: "reasoning", text: "", seals: [sealed("encrypted", "e", "azure")] }],
    [],
    ["reasoning-unsupported /0/parts/0", "message-unsupported /0"],
  ],
  [
    "B13: encrypted reasoning without an id is sent without one",
    [
      {
        type: "reasoning",
        text: "",
        seals: [sealed("encrypted", "e"), { dialect: "gemini", kind: "signature", value: "s" }],
      },
    ],
    [{ type: "reasoning", encrypted_content: "e", summary: [] }],
    ["metadata-dropped /0/parts/0/seals/0/provider", "seal-not-portable /0/parts/0/seals/1"],
  ],
  [
    "B5: an item id of another provider is dropped",
    [{ type: "text", text: "x", seals: [sealed("id", "msg_1", "azure")] }],
    [{ role: "assistant", content: "x" }],
    ["id-not-portable /0/parts/0/seals/0"],
  ],
  [
    "several texts become separate messages, and a refusal becomes a list",
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
    ["field-unsupported /0/parts/2/logprobs"],
  ],
  [
    "B48: a citation without a span covers the whole text",
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
      "field-synthesized /0/parts/0/annotations/0/title",
      "field-synthesized /0/parts/0/annotations/0/span",
      "field-unsupported /0/parts/0/annotations/0/citedText",
      "field-unsupported /0/parts/0/annotations/1",
    ],
  ],
  [
    "an image of the assistant is dropped",
    [{ type: "image", url: "https://example.com" }],
    [],
    ["part-unsupported /0/parts/0", "message-unsupported /0"],
  ],
  [
    "B31: a call that was cut off has the status incomplete",
    [{ ...call, invalid: true }],
    [{ ...wireCall, status: "incomplete" }],
    [],
  ],
  [
    "B22: unparsable arguments are sent unchanged",
    [{ ...call, input: "{x", inputText: "{x", invalid: true }],
    [{ ...wireCall, arguments: "{x" }],
    [],
  ],
  [
    "the default executor and format of a call are dropped",
    [{ ...call, executor: "client", format: "json", invalid: false }],
    [wireCall],
    [
      "tool-default-omitted /0/parts/0/executor",
      "tool-default-omitted /0/parts/0/format",
      "tool-default-omitted /0/parts/0/invalid",
    ],
  ],
  [
    "B32: a call with free text becomes a custom call",
    [{ ...call, input: "x", format: "text" }],
    [{ type: "custom_tool_call", call_id: "a", name: "f", input: "x" }],
    [],
  ],
  [
    "a tool of another dialect becomes a function",
    [{ ...call, tool: "bash_20250124" }],
    [wireCall],
    ["field-unsupported /0/parts/0/tool"],
  ],
  [
    "a call whose input does not fit its item type becomes a function call",
    [{ ...call, tool: "shell_call", input: "ls" }],
    [{ ...wireCall, arguments: '"ls"' }],
    ["field-unsupported /0/parts/0/tool"],
  ],
  [
    "a computer call has a fixed name",
    [{ ...call, tool: "computer_call", input: { type: "wait" } }],
    [{ type: "computer_call", call_id: "a", action: { type: "wait" } }],
    ["field-unsupported /0/parts/0/toolName"],
  ],
  [
    "B33: calls that another provider ran are dropped",
    [
      { ...call, executor: "provider" },
      { ...result, executor: "provider" },
      { type: "text", text: "x" },
    ],
    [{ role: "assistant", content: "x" }],
    ["provider-tool-unsupported /0/parts/0", "provider-tool-unsupported /0/parts/1"],
  ],
  [
    "B33: a hosted result without its call is dropped",
    [
      { ...result, executor: "provider", tool: "web_search_call" },
      { type: "text", text: "x" },
    ],
    [{ role: "assistant", content: "x" }],
    ["provider-tool-unsupported /0/parts/0"],
  ],
  [
    "B33: a hosted call without its result is sent",
    [{ ...call, executor: "provider", tool: "mcp_call" }],
    [{ type: "mcp_call", id: "a", name: "f", arguments: "{}", status: "completed" }],
    [],
  ],
];
