// What both of the AI SDK's shapes lose, row by row: the part, what stands for it, and each loss as "code path".
import type { Message } from "../../src/model/message.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../src/model/parts.ts";

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

/** Rows that both shapes lose alike. */
export const commonRows: LossRow[] = [
  {
    name: "residue of another dialect, and how it spelled things",
    messages: [user({ ...text, extra: { gemini: { a: 1, $form: { b: 2 } } } })],
    losses: ["residue-foreign /0/parts/0/extra/gemini/a", "form-foreign /0/parts/0/extra/gemini/$form/b"],
  },
  {
    name: "B5: a seal that the SDK has no place for",
    messages: [assistant({ ...text, seals: [{ dialect: "openai-chat", kind: "signature", value: "s" }] })],
    losses: ["seal-foreign /0/parts/0/seals/0"],
  },
  {
    name: "B5: an id that the SDK has no place for, and who issued what it has one for",
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
      "id-foreign /0/parts/0/seals/0",
      "bookkeeping /0/parts/0/seals/1/provider",
      "bookkeeping /0/parts/0/seals/1/model",
    ],
  },
  {
    name: "B60: log probabilities",
    messages: [assistant({ ...text, logprobs: [] })],
    losses: ["field-unsaid /0/parts/0/logprobs"],
  },
  {
    name: "a block of another dialect",
    messages: [assistant({ type: "opaque", dialect: "gemini", value: {} })],
    losses: ["opaque-foreign /0/parts/0"],
  },
  {
    name: "a part that nobody knows, and a block that is none",
    messages: [assistant({ type: "smell" }, { type: "opaque", dialect: "ai-sdk-model", value: "odd" })],
    losses: ["part-unsayable /0/parts/0", "part-unsayable /0/parts/1"],
  },
  {
    name: "B49: a refusal goes out as text",
    messages: [assistant({ type: "refusal", text: "No." })],
    losses: ["refusal-as-text /0/parts/0"],
  },
  {
    name: "a summary without an item",
    messages: [assistant({ type: "reasoning", text: "", summary: ["In short."] })],
    losses: ["summary-as-text /0/parts/0/summary"],
  },
  {
    name: "the text of an item, which a reader takes for its summary",
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
    name: "B46: a file id that nobody issued, and files in other places",
    messages: [user({ type: "file", fileId: "f" }, { type: "image", path: "a.png" })],
    losses: ["file-id /0/parts/0", "media-elsewhere /0/parts/1"],
  },
  {
    name: "B47: a file without a type, and one whose type says otherwise",
    messages: [
      user(
        { type: "file", url: "https://example.com/a", size: 1 },
        { type: "file", url: "https://example.com/b", mimeType: "image/png" },
      ),
    ],
    losses: ["mime-guessed /0/parts/0/mimeType", "bookkeeping /0/parts/0/size", "media-retyped /0/parts/1/type"],
  },
  {
    name: "a developer's message is the system's",
    messages: [{ role: "developer", parts: [{ type: "text", text: "x" }] }],
    losses: ["developer-as-system /0/role"],
  },
  {
    name: "who runs a tool and how it speaks",
    messages: [
      assistant({ ...call, executor: "client", format: "text", tool: "shell" }),
      tool({ ...result, format: "json" }),
    ],
    losses: [
      "tool-default /0/parts/0/executor",
      "field-unsaid /0/parts/0/format",
      "field-unsaid /0/parts/0/tool",
      "tool-default /1/parts/0/format",
    ],
  },
  {
    name: "a result that says nothing",
    messages: [assistant(call), tool({ ...result, output: undefined })],
    losses: ["result-empty /1/parts/0/output"],
  },
  {
    name: "B45: an output beside content comes first",
    messages: [assistant(call), tool({ ...result, content: [text] })],
    losses: ["output-in-content /1/parts/0/output"],
  },
  {
    name: "B45: a JSON output beside content is a text",
    messages: [assistant(call), tool({ ...result, output: { a: 1 }, content: [text] })],
    losses: ["output-as-text /1/parts/0/output"],
  },
];
