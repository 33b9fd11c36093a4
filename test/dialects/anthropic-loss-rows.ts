// Parts that Anthropic's blocks cannot say in full: what becomes of each, and what is reported.
import type { Part } from "../../src/model/parts.ts";

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
    ["field-unsaid /0/parts/0/logprobs"],
  ],
  [
    "B48: a citation of another dialect has nothing to point to",
    { type: "text", text: "x", annotations: [{ kind: "url", url: "u", span: { start: 0, end: 1 } }] },
    { type: "text", text: "x" },
    ["annotation-unsaid /0/parts/0/annotations/0"],
  ],
  [
    "B6: reasoning that nobody signed is never sent",
    { type: "reasoning", text: "Hm." },
    undefined,
    ["reasoning-unsaid /0/parts/0"],
  ],
  [
    "B5: reasoning that another signed is not sent",
    { type: "reasoning", text: "Hm.", seals: [{ dialect: "gemini", kind: "signature", value: "x" }] },
    undefined,
    ["reasoning-unsaid /0/parts/0"],
  ],
  [
    "B5: seals of others, and ids, stay behind",
    {
      type: "text",
      text: "x",
      seals: [
        { dialect: "gemini", kind: "signature", value: "x" },
        { dialect: "openai-responses", kind: "id", value: "msg_1" },
      ],
    },
    { type: "text", text: "x" },
    ["seal-foreign /0/parts/0/seals/0", "id-foreign /0/parts/0/seals/1"],
  ],
  [
    "residue of another dialect is reported, form apart",
    { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
    { type: "text", text: "x" },
    ["residue-foreign /0/parts/0/extra/gemini/y", "form-foreign /0/parts/0/extra/gemini/$form/z"],
  ],
  [
    "a kept field whose place is taken is reported",
    { type: "text", text: "x", extra: { anthropic: { text: "y" } } },
    { type: "text", text: "x" },
    ["residue-clash /0/parts/0/extra/anthropic/text"],
  ],
  [
    "a block of another dialect",
    { type: "opaque", dialect: "gemini", value: {} },
    undefined,
    ["opaque-foreign /0/parts/0"],
  ],
  [
    "a block that stands for what another has stored",
    { type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id: "i" } },
    undefined,
    ["context-foreign /0/parts/0"],
  ],
  [
    "B33: a call that asks for an approval is left out",
    { ...call, tool: "mcp_approval_request" },
    undefined,
    ["approval-foreign /0/parts/0"],
  ],
  [
    "B33: what another provider ran is left out",
    { ...call, executor: "provider", tool: "web_search_call" },
    undefined,
    ["provider-tool /0/parts/0"],
  ],
  [
    "who runs a tool goes unsaid",
    { ...call, executor: "client", format: "json" },
    wireCall,
    ["tool-default /0/parts/0/executor", "tool-default /0/parts/0/format"],
  ],
  [
    "B22: that a call is invalid cannot be said",
    { ...call, invalid: true },
    wireCall,
    ["call-invalid /0/parts/0/invalid"],
  ],
  [
    "that a provider's result is an error is said by its value alone",
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
    ["error-unsaid /0/parts/0/isError"],
  ],
  ["audio has no word", { type: "audio", data: "aGk=" }, undefined, ["part-unsayable /0/parts/0"]],
  [
    "B46: a file id of another provider",
    { type: "file", fileId: "f", issuer: { dialect: "gemini" } },
    undefined,
    ["file-id /0/parts/0"],
  ],
  ["a file on the caller's machine", { type: "image", path: "a.png" }, undefined, ["media-elsewhere /0/parts/0"]],
  [
    "an image has no name, and a URL no type",
    { type: "image", url: "u", name: "a.png", mimeType: "image/png", size: 3 },
    { type: "image", source: { type: "url", url: "u" } },
    ["field-unsaid /0/parts/0/name", "bookkeeping /0/parts/0/mimeType", "bookkeeping /0/parts/0/size"],
  ],
  [
    "a search result that is no list of blocks any more is a document",
    { type: "file", url: "u", extra: { anthropic: { $form: { type: "search_result" } } } },
    { type: "document", source: { type: "url", url: "u" } },
    ["form-stale /0/parts/0/extra/anthropic"],
  ],
];
