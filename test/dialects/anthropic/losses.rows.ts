// Rows of parts that Anthropic's blocks do not fully support: the block and the losses of each.
import type { Part } from "../../../src/model/parts.ts";

const call: Part = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} };
const wireCall = { type: "tool_use", id: "a", name: "f", input: {} };

export const partRows: readonly [sentence: string, part: Part, block: object | undefined, losses: string[]][] = [
  [
    "B49: a refusal is written as text",
    { type: "refusal", text: "No." },
    { type: "text", text: "No." },
    ["refusal-as-text /0/parts/0/type"],
  ],
  [
    "B60: log probabilities are reported",
    { type: "text", text: "x", logprobs: [] },
    { type: "text", text: "x" },
    ["field-unsupported /0/parts/0/logprobs"],
  ],
  [
    "B48: a citation of another dialect is dropped",
    { type: "text", text: "x", annotations: [{ kind: "url", url: "u", span: { start: 0, end: 1 } }] },
    { type: "text", text: "x" },
    ["annotation-unsupported /0/parts/0/annotations/0"],
  ],
  [
    "B6: unsigned reasoning is not sent",
    { type: "reasoning", text: "Hm." },
    undefined,
    ["reasoning-unsupported /0/parts/0"],
  ],
  [
    "B5: reasoning signed by another provider is not sent",
    { type: "reasoning", text: "Hm.", seals: [{ dialect: "gemini", kind: "signature", value: "x" }] },
    undefined,
    ["reasoning-unsupported /0/parts/0"],
  ],
  [
    "B5: seals of other providers and item ids are dropped",
    {
      type: "text",
      text: "x",
      seals: [
        { dialect: "gemini", kind: "signature", value: "x" },
        { dialect: "openai-responses", kind: "id", value: "msg_1" },
      ],
    },
    { type: "text", text: "x" },
    ["seal-not-portable /0/parts/0/seals/0", "id-not-portable /0/parts/0/seals/1"],
  ],
  [
    "residue and form of another dialect are reported separately",
    { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
    { type: "text", text: "x" },
    ["residue-not-portable /0/parts/0/extra/gemini/y", "form-not-portable /0/parts/0/extra/gemini/$form/z"],
  ],
  [
    "residue that conflicts with an encoded field is reported",
    { type: "text", text: "x", extra: { anthropic: { text: "y" } } },
    { type: "text", text: "x" },
    ["residue-conflict /0/parts/0/extra/anthropic/text"],
  ],
  [
    "an opaque block of another dialect is dropped",
    { type: "opaque", dialect: "gemini", value: {} },
    undefined,
    ["opaque-not-portable /0/parts/0"],
  ],
  [
    "an opaque reference to another provider's stored content is dropped",
    { type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id: "i" } },
    undefined,
    ["context-not-portable /0/parts/0"],
  ],
  [
    "B33: an approval request is dropped",
    { ...call, tool: "mcp_approval_request" },
    undefined,
    ["approval-not-portable /0/parts/0"],
  ],
  [
    "B33: a call that another provider ran is dropped",
    { ...call, executor: "provider", tool: "web_search_call" },
    undefined,
    ["provider-tool-unsupported /0/parts/0"],
  ],
  [
    "`executor` and `format` with default values are dropped",
    { ...call, executor: "client", format: "json" },
    wireCall,
    ["tool-default-omitted /0/parts/0/executor", "tool-default-omitted /0/parts/0/format"],
  ],
  [
    "B22: the flag of an invalid call is dropped",
    { ...call, invalid: true },
    wireCall,
    ["invalid-call-unsupported /0/parts/0/invalid"],
  ],
  [
    "the error flag of a provider's result is dropped",
    {
      type: "tool-result",
      toolCallId: "a",
      toolName: "",
      isError: true,
      executor: "provider",
      tool: "web_search_tool_result",
      output: [],
    },
    { type: "web_search_tool_result", tool_use_id: "a", content: [] },
    ["error-flag-unsupported /0/parts/0/isError"],
  ],
  ["audio is not supported", { type: "audio", data: "aGk=" }, undefined, ["part-unsupported /0/parts/0"]],
  [
    "B46: a file id of another provider is not sent",
    { type: "file", fileId: "f", issuer: { dialect: "gemini" } },
    undefined,
    ["file-id-not-portable /0/parts/0"],
  ],
  [
    "a file path is not supported",
    { type: "image", path: "a.png" },
    undefined,
    ["media-source-unsupported /0/parts/0"],
  ],
  [
    "the name of an image and the MIME type of a URL are dropped",
    { type: "image", url: "u", name: "a.png", mimeType: "image/png", size: 3 },
    { type: "image", source: { type: "url", url: "u" } },
    ["field-unsupported /0/parts/0/name", "metadata-dropped /0/parts/0/mimeType", "metadata-dropped /0/parts/0/size"],
  ],
  [
    "a search result without content becomes a document",
    { type: "file", url: "u", extra: { anthropic: { $form: { type: "search_result" } } } },
    { type: "document", source: { type: "url", url: "u" } },
    ["form-stale /0/parts/0/extra/anthropic"],
  ],
];
