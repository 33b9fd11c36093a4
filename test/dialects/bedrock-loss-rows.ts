// Parts that Bedrock's blocks cannot say in full: what becomes of each, and what is reported.
import type { Part } from "../../src/model/parts.ts";

const call: Part = { type: "tool-call", toolCallId: "a", toolName: "f", input: {} };
const wireCall = { toolUse: { toolUseId: "a", name: "f", input: {} } };
const result: Part = { type: "tool-result", toolCallId: "a", toolName: "", isError: false };

export type PartRow = readonly [sentence: string, part: Part, block: object | undefined, losses: string[]];

/** As a caller passes them, without repairs. */
export const partRows: readonly PartRow[] = [
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
    ["field-unsaid /0/parts/0/logprobs"],
  ],
  [
    "B48: a page of the web can be cited, a span cannot",
    { type: "text", text: "x", annotations: [{ kind: "url", url: "u", title: "t", span: { start: 0, end: 1 } }] },
    { citationsContent: { content: [{ text: "x" }], citations: [{ title: "t", location: { web: { url: "u" } } }] } },
    ["field-unsaid /0/parts/0/annotations/0/span"],
  ],
  [
    "B48: a file cannot be cited",
    { type: "text", text: "x", annotations: [{ kind: "file", fileId: "f" }] },
    { text: "x" },
    ["annotation-unsaid /0/parts/0/annotations/0"],
  ],
  [
    "no citations are no block of citations",
    { type: "text", text: "x", annotations: [] },
    { text: "x" },
    ["bookkeeping /0/parts/0/annotations"],
  ],
  [
    "B6: reasoning that nobody signed is never sent",
    { type: "reasoning", text: "Hm." },
    undefined,
    ["reasoning-unsaid /0/parts/0"],
  ],
  [
    "B5: reasoning that another signed is not sent",
    { type: "reasoning", text: "Hm.", seals: [{ dialect: "anthropic", kind: "signature", value: "x" }] },
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
    { text: "x" },
    ["seal-foreign /0/parts/0/seals/0", "id-foreign /0/parts/0/seals/1"],
  ],
  [
    "residue of another dialect is reported, form apart",
    { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
    { text: "x" },
    ["residue-foreign /0/parts/0/extra/gemini/y", "form-foreign /0/parts/0/extra/gemini/$form/z"],
  ],
  [
    "a kept field whose place is taken is reported",
    { type: "text", text: "x", extra: { bedrock: { text: "y" } } },
    { text: "x" },
    ["residue-clash /0/parts/0/extra/bedrock/text"],
  ],
  [
    "bytes that are no base64 are not written as a list of bytes",
    { type: "image", mimeType: "image/png", data: "?", extra: { bedrock: { $form: { bytes: "list" } } } },
    { image: { format: "png", source: { bytes: "?" } } },
    ["form-stale /0/parts/0/extra/bedrock"],
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
    "a block that is no object",
    { type: "opaque", dialect: "bedrock", value: 7 },
    undefined,
    ["part-unsayable /0/parts/0"],
  ],
  [
    "B33: a call that asks for an approval is left out",
    { ...call, tool: "mcp_approval_request" },
    undefined,
    ["approval-foreign /0/parts/0"],
  ],
  [
    "B33: what another provider ran is left out",
    { ...call, executor: "provider", tool: "server_tool_use" },
    undefined,
    ["provider-tool /0/parts/0"],
  ],
  [
    "that the client runs a tool goes unsaid",
    { ...call, executor: "client", format: "json" },
    wireCall,
    ["tool-default /0/parts/0/executor", "tool-default /0/parts/0/format"],
  ],
  [
    "B31: nothing says that a call must not be executed",
    { ...call, invalid: true },
    wireCall,
    ["call-invalid /0/parts/0/invalid"],
  ],
  [
    "B46: a provider's file id means nothing here",
    { type: "file", fileId: "file-1", issuer: { dialect: "openai-chat" } },
    undefined,
    ["file-id /0/parts/0"],
  ],
  [
    "B46: media of the web are not fetched",
    { type: "image", url: "https://example.com/a.png" },
    undefined,
    ["media-elsewhere /0/parts/0"],
  ],
  [
    "a result without content gets an empty list",
    result,
    { toolResult: { toolUseId: "a", content: [] } },
    ["result-empty /0/parts/0/output"],
  ],
  [
    "a text that is all of the content is the output",
    { ...result, content: [{ type: "text", text: "x" }] },
    { toolResult: { toolUseId: "a", content: [{ text: "x" }] } },
    ["text-as-output /0/parts/0/content"],
  ],
  [
    "output beside parts is the first of them",
    { ...result, output: "1", content: [{ type: "text", text: "2" }] },
    { toolResult: { toolUseId: "a", content: [{ text: "1" }, { text: "2" }] } },
    ["output-in-content /0/parts/0/output"],
  ],
  [
    "a name that no call gives is reported",
    { ...result, toolName: "f", output: { x: 1 } },
    { toolResult: { toolUseId: "a", content: [{ json: { x: 1 } }] } },
    ["tool-name /0/parts/0/toolName"],
  ],
];

