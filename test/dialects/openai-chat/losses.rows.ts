// Rows for losses.test.ts: user parts, repaired messages and requests with their losses in Chat.
import type { Message } from "../../../src/model/message.ts";
import { assistant, user } from "../../../src/model/message.ts";
import type { ModelRequest } from "../../../src/model/request.ts";

const anthropicSeal = { dialect: "anthropic", kind: "signature", value: "s" };

/** A part behind a text, the encoded block, and the losses. */
export const userPartRows: [sentence: string, part: unknown, block: object | undefined, losses: string[]][] = [
  [
    "B46: a file by URL is dropped",
    { type: "file", url: "https://example.com/a.pdf" },
    undefined,
    ["media-source-unsupported /0/parts/1"],
  ],
  ["audio by URL is dropped", { type: "audio", url: "u" }, undefined, ["media-source-unsupported /0/parts/1"]],
  ["a blob of a ledger is dropped", { type: "image", blob: "b" }, undefined, ["media-source-unsupported /0/parts/1"]],
  ["video is dropped", { type: "video", url: "u" }, undefined, ["part-unsupported /0/parts/1"]],
  [
    "B46: a file id of another dialect is dropped",
    { type: "file", fileId: "f", issuer: { dialect: "anthropic" } },
    undefined,
    ["file-id-not-portable /0/parts/1"],
  ],
  [
    "a text document is written as text",
    { type: "file", text: "Hi", mimeType: "text/plain", name: "a.txt" },
    { type: "text", text: "Hi" },
    ["document-as-text /0/parts/1/text", "field-unsupported /0/parts/1/name"],
  ],
  [
    "a document with text content is written as text",
    {
      type: "file",
      content: [
        { type: "text", text: "H" },
        { type: "text", text: "i" },
      ],
      mimeType: "text/markdown",
    },
    { type: "text", text: "H\n\ni" },
    ["document-as-text /0/parts/1/content", "field-unsupported /0/parts/1/mimeType"],
  ],
  [
    "an image with text data is written as base64",
    { type: "image", text: "<svg/>", mimeType: "image/svg+xml" },
    { type: "image_url", image_url: { url: "data:image/svg+xml;base64,PHN2Zy8+" } },
    ["text-as-data /0/parts/1/text"],
  ],
  [
    "a missing MIME type is guessed",
    { type: "image", data: "iVBORw0KGgo=" },
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ["mime-type-guessed /0/parts/1/mimeType"],
  ],
  [
    "an image by URL has no name, size or MIME type",
    { type: "image", url: "u", name: "n", size: 3, mimeType: "image/png" },
    { type: "image_url", image_url: { url: "u" } },
    ["field-unsupported /0/parts/1/name", "metadata-dropped /0/parts/1/size", "field-unsupported /0/parts/1/mimeType"],
  ],
  [
    "only one of several sources is written",
    { type: "image", url: "u", data: "aGk=" },
    { type: "image_url", image_url: { url: "u" } },
    ["field-unsupported /0/parts/1/data"],
  ],
  [
    "a user's text has no annotations and log probabilities",
    { type: "text", text: "x", annotations: [{ kind: "other" }], logprobs: [] },
    { type: "text", text: "x" },
    ["field-unsupported /0/parts/1/annotations", "field-unsupported /0/parts/1/logprobs"],
  ],
  [
    "a tool call of a user is dropped",
    { type: "tool-call", toolCallId: "a", toolName: "f", input: {} },
    undefined,
    ["part-unsupported /0/parts/1"],
  ],
  ["reasoning of a user is dropped", { type: "reasoning", text: "r" }, undefined, ["reasoning-unsupported /0/parts/1"]],
  [
    "an opaque block of another dialect is dropped",
    { type: "opaque", dialect: "gemini", value: {} },
    undefined,
    ["opaque-not-portable /0/parts/1"],
  ],
  [
    "an opaque block that refers to stored data of a provider is dropped",
    { type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id: "i" } },
    undefined,
    ["context-not-portable /0/parts/1"],
  ],
  [
    "an opaque value that is not an object is dropped",
    { type: "opaque", dialect: "openai-chat", value: 7 },
    undefined,
    ["part-unsupported /0/parts/1"],
  ],
  [
    "an opaque block is written without other fields",
    { type: "opaque", dialect: "openai-chat", value: { type: "x" }, cache: {}, extra: { "openai-chat": { y: 1 } } },
    { type: "x" },
    ["field-unsupported /0/parts/1/cache", "field-unsupported /0/parts/1/extra/openai-chat/y"],
  ],
  [
    "residue of another dialect is reported, form apart",
    { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
    { type: "text", text: "x" },
    ["residue-not-portable /0/parts/1/extra/gemini/y", "form-not-portable /0/parts/1/extra/gemini/$form/z"],
  ],
  [
    "residue whose field is occupied is reported",
    { type: "image", url: "new", extra: { "openai-chat": { image_url: { url: "old" } } } },
    { type: "image_url", image_url: { url: "new" } },
    ["residue-conflict /0/parts/1/extra/openai-chat/image_url/url"],
  ],
  [
    "B5: seals and ids are written for their issuer only",
    { type: "text", text: "x", seals: [anthropicSeal, { ...anthropicSeal, kind: "id" }] },
    { type: "text", text: "x" },
    ["seal-not-portable /0/parts/1/seals/0", "id-not-portable /0/parts/1/seals/1"],
  ],
  ["a part of an unknown type is dropped", { type: "hologram" }, undefined, ["part-unsupported /0/parts/1"]],
];

