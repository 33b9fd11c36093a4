// What is lost of a user's message on its way into Chat, part by part.
import type { Message } from "../../src/model/message.ts";
import { assistant, user } from "../../src/model/message.ts";
import type { ModelRequest } from "../../src/model/request.ts";

const foreign = { dialect: "anthropic", kind: "signature", value: "s" };

/** A part behind a text, the block it becomes, and the losses. */
export const userRows: [sentence: string, part: unknown, block: object | undefined, losses: string[]][] = [
  [
    "B46: a file by its URL cannot be said",
    { type: "file", url: "https://example.com/a.pdf" },
    undefined,
    ["media-elsewhere /0/parts/1"],
  ],
  ["audio by its URL neither", { type: "audio", url: "u" }, undefined, ["media-elsewhere /0/parts/1"]],
  ["nor what is in a ledger", { type: "image", blob: "b" }, undefined, ["media-elsewhere /0/parts/1"]],
  ["video is unsayable", { type: "video", url: "u" }, undefined, ["part-unsayable /0/parts/1"]],
  [
    "B46: a file id of another dialect breaks",
    { type: "file", fileId: "f", issuer: { dialect: "anthropic" } },
    undefined,
    ["file-id /0/parts/1"],
  ],
  [
    "a text document is written as text",
    { type: "file", text: "Hi", mimeType: "text/plain", name: "a.txt" },
    { type: "text", text: "Hi" },
    ["document-as-text /0/parts/1/text", "field-unsaid /0/parts/1/name"],
  ],
  [
    "a document of texts likewise",
    {
      type: "file",
      content: [
        { type: "text", text: "H" },
        { type: "text", text: "i" },
      ],
      mimeType: "text/markdown",
    },
    { type: "text", text: "H\n\ni" },
    ["document-as-text /0/parts/1/content", "field-unsaid /0/parts/1/mimeType"],
  ],
  [
    "an image that is a text is written as base64",
    { type: "image", text: "<svg/>", mimeType: "image/svg+xml" },
    { type: "image_url", image_url: { url: "data:image/svg+xml;base64,PHN2Zy8+" } },
    ["text-as-data /0/parts/1/text"],
  ],
  [
    "a type that nobody gave is guessed",
    { type: "image", data: "iVBORw0KGgo=" },
    { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
    ["mime-guessed /0/parts/1/mimeType"],
  ],
  [
    "an image has no name, size or type beside its URL",
    { type: "image", url: "u", name: "n", size: 3, mimeType: "image/png" },
    { type: "image_url", image_url: { url: "u" } },
    ["field-unsaid /0/parts/1/name", "bookkeeping /0/parts/1/size", "field-unsaid /0/parts/1/mimeType"],
  ],
  [
    "of several sources one is written",
    { type: "image", url: "u", data: "aGk=" },
    { type: "image_url", image_url: { url: "u" } },
    ["field-unsaid /0/parts/1/data"],
  ],
  [
    "annotations and log probabilities have no place in a user's text",
    { type: "text", text: "x", annotations: [{ kind: "other" }], logprobs: [] },
    { type: "text", text: "x" },
    ["field-unsaid /0/parts/1/annotations", "field-unsaid /0/parts/1/logprobs"],
  ],
  [
    "only an assistant calls",
    { type: "tool-call", toolCallId: "a", toolName: "f", input: {} },
    undefined,
    ["part-unsayable /0/parts/1"],
  ],
  ["only an assistant reasons", { type: "reasoning", text: "r" }, undefined, ["reasoning-unsaid /0/parts/1"]],
  [
    "a block of another dialect is left out",
    { type: "opaque", dialect: "gemini", value: {} },
    undefined,
    ["opaque-foreign /0/parts/1"],
  ],
  [
    "one that stands for what a provider has stored breaks",
    { type: "opaque", dialect: "openai-responses", value: { type: "item_reference", id: "i" } },
    undefined,
    ["context-foreign /0/parts/1"],
  ],
  [
    "a verbatim value that is no block is left out",
    { type: "opaque", dialect: "openai-chat", value: 7 },
    undefined,
    ["part-unsayable /0/parts/1"],
  ],
  [
    "a verbatim block has room for nothing else",
    { type: "opaque", dialect: "openai-chat", value: { type: "x" }, cache: {}, extra: { "openai-chat": { y: 1 } } },
    { type: "x" },
    ["field-unsaid /0/parts/1/cache", "field-unsaid /0/parts/1/extra/openai-chat/y"],
  ],
  [
    "residue of another dialect is reported, form apart",
    { type: "text", text: "x", extra: { gemini: { y: 1, $form: { z: 1 } } } },
    { type: "text", text: "x" },
    ["residue-foreign /0/parts/1/extra/gemini/y", "form-foreign /0/parts/1/extra/gemini/$form/z"],
  ],
  [
    "a kept field whose place is taken is reported",
    { type: "image", url: "new", extra: { "openai-chat": { image_url: { url: "old" } } } },
    { type: "image_url", image_url: { url: "new" } },
    ["residue-clash /0/parts/1/extra/openai-chat/image_url/url"],
  ],
  [
    "B5: a seal goes only to its issuer, and an id likewise",
    { type: "text", text: "x", seals: [foreign, { ...foreign, kind: "id" }] },
    { type: "text", text: "x" },
    ["seal-foreign /0/parts/1/seals/0", "id-foreign /0/parts/1/seals/1"],
  ],
  ["a part of a type that nobody knows", { type: "hologram" }, undefined, ["part-unsayable /0/parts/1"]],
];

/** A message between two of the user's, what goes out for it, and the repairs. Without repairs, nothing is lost. */
export const mendedRows: [sentence: string, message: Message, wire: object[], losses: string[]][] = [
  ["B7: a user who says nothing is left out", user([]), [], ["message-empty /messages/1"]],
  ["B7: an assistant likewise", { ...assistant([]), name: "Ada" }, [], ["message-empty /messages/1"]],
  [
    "a text document is written as text, also where it came as data",
    user([{ type: "file", data: "R3LDvMOfZQ==", mimeType: "text/plain" }]),
    [{ role: "user", content: "Grüße" }],
    ["document-as-text /messages/1/parts/0/data"],
  ],
  [
    "one that is no text after all stays a file",
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
    "B46: a PDF needs a name",
    user([{ type: "file", data: "aGk=", mimeType: "application/pdf" }]),
    [
      {
        role: "user",
        content: [{ type: "file", file: { file_data: "data:application/pdf;base64,aGk=", filename: "file.pdf" } }],
      },
    ],
    ["field-filled /messages/1/parts/0/name"],
  ],
  [
    "audio of other formats is left out",
    user([
      { type: "audio", data: "aGk=", mimeType: "audio/flac" },
      { type: "text", text: "y" },
    ]),
    [{ role: "user", content: "y" }],
    ["media-unfit /messages/1/parts/0"],
  ],
];

/** What a request has beside a plain message, what goes out for it, and the losses. */
export const requestRows: [sentence: string, request: Partial<ModelRequest>, wire: object, losses: string[]][] = [
  [
    "a schema without a name gets one",
    { output: { type: "json-schema", schema: {} } },
    { response_format: { type: "json_schema", json_schema: { name: "response", schema: {} } } },
    ["field-filled /output/name"],
  ],
  [
    "a budget and a summary of reasoning cannot be said",
    { reasoning: { effort: "low", budget: 5, summary: "auto" } },
    { reasoning_effort: "low" },
    ["field-unsaid /reasoning/budget", "field-unsaid /reasoning/summary"],
  ],
  [
    "a tool of another provider is left out, and a choice that is about it alone",
    {
      tools: [{ type: "provider", dialect: "anthropic", name: "web_search", value: {} }],
      toolChoice: "required",
    },
    {},
    ["tool-foreign /tools/0", "tools-empty /toolChoice"],
  ],
  [
    "what a provider has stored breaks",
    { extra: { "openai-responses": { previous_response_id: "r", truncation: "auto" } } },
    {},
    [
      "context-foreign /extra/openai-responses/previous_response_id",
      "residue-foreign /extra/openai-responses/truncation",
    ],
  ],
  [
    "at most four stop sequences are taken",
    { sampling: { stop: ["1", "2", "3", "4", "5"] } },
    { stop: ["1", "2", "3", "4"] },
    ["stop-unfit /sampling/stop/4"],
  ],
  ["and no empty list", { sampling: { stop: [] } }, {}, ["stop-unfit /sampling/stop"]],
  [
    "B60: how many log probabilities are wanted says that they are",
    { sampling: { topLogprobs: 2 } },
    { logprobs: true, top_logprobs: 2 },
    ["field-filled /sampling/logprobs"],
  ],
  [
    "metadata that OpenAI does not take is left out",
    { metadata: { a: "x", b: { c: 1 } } },
    { metadata: { a: "x" } },
    ["metadata-unfit /metadata/b"],
  ],
  [
    "B53: strict is not claimed for a schema that does not comply",
    { tools: [{ type: "function", name: "f", inputSchema: { type: "object" }, strict: true, outputSchema: {} }] },
    { tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] },
    ["strict-unmet /tools/0/strict", "field-unsaid /tools/0/outputSchema"],
  ],
];
