// Rows of losses in the content of flat parts: reasoning, tools, media and unsupported fields.
import type { Message } from "../../../src/model/message.ts";
import { toolResult, user } from "../../../src/model/message.ts";
import type { Part, ToolCallPart } from "../../../src/model/parts.ts";

/** Title, messages, code and path of every loss, and the wire. */
export type LossRow = [string, Message[], [string, string][], unknown[]];

const assistant = (...parts: unknown[]): Message => ({ role: "assistant", parts: parts as Part[] });
const tool = (...parts: unknown[]): Message => ({ role: "tool", parts: parts as Part[] });
const userMessage = (...parts: unknown[]): Message => ({ role: "user", parts: parts as Part[] });

const call: ToolCallPart = { type: "tool-call", toolCallId: "c", toolName: "f", input: {} };
const result = { type: "tool-result", toolCallId: "c", toolName: "", isError: false };
const signed = { dialect: "anthropic", kind: "signature", value: "s" };
const wireCall = { name: "f", arguments: "{}", id: "c" };

export const contentRows: LossRow[] = [
  [
    "a summary replaces missing reasoning text",
    [assistant({ type: "reasoning", text: "", summary: ["a", "b"] })],
    [["summary-as-text", "/0/parts/0/summary"]],
    [{ role: "assistant", content: "", reasoning: "a\n\nb" }],
  ],
  [
    "B1: a summary never has a signature",
    [assistant({ type: "reasoning", text: "", summary: ["a"], seals: [signed] })],
    [["field-unsupported", "/0/parts/0/summary"]],
    [
      {
        role: "assistant",
        content: "",
        extra: { claude: { thinking_blocks: [{ type: "thinking", thinking: "", signature: "s" }] } },
      },
    ],
  ],
  [
    "a JSON output is written as text",
    [toolResult({ toolCallId: "c", toolName: "f" }, { a: [1] })],
    [["output-as-text", "/0/parts/0/output"]],
    [{ role: "tool", content: '{"a":[1]}', call_id: "c", name: "f" }],
  ],
  [
    "B45: an output beside content becomes the first entry of the list",
    [tool({ ...result, output: "o", content: [{ type: "image", data: "AAAA" }] })],
    [["output-in-content", "/0/parts/0/output"]],
    [
      {
        role: "tool",
        content: [
          { type: "text", text: "o" },
          { type: "image", data: "AAAA" },
        ],
        call_id: "c",
      },
    ],
  ],
  [
    "B27: the error flag of a result",
    [tool({ ...result, output: "", isError: true })],
    [["error-flag-unsupported", "/0/parts/0/isError"]],
    [{ role: "tool", content: "", call_id: "c" }],
  ],
  [
    "B33: calls and results of a provider's tool are dropped",
    [assistant({ ...call, executor: "provider" }, { ...result, executor: "provider", output: "o" })],
    [
      ["provider-tool-unsupported", "/0/parts/0"],
      ["provider-tool-unsupported", "/0/parts/1"],
    ],
    [{ role: "assistant", content: "" }],
  ],
  [
    "executor and format of a tool",
    [assistant({ ...call, tool: "computer_call", executor: "client", format: "json" })],
    [
      ["field-unsupported", "/0/parts/0/tool"],
      ["tool-default-omitted", "/0/parts/0/executor"],
      ["tool-default-omitted", "/0/parts/0/format"],
    ],
    [{ role: "assistant", content: "", tool_calls: [wireCall] }],
  ],
  [
    "B32: free text for a custom tool",
    [assistant({ ...call, input: "go north", format: "text" })],
    [["field-unsupported", "/0/parts/0/format"]],
    [{ role: "assistant", content: "", tool_calls: [{ ...wireCall, arguments: '"go north"' }] }],
  ],
  [
    "B31: the flag of a cut-off call with readable arguments",
    [assistant({ ...call, invalid: true })],
    [["invalid-call-unsupported", "/0/parts/0/invalid"]],
    [{ role: "assistant", content: "", tool_calls: [wireCall] }],
  ],
  [
    "a video is written as a file",
    [userMessage({ type: "video", url: "u", mimeType: "video/mp4" })],
    [["media-as-file", "/0/parts/0/type"]],
    [{ role: "user", content: [{ type: "file", format: "video/mp4", url: "u" }] }],
  ],
  [
    "a text document is written as data",
    [userMessage({ type: "file", text: "Καλημέρα", name: "a.txt" })],
    [["text-as-data", "/0/parts/0/text"]],
    [
      {
        role: "user",
        content: [{ type: "file", name: "a.txt", format: "text/plain", data: "zprOsc67zrfOvM6tz4HOsQ==" }],
      },
    ],
  ],
  [
    "a second source of the same media",
    [userMessage({ type: "file", url: "u", text: "t", path: "/p" })],
    [
      ["field-unsupported", "/0/parts/0/text"],
      ["field-unsupported", "/0/parts/0/path"],
    ],
    [{ role: "user", content: [{ type: "file", url: "u" }] }],
  ],
  [
    "media that only this machine or the ledger can read",
    [
      userMessage(
        { type: "image", path: "/p" },
        { type: "image", blob: "b" },
        { type: "image", content: [] },
        { type: "image" },
      ),
    ],
    [
      ["media-source-unsupported", "/0/parts/0"],
      ["media-source-unsupported", "/0/parts/1"],
      ["media-source-unsupported", "/0/parts/2"],
      ["media-source-unsupported", "/0/parts/3"],
    ],
    [{ role: "user", content: "" }],
  ],
  [
    "unknown part types, and parts in the wrong message",
    [userMessage({ type: "hologram" }), tool({ ...result, content: [{ type: "refusal", text: "r" }] })],
    [
      ["part-unsupported", "/0/parts/0"],
      ["part-unsupported", "/1/parts/0/content/0"],
    ],
    [
      { role: "user", content: "" },
      { role: "tool", content: [], call_id: "c" },
    ],
  ],
  [
    "a verbatim block of another dialect",
    [userMessage({ type: "opaque", dialect: "gemini", value: { a: 1 } })],
    [["opaque-not-portable", "/0/parts/0"]],
    [{ role: "user", content: "" }],
  ],
  [
    "a sender's name on a tool message",
    [{ ...tool({ ...result, output: "" }), name: "Ada" }],
    [["field-unsupported", "/0/name"]],
    [{ role: "tool", content: "", call_id: "c" }],
  ],
  [
    "B48, B60: unsupported fields",
    [
      assistant({
        type: "text",
        text: "t",
        annotations: [{ kind: "url", url: "u" }],
        logprobs: [],
        cache: { ttl: "1h" },
      }),
    ],
    [
      ["field-unsupported", "/0/parts/0/annotations"],
      ["field-unsupported", "/0/parts/0/logprobs"],
      ["metadata-dropped", "/0/parts/0/cache"],
    ],
    [{ role: "assistant", content: "t" }],
  ],
  [
    "metadata",
    [{ ...user("t"), metadata: { model: "m" } }],
    [["metadata-dropped", "/0/metadata"]],
    [{ role: "user", content: "t" }],
  ],
  [
    "residue of other dialects on a part",
    [userMessage({ type: "text", text: "t", extra: { gemini: { a: 1, $form: { b: 2 } } } })],
    [
      ["residue-not-portable", "/0/parts/0/extra/gemini/a"],
      ["form-not-portable", "/0/parts/0/extra/gemini/$form/b"],
    ],
    [{ role: "user", content: "t" }],
  ],
];
