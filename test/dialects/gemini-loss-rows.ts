// Parts that Gemini cannot say in full: what becomes of each, and what is reported.
import type { Part, ToolCallPart } from "../../src/model/parts.ts";

export const call: ToolCallPart = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} };
export const result = { type: "tool-result", toolCallId: "a", toolName: "f", isError: false } as const;
export const image = { type: "image", mimeType: "image/png" } as const;
// Residue of any shape.
export const extra = (residue: object): { extra: { gemini: never } } => ({ extra: { gemini: residue as never } });

export const partRows: readonly [sentence: string, part: Part, wire: object | undefined, losses: string[]][] = [
  [
    "B49: a refusal is written as text",
    { type: "refusal", text: "No." },
    { text: "No." },
    ["refusal-as-text /0/parts/0"],
  ],
  [
    "B15: reasoning of others stays behind",
    { type: "reasoning", text: "Hm." },
    undefined,
    ["reasoning-unsaid /0/parts/0"],
  ],
  [
    "B5: a seal of another dialect is left out",
    { type: "text", text: "x", seals: [{ dialect: "anthropic", kind: "signature", value: "x" }] },
    { text: "x" },
    ["seal-foreign /0/parts/0/seals/0"],
  ],
  [
    "the id of an item, too",
    { ...call, seals: [{ dialect: "openai-responses", kind: "id", value: "fc_1" }] },
    { functionCall: { id: "a", name: "f", args: {} } },
    ["id-foreign /0/parts/0/seals/0"],
  ],
  [
    "B48, B60: a history has no place for annotations and log probabilities",
    { type: "text", text: "x", annotations: [], logprobs: [], cache: {} },
    { text: "x" },
    ["field-unsaid /0/parts/0/annotations", "field-unsaid /0/parts/0/logprobs", "bookkeeping /0/parts/0/cache"],
  ],
  [
    "residue of another dialect, form apart",
    { type: "text", text: "x", extra: { anthropic: { y: 1, $form: { z: 1 } } } },
    { text: "x" },
    ["residue-foreign /0/parts/0/extra/anthropic/y", "form-foreign /0/parts/0/extra/anthropic/$form/z"],
  ],
  [
    "a kept field whose place is taken",
    { ...image, data: "aGk=", ...extra({ inlineData: { data: "old", alt: "a" } }) },
    { inlineData: { data: "aGk=", mimeType: "image/png", alt: "a" } },
    ["residue-clash /0/parts/0/extra/gemini/inlineData/data"],
  ],
  [
    "a spelling of what is gone",
    { type: "text", text: "x", ...extra({ $form: { snake: { inline_data: true } } }) },
    { text: "x" },
    ["form-stale /0/parts/0/extra/gemini/$form/snake/inline_data"],
  ],
  ["B46: a foreign file id", { type: "file", fileId: "file_1" }, undefined, ["file-id /0/parts/0"]],
  ["a path", { type: "image", path: "a.png" }, undefined, ["media-elsewhere /0/parts/0"]],
  [
    "of several sources one is written",
    { ...image, data: "aGk=", url: "https://example.com/a.png", size: 3 },
    { inlineData: { data: "aGk=", mimeType: "image/png" } },
    ["field-unsaid /0/parts/0/url", "bookkeeping /0/parts/0/size"],
  ],
  [
    "a data URL is inline data",
    { type: "image", url: "data:image/png;base64,aGk=" },
    { inlineData: { data: "aGk=", mimeType: "image/png" } },
    ["url-as-data /0/parts/0/url"],
  ],
  [
    "a plain-text document is base64",
    { type: "file", text: "Grüße", name: "a.txt" },
    { inlineData: { data: "R3LDvMOfZQ==", mimeType: "text/plain", displayName: "a.txt" } },
    ["text-as-data /0/parts/0/text"],
  ],
  [
    "without a mime type nothing tells that it is an image",
    { type: "image", url: "https://example.com/a" },
    { fileData: { fileUri: "https://example.com/a" } },
    ["media-kind /0/parts/0/type"],
  ],
  [
    "a call's defaults go unsaid",
    { ...call, executor: "client", format: "json" },
    { functionCall: { id: "a", name: "f", args: {} } },
    ["tool-default /0/parts/0/executor", "tool-default /0/parts/0/format"],
  ],
  [
    "B22, B31: unreadable arguments are wrapped",
    { ...call, input: '{"x": ', inputText: '{"x": ', invalid: true, tool: "shell" },
    { functionCall: { id: "a", name: "f", args: { value: '{"x": ' } } },
    ["field-unsaid /0/parts/0/tool", "call-invalid /0/parts/0/invalid", "arguments-wrapped /0/parts/0/input"],
  ],
  [
    "B20: no input is no arguments",
    { ...call, input: undefined },
    { functionCall: { id: "a", name: "f", args: {} } },
    [],
  ],
  [
    "B33: a call that asks for an approval is left out",
    { ...call, tool: "mcp_approval_request" },
    undefined,
    ["approval-foreign /0/parts/0"],
  ],
  [
    "B33: a call that another provider ran",
    { ...call, executor: "provider", tool: "web_search" },
    undefined,
    ["provider-tool /0/parts/0"],
  ],
  ["B33: its result", { ...result, executor: "provider", output: "x" }, undefined, ["provider-tool /0/parts/0"]],
  [
    "B27: a result without output",
    result,
    { functionResponse: { id: "a", name: "f", response: { output: "" } } },
    ["result-empty /0/parts/0/output"],
  ],
  [
    "B45: the texts of a result join its output, an image stands beside it",
    { ...result, output: { x: 1 }, content: [{ type: "text", text: "y" }, { ...image, data: "aGk=" }, call] },
    {
      functionResponse: {
        id: "a",
        name: "f",
        response: { output: '{"x":1}\ny' },
        parts: [{ inlineData: { data: "aGk=", mimeType: "image/png" } }],
      },
    },
    [
      "result-text-joined /0/parts/0/content/0",
      "part-unsayable /0/parts/0/content/2",
      "output-as-text /0/parts/0/output",
    ],
  ],
  [
    "a block of another dialect",
    { type: "opaque", dialect: "anthropic", value: {} },
    undefined,
    ["opaque-foreign /0/parts/0"],
  ],
  [
    "a block that stands for what another provider stored",
    { type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id: "x" } },
    undefined,
    ["context-foreign /0/parts/0"],
  ],
  [
    "a verbatim value that is no part",
    { type: "opaque", dialect: "gemini", value: 7 },
    undefined,
    ["part-unsayable /0/parts/0"],
  ],
  [
    "a part of a type that nobody knows",
    // Stored messages may hold types of a later Koine.
    { type: "hologram", depth: 3 } as unknown as Part,
    undefined,
    ["part-unsayable /0/parts/0"],
  ],
];
