// Losses that both AI SDK formats have, one row each: messages, and each loss as "code path".
import type { Message } from "../../../src/model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../../src/model/parts.ts";

export interface LossRow {
  name: string;
  messages: Message[];
  losses: string[];
}

export const assistant = (...parts: unknown[]): Message => ({ role: "assistant", parts: parts as Part[] });
export const user = (...parts: unknown[]): Message => ({ role: "user", parts: parts as Part[] });
export const tool = (...parts: unknown[]): Message => ({ role: "tool", parts: parts as Part[] });

export const call: ToolCallPart = { type: "tool-call", toolCallId: "c", toolName: "f", input: {} };
export const result: ToolResultPart = {
  type: "tool-result",
  toolCallId: "c",
  toolName: "f",
  isError: false,
  output: "x",
};
const text = { type: "text", text: "x" };

/** Rows with the same losses in both formats. */
export const commonRows: LossRow[] = [
  {
    name: "residue and form of another dialect",
    messages: [user({ ...text, extra: { gemini: { a: 1, $form: { b: 2 } } } })],
    losses: ["residue-not-portable /0/parts/0/extra/gemini/a", "form-not-portable /0/parts/0/extra/gemini/$form/b"],
  },
  {
    name: "B5: a seal without an SDK field",
    messages: [assistant({ ...text, seals: [{ dialect: "openai-chat", kind: "signature", value: "s" }] })],
    losses: ["seal-not-portable /0/parts/0/seals/0"],
  },
  {
    name: "B5: an id without an SDK field, and the issuer of a seal that has one",
    messages: [
      assistant({
        type: "reasoning",
        text: "Hm.",
        seals: [
          { dialect: "openai-chat", kind: "id", value: "i" },
          { dialect: "anthropic", kind: "signature", value: "s", provider: "p", model: "m" },
        ],
      }),
    ],
    losses: [
      "id-not-portable /0/parts/0/seals/0",
      "metadata-dropped /0/parts/0/seals/1/provider",
      "metadata-dropped /0/parts/0/seals/1/model",
    ],
  },
  {
    name: "B60: log probabilities",
    messages: [assistant({ ...text, logprobs: [] })],
    losses: ["field-unsupported /0/parts/0/logprobs"],
  },
  {
    name: "a block of another dialect",
    messages: [assistant({ type: "opaque", dialect: "gemini", value: {} })],
    losses: ["opaque-not-portable /0/parts/0"],
  },
  {
    name: "a part of an unknown type, and an opaque value that is not an object",
    messages: [assistant({ type: "smell" }, { type: "opaque", dialect: "ai-sdk-model", value: "odd" })],
    losses: ["part-unsupported /0/parts/0", "part-unsupported /0/parts/1"],
  },
  {
    name: "B49: a refusal is encoded as text",
    messages: [assistant({ type: "refusal", text: "No." })],
    losses: ["refusal-as-text /0/parts/0"],
  },
  {
    name: "a summary without an OpenAI item",
    messages: [assistant({ type: "reasoning", text: "", summary: ["In short."] })],
    losses: ["summary-as-text /0/parts/0/summary"],
  },
  {
    name: "the text of an OpenAI item, which is decoded as its summary",
    messages: [
      assistant({
        type: "reasoning",
        text: "Raw.",
        seals: [{ dialect: "openai-responses", kind: "id", value: "rs" }],
      }),
    ],
    losses: ["summary-as-text /0/parts/0/text"],
  },
  {
    name: "B46: a file id without an issuer, and unsupported media sources",
    messages: [user({ type: "file", fileId: "f" }, { type: "image", path: "a.png" })],
    losses: ["file-id-not-portable /0/parts/0", "media-source-unsupported /0/parts/1"],
  },
  {
    name: "B47: a file without a MIME type, and one whose MIME type contradicts its part type",
    messages: [
      user(
        { type: "file", url: "https://example.com/a", size: 1 },
        { type: "file", url: "https://example.com/b", mimeType: "image/png" },
      ),
    ],
    losses: [
      "mime-type-guessed /0/parts/0/mimeType",
      "metadata-dropped /0/parts/0/size",
      "media-kind-changed /0/parts/1/type",
    ],
  },
  {
    name: "a developer message becomes a system message",
    messages: [{ role: "developer", parts: [{ type: "text", text: "x" }] }],
    losses: ["developer-as-system /0/role"],
  },
  {
    name: "executor and format of a tool",
    messages: [
      assistant({ ...call, executor: "client", format: "text", tool: "shell" }),
      tool({ ...result, format: "json" }),
    ],
    losses: [
      "tool-default-omitted /0/parts/0/executor",
      "field-unsupported /0/parts/0/format",
      "field-unsupported /0/parts/0/tool",
      "tool-default-omitted /1/parts/0/format",
    ],
  },
  {
    name: "a result without output",
    messages: [assistant(call), tool({ ...result, output: undefined })],
    losses: ["result-empty /1/parts/0/output"],
  },
  {
    name: "B45: an output next to content becomes the first entry",
    messages: [assistant(call), tool({ ...result, content: [text] })],
    losses: ["output-in-content /1/parts/0/output"],
  },
  {
    name: "B45: a JSON output next to content becomes a text",
    messages: [assistant(call), tool({ ...result, output: { a: 1 }, content: [text] })],
    losses: ["output-as-text /1/parts/0/output"],
  },
];