/** A message between two user messages, its encoding, and the repairs. Without repairs, there is no loss. */
export const repairedMessageRows: [sentence: string, message: Message, wire: object[], losses: string[]][] = [
  ["B7: an empty user message is dropped", user([]), [], ["message-empty /messages/1"]],
  ["B7: an empty assistant message is dropped", { ...assistant([]), name: "Ada" }, [], ["message-empty /messages/1"]],
  [
    "a text document with base64 data is written as text",
    user([{ type: "file", data: "R3LDvMOfZQ==", mimeType: "text/plain" }]),
    [{ role: "user", content: "Grüße" }],
    ["document-as-text /messages/1/parts/0/data"],
  ],
  [
    "a document that is not UTF-8 stays a file",
    user([{ type: "file", data: "/w==", mimeType: "text/plain", name: "a.txt" }]),
    [
      {
        role: "user",
        content: [{ type: "file", file: { file_data: "data:text/plain;base64,/w==", filename: "a.txt" } }],
      },
    ],
    [],
  ],
  [
    "B46: a PDF without a name gets one",
    user([{ type: "file", data: "aGk=", mimeType: "application/pdf" }]),
    [
      {
        role: "user",
        content: [{ type: "file", file: { file_data: "data:application/pdf;base64,aGk=", filename: "file.pdf" } }],
      },
    ],
    ["field-synthesized /messages/1/parts/0/name"],
  ],
  [
    "audio of an unsupported format is dropped",
    user([
      { type: "audio", data: "aGk=", mimeType: "audio/flac" },
      { type: "text", text: "y" },
    ]),
    [{ role: "user", content: "y" }],
    ["media-format-unsupported /messages/1/parts/0"],
  ],
];

/** Fields of a request beside a plain message, their encoding, and the losses. */
export const requestRows: [sentence: string, request: Partial<ModelRequest>, wire: object, losses: string[]][] = [
  [
    "a schema without a name gets one",
    { output: { type: "json-schema", schema: {} } },
    { response_format: { type: "json_schema", json_schema: { name: "response", schema: {} } } },
    ["field-synthesized /output/name"],
  ],
  [
    "a budget and a summary of reasoning are dropped",
    { reasoning: { effort: "low", budget: 5, summary: "auto" } },
    { reasoning_effort: "low" },
    ["field-unsupported /reasoning/budget", "field-unsupported /reasoning/summary"],
  ],
  [
    "a tool of another provider is dropped, with a choice of only that tool",
    {
      tools: [{ type: "provider", dialect: "anthropic", name: "web_search", value: {} }],
      toolChoice: "required",
    },
    {},
    ["tool-not-portable /tools/0", "tool-settings-dropped /toolChoice"],
  ],
  [
    "a reference to stored data of a provider is reported",
    { extra: { "openai-responses": { previous_response_id: "r", truncation: "auto" } } },
    {},
    [
      "context-not-portable /extra/openai-responses/previous_response_id",
      "residue-not-portable /extra/openai-responses/truncation",
    ],
  ],
  [
    "at most four stop sequences are written",
    { sampling: { stop: ["1", "2", "3", "4", "5"] } },
    { stop: ["1", "2", "3", "4"] },
    ["stop-sequence-limit /sampling/stop/4"],
  ],
  [
    "an empty list of stop sequences is dropped",
    { sampling: { stop: [] } },
    {},
    ["stop-sequence-limit /sampling/stop"],
  ],
  [
    "B60: topLogprobs turns logprobs on",
    { sampling: { topLogprobs: 2 } },
    { logprobs: true, top_logprobs: 2 },
    ["field-synthesized /sampling/logprobs"],
  ],
  [
    "metadata that OpenAI rejects is dropped",
    { metadata: { a: "x", b: { c: 1 } } },
    { metadata: { a: "x" } },
    ["metadata-invalid /metadata/b"],
  ],
  [
    "B53: strict is dropped for a schema that does not comply",
    { tools: [{ type: "function", name: "f", inputSchema: { type: "object" }, strict: true, outputSchema: {} }] },
    { tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] },
    ["strict-disabled /tools/0/strict", "field-unsupported /tools/0/outputSchema"],
  ],
];

/** Codes that only streams cause; stream-encode.test.ts covers them. */
export const STREAM_CODES: ReadonlySet<string> = new Set(["part-split", "late-dropped", "stream-result-dropped"]);
