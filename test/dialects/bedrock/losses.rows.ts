// Rows of parts that Bedrock's blocks do not fully support: the block and the losses of each.
import type { Part } from "../../../src/model/parts.ts";

const call: Part = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} };
const wireCall = { toolUse: { toolUseId: "a", name: "f", input: {} } };
const result: Part = { type: "tool-result", toolCallId: "a", toolName: "", isError: false };

export type BedrockPartRow = readonly [sentence: string, part: Part, block: object | undefined, losses: string[]];

/** Parts of a list of messages, which is not repaired. */
export const partRows: readonly BedrockPartRow[] = [
  [
    "B49: a refusal is written as text",
    { type: "refusal", text: "No." },
    { text: "No." },
    ["refusal-as-text /0/parts/0/type"],
  ],
  [
    "B60: log probabilities are reported",
    { type: "text", text: "x", logprobs: [] },
    { text: "x" },
    ["field-unsupported /0/parts/0/logprobs"],
  ],
  [
    "B48: the span of a web citation is dropped",
    { type: "text", text: "x", annotations: [{ kind: "url", url: "u", title: "t", span: { start: 0, end: 1 } }] },
    { citationsContent: { content: [{ text: "x" }], citations: [{ title: "t", location: { web: { url: "u" } } }] } },
    ["field-unsupported /0/parts/0/annotations/0/span"],
  ],
  [
    "B48: a citation of another kind is dropped",
    { type: "text", text: "x", annotations: [{ kind: "file", fileId: "f" }] },
    { text: "x" },
    ["annotation-unsupported /0/parts/0/annotations/0"],
  ],
  [
    "an empty list of annotations is dropped",
    { type: "text", text: "x", annotations: [] },
    { text: "x" },
    ["metadata-dropped /0/parts/0/annotations"],
  ],
  [
    "B6: unsigned reasoning is not sent",
    { type: "reasoning", text: "Hm." },
    undefined,
    ["reasoning-unsupported /0/parts/0"],
  ],
  [
    "B5: reasoning signed by another provider is not sent",
    { type: "reasoning", text: "Hm.", seals: [{ dialect: "anthropic", kind: "signature", value: "x" }] },
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
    { text: "x" },
    ["seal-not-portable /0/parts/0/seals/0", "id-not-portable /0/parts/0/seals/1"],
  ],
  [
    "residue and form of another dialect are reported separately",
    { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
    { text: "x" },
    ["residue-not-portable /0/parts/0/extra/gemini/y", "form-not-portable /0/parts/0/extra/gemini/$form/z"],
  ],
  [
    "residue that conflicts with an encoded field is reported",
    { type: "text", text: "x", extra: { bedrock: { text: "y" } } },
    { text: "x" },
    ["residue-conflict /0/parts/0/extra/bedrock/text"],
  ],
  [
    "data that is not base64 is not written as a list of bytes",
    { type: "image", mimeType: "image/png", data: "?", extra: { bedrock: { $form: { bytes: "list" } } } },
    { image: { format: "png", source: { bytes: "?" } } },
    ["form-stale /0/parts/0/extra/bedrock"],
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
    "an opaque block that is not an object is dropped",
    { type: "opaque", dialect: "bedrock", value: 7 },
    undefined,
    ["part-unsupported /0/parts/0"],
  ],
  [
    "B33: an approval request is dropped",
    { ...call, tool: "mcp_approval_request" },
    undefined,
    ["approval-not-portable /0/parts/0"],
  ],
  [
    "B33: a call that another provider ran is dropped",
    { ...call, executor: "provider", tool: "server_tool_use" },
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
    "B31: the flag of an invalid call is dropped",
    { ...call, invalid: true },
    wireCall,
    ["invalid-call-unsupported /0/parts/0/invalid"],
  ],
  [
    "B46: a file id is not sent",
    { type: "file", fileId: "file-1", issuer: { dialect: "openai-chat" } },
    undefined,
    ["file-id-not-portable /0/parts/0"],
  ],
  [
    "B46: an image URL is not supported",
    { type: "image", url: "https://example.com/a.png" },
    undefined,
    ["media-source-unsupported /0/parts/0"],
  ],
  [
    "a result without content gets an empty list",
    result,
    { toolResult: { toolUseId: "a", content: [] } },
    ["result-empty /0/parts/0/output"],
  ],
  [
    "a single text in the content is reported as output",
    { ...result, content: [{ type: "text", text: "x" }] },
    { toolResult: { toolUseId: "a", content: [{ text: "x" }] } },
    ["text-as-output /0/parts/0/content"],
  ],
  [
    "output beside content becomes its first block",
    { ...result, output: "1", content: [{ type: "text", text: "2" }] },
    { toolResult: { toolUseId: "a", content: [{ text: "1" }, { text: "2" }] } },
    ["output-in-content /0/parts/0/output"],
  ],
  [
    "a tool name that no call has is reported",
    { ...result, toolName: "f", output: { x: 1 } },
    { toolResult: { toolUseId: "a", content: [{ json: { x: 1 } }] } },
    ["result-tool-name-dropped /0/parts/0/toolName"],
  ],
];

/** Parts that are repaired in a request. */
export const repairRows: readonly BedrockPartRow[] = [
  [
    "B22: arguments that are not an object are wrapped in one",
    { ...call, input: "text" },
    { toolUse: { toolUseId: "a", name: "f", input: { value: "text" } } },
    ["arguments-wrapped /messages/1/parts/0/input"],
  ],
  [
    "B16: a rejected call id is replaced",
    { ...call, toolCallId: "call:1" },
    { toolUse: { toolUseId: renamedTo("call_1"), name: "f", input: {} } },
    ["call-id-renamed /messages/1/parts/0/toolCallId"],
  ],
  [
    "B30: a rejected tool name is replaced",
    { ...call, toolName: "look.up" },
    { toolUse: { toolUseId: "a", name: renamedTo("look_up"), input: {} } },
    ["tool-renamed /messages/1/parts/0/toolName"],
  ],
];

/** Matches a replaced name: its accepted beginning and a hash. */
function renamedTo(start: string): RegExp {
  return new RegExp(`^${start}_`);
}

/** Media of a user message, repaired in a request. */
export const mediaRows: readonly BedrockPartRow[] = [
  [
    "B47: a missing type is detected from the data",
    { type: "image", data: "iVBORw0KGgo=" },
    { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
    ["mime-type-corrected /messages/0/parts/0"],
  ],
  [
    "B47: an alias of a MIME type is replaced",
    { type: "image", mimeType: "image/jpg", data: "/9j/" },
    { image: { format: "jpeg", source: { bytes: "/9j/" } } },
    ["mime-type-corrected /messages/0/parts/0/mimeType"],
  ],
  [
    "a data URL is sent as base64",
    { type: "image", url: "data:image/png;base64,iVBORw0KGgo=" },
    { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
    ["media-converted /messages/0/parts/0/url"],
  ],
  [
    "a text file of an unsupported type is sent as text",
    { type: "file", name: "data", mimeType: "application/json", data: "e30=" },
    { document: { format: "txt", name: "data", source: { text: "{}" } } },
    ["mime-type-corrected /messages/0/parts/0/mimeType", "media-converted /messages/0/parts/0/data"],
  ],
  [
    "a document without a name gets one",
    { type: "file", mimeType: "application/pdf", data: "JVBERi0=" },
    { document: { format: "pdf", name: "document-1", source: { bytes: "JVBERi0=" } } },
    ["document-name-synthesized /messages/0/parts/0/name"],
  ],
  [
    "rejected characters in a document's name are replaced",
    { type: "file", name: "laws_of.the  city.pdf", mimeType: "application/pdf", data: "JVBERi0=" },
    { document: { format: "pdf", name: "laws-of-the city-pdf", source: { bytes: "JVBERi0=" } } },
    ["document-renamed /messages/0/parts/0/name"],
  ],
  [
    "media of an unsupported type is dropped",
    { type: "image", mimeType: "image/tiff", data: "SUkq" },
    undefined,
    ["media-format-unsupported /messages/0/parts/0"],
  ],
  [
    "B45: an image in a result is supported",
    { ...result, content: [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }] },
    { toolResult: { toolUseId: "a", content: [{ image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } }] } },
    [],
  ],
];
