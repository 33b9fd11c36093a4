// Parts that Gemini does not support in full, one row each: the part, its encoding, and the reported losses.
import type { Part, ToolCallPart } from "../../../src/model/parts.ts";

export const call: ToolCallPart = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} };
export const result = { type: "tool-result", toolCallId: "a", toolName: "f", isError: false } as const;
export const image = { type: "image", mimeType: "image/png" } as const;
// The cast allows residue of any shape.
export const extra = (residue: object): { extra: { gemini: never } } => ({ extra: { gemini: residue as never } });

export const partRows: readonly [sentence: string, part: Part, wire: object | undefined, losses: string[]][] = [
  [
    "B49: a refusal is written as text",
    { type: "refusal", text: "No." },
    { text: "No." },
    ["refusal-as-text /0/parts/0"],
  ],
  [
    "B15: reasoning of another model is dropped",
    { type: "reasoning", text: "Hm." },
    undefined,
    ["reasoning-unsupported /0/parts/0"],
  ],
  [
    "B5: a seal of another dialect is dropped",
    { type: "text", text: "x", seals: [{ dialect: "anthropic", kind: "signature", value: "x" }] },
    { text: "x" },
    ["seal-not-portable /0/parts/0/seals/0"],
  ],
  [
    "the id of an OpenAI item is dropped",
    { ...call, seals: [{ dialect: "openai-responses", kind: "id", value: "fc_1" }] },
    { functionCall: { id: "a", name: "f", args: {} } },
    ["id-not-portable /0/parts/0/seals/0"],
  ],
  [
    "B48, B60: annotations and log probabilities in a history are dropped",
    { type: "text", text: "x", annotations: [], logprobs: [], cache: {} },
    { text: "x" },
    [
      "field-unsupported /0/parts/0/annotations",
      "field-unsupported /0/parts/0/logprobs",
      "metadata-dropped /0/parts/0/cache",
    ],
  ],
  [
    "residue and form of another dialect are reported with separate codes",
    { type: "text", text: "x", extra: { anthropic: { y: 1, $form: { z: 1 } } } },
    { text: "x" },
    ["residue-not-portable /0/parts/0/extra/anthropic/y", "form-not-portable /0/parts/0/extra/anthropic/$form/z"],
  ],
  [
    "residue whose field is occupied",
    { ...image, data: "aGk=", ...extra({ inlineData: { data: "old", alt: "a" } }) },
    { inlineData: { data: "aGk=", mimeType: "image/png", alt: "a" } },
    ["residue-conflict /0/parts/0/extra/gemini/inlineData/data"],
  ],
  [
    "the snake_case form of a removed field",
    { type: "text", text: "x", ...extra({ $form: { snake: { inline_data: true } } }) },
    { text: "x" },
    ["form-stale /0/parts/0/extra/gemini/$form/snake/inline_data"],
  ],
  ["B46: a foreign file id", { type: "file", fileId: "file_1" }, undefined, ["file-id-not-portable /0/parts/0"]],
  ["a path", { type: "image", path: "a.png" }, undefined, ["media-source-unsupported /0/parts/0"]],
  [
    "one of several media sources is encoded",
    { ...image, data: "aGk=", url: "https://example.com/a.png", size: 3 },
    { inlineData: { data: "aGk=", mimeType: "image/png" } },
    ["field-unsupported /0/parts/0/url", "metadata-dropped /0/parts/0/size"],
  ],
  [
    "a data URL becomes inline data",
    { type: "image", url: "data:image/png;base64,aGk=" },
    { inlineData: { data: "aGk=", mimeType: "image/png" } },
    ["url-as-data /0/parts/0/url"],
  ],
  [
    "a text document becomes base64",
    { type: "file", text: "Grüße", name: "a.txt" },
    { inlineData: { data: "R3LDvMOfZQ==", mimeType: "text/plain", displayName: "a.txt" } },
    ["text-as-data /0/parts/0/text"],
  ],
  [
    "an image without a MIME type is decoded as a file",
    { type: "image", url: "https://example.com/a" },
    { fileData: { fileUri: "https://example.com/a" } },
    ["media-kind-changed /0/parts/0/type"],
  ],
  [
    "default fields of a call are omitted",
    { ...call, executor: "client", format: "json" },
    { functionCall: { id: "a", name: "f", args: {} } },
    ["tool-default-omitted /0/parts/0/executor", "tool-default-omitted /0/parts/0/format"],
  ],
  [
    "B22, B31: unreadable arguments are wrapped",
    { ...call, input: '{"x": ', inputText: '{"x": ', invalid: true, tool: "shell" },
    { functionCall: { id: "a", name: "f", args: { value: '{"x": ' } } },
    [
      "field-unsupported /0/parts/0/tool",
      "invalid-call-unsupported /0/parts/0/invalid",
      "arguments-wrapped /0/parts/0/input",
    ],
  ],
  [
    "B20: a call without input has no arguments",
    { ...call, input: undefined },
    { functionCall: { id: "a", name: "f", args: {} } },
    [],
  ],
  [
    "B33: a call with an approval request is dropped",
    { ...call, tool: "mcp_approval_request" },
    undefined,
    ["approval-not-portable /0/parts/0"],
  ],
  [
    "B33: a call that another provider ran",
    { ...call, executor: "provider", tool: "web_search" },
    undefined,
    ["provider-tool-unsupported /0/parts/0"],
  ],
  [
    "B33: its result",
    { ...result, executor: "provider", output: "x" },
    undefined,
    ["provider-tool-unsupported /0/parts/0"],
  ],
  [
    "B27: a result without output",
    result,
    { functionResponse: { id: "a", name: "f", response: { output: "" } } },
    ["result-empty /0/parts/0/output"],
  ],
  [
    "B45: texts of a result join its output, an image becomes a part of it",
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
      "part-unsupported /0/parts/0/content/2",
      "output-as-text /0/parts/0/output",
    ],
  ],
  [
    "a block of another dialect",
    { type: "opaque", dialect: "anthropic", value: {} },
    undefined,
    ["opaque-not-portable /0/parts/0"],
  ],
  [
    "an opaque part that refers to another provider's stored data",
    { type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id: "x" } },
    undefined,
    ["context-not-portable /0/parts/0"],
  ],
  [
    "an opaque value that is not an object",
    { type: "opaque", dialect: "gemini", value: 7 },
    undefined,
    ["part-unsupported /0/parts/0"],
  ],
  [
    "a part of an unknown type",
    // Stored messages may have part types of a later version of Koine.
    { type: "hologram", depth: 3 } as unknown as Part,
    undefined,
    ["part-unsupported /0/parts/0"],
  ],
];