/** What is mended, in a request. */
export const repairRows: readonly PartRow[] = [
  [
    "B22: arguments that are no object are put into one",
    { ...call, input: "text" },
    { toolUse: { toolUseId: "a", name: "f", input: { value: "text" } } },
    ["arguments-wrapped /messages/1/parts/0/input"],
  ],
  [
    "B16: an id that the target does not take is mapped",
    { ...call, toolCallId: "call:1" },
    { toolUse: { toolUseId: named("call_1"), name: "f", input: {} } },
    ["call-id-renamed /messages/1/parts/0/toolCallId"],
  ],
  [
    "B30: a name that the target does not take is mapped",
    { ...call, toolName: "look.up" },
    { toolUse: { toolUseId: "a", name: named("look_up"), input: {} } },
    ["tool-renamed /messages/1/parts/0/toolName"],
  ],
];

/** A name that keeps what can be kept; the rest of it is a hash. */
function named(start: string): RegExp {
  return new RegExp(`^${start}_`);
}

/** Media of a user, in a request. */
export const mediaRows: readonly PartRow[] = [
  [
    "B47: a type that is not said is read from the bytes",
    { type: "image", data: "iVBORw0KGgo=" },
    { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
    ["media-type /messages/0/parts/0"],
  ],
  [
    "B47: another word for a type",
    { type: "image", mimeType: "image/jpg", data: "/9j/" },
    { image: { format: "jpeg", source: { bytes: "/9j/" } } },
    ["media-type /messages/0/parts/0/mimeType"],
  ],
  [
    "a data URL is what its bytes are",
    { type: "image", url: "data:image/png;base64,iVBORw0KGgo=" },
    { image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } },
    ["media-inlined /messages/0/parts/0/url"],
  ],
  [
    "a text of a type that nobody takes is a text",
    { type: "file", name: "data", mimeType: "application/json", data: "e30=" },
    { document: { format: "txt", name: "data", source: { text: "{}" } } },
    ["media-type /messages/0/parts/0/mimeType", "media-inlined /messages/0/parts/0/data"],
  ],
  [
    "a document has a name",
    { type: "file", mimeType: "application/pdf", data: "JVBERi0=" },
    { document: { format: "pdf", name: "document-1", source: { bytes: "JVBERi0=" } } },
    ["document-named /messages/0/parts/0/name"],
  ],
  [
    "a document has a name that the target takes",
    { type: "file", name: "laws_of.the  city.pdf", mimeType: "application/pdf", data: "JVBERi0=" },
    { document: { format: "pdf", name: "laws-of-the city-pdf", source: { bytes: "JVBERi0=" } } },
    ["document-renamed /messages/0/parts/0/name"],
  ],
  [
    "a type that nobody takes is left out",
    { type: "image", mimeType: "image/tiff", data: "SUkq" },
    undefined,
    ["media-unfit /messages/0/parts/0"],
  ],
  [
    "B45: an image in a result stays in it",
    { ...result, content: [{ type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }] },
    { toolResult: { toolUseId: "a", content: [{ image: { format: "png", source: { bytes: "iVBORw0KGgo=" } } }] } },
    [],
  ],
];
