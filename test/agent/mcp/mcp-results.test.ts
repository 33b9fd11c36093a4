// Decoded results of MCP servers, and the checks of their options.
import { expect, test } from "vitest";
import { AgentError, type ToolOutput } from "../../../src/agent/index.ts";
import { checkOptions, withSafeListeners } from "../../../src/agent/mcp/check-options.ts";
import { decodeResult } from "../../../src/agent/mcp/decode-result.ts";
import { loadSdkModule } from "../../../src/agent/mcp/load-sdk.ts";
import type { McpServerOptions } from "../../../src/agent/mcp/index.ts";
import { dialect, type Part, toolCall, user } from "../../../src/index.ts";
import { requireError } from "../../support/require-error.ts";

const textBlock = (text: string): object => ({ type: "text", text });
const uri = "file:///notes/a%20b.md?rev=2";

const RESULTS: [sentence: string, result: Record<string, unknown>, output: ToolOutput][] = [
  ["no content is an empty output", { content: [] }, { output: "" }],
  ["one text is the output", { content: [textBlock("a")] }, { output: "a" }],
  ["an empty text is an empty output", { content: [textBlock("")], isError: true }, { isError: true, output: "" }],
  [
    "several texts are content",
    { content: [textBlock("a"), textBlock("b")] },
    { content: [textBlock("a"), textBlock("b")] as Part[] },
  ],
  [
    "annotations of a text are stored as residue",
    { content: [{ type: "text", text: "a", annotations: { audience: ["user"] }, _meta: { k: 1 } }] },
    {
      content: [{ type: "text", text: "a", extra: { mcp: { annotations: { audience: ["user"] }, _meta: { k: 1 } } } }],
    },
  ],
  ["structured content is the output", { content: [], structuredContent: { a: 1 } }, { output: { a: 1 } }],
  [
    "a text that repeats the structured content is dropped, whatever its spelling",
    { content: [textBlock('{ "b": 2, "a": 1 }')], structuredContent: { a: 1, b: 2 } },
    { output: { a: 1, b: 2 } },
  ],
  [
    "another text is added to the structured content",
    { content: [textBlock("One."), textBlock('{"a":2}')], structuredContent: { a: 1 } },
    { output: { a: 1 }, content: [textBlock("One."), textBlock('{"a":2}')] as Part[] },
  ],
  [
    "audio is content, and the output describes it",
    { content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] },
    { output: "1 audio", content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] },
  ],
  [
    "images without a text are counted in the output",
    {
      content: [
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "image", data: "AAAB", mimeType: "image/png" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      ],
    },
    {
      output: "2 images, 1 audio",
      content: [
        { type: "image", data: "AAAA", mimeType: "image/png" },
        { type: "image", data: "AAAB", mimeType: "image/png" },
        { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      ],
    },
  ],
  [
    "images with a text need no description",
    { content: [textBlock("Look:"), { type: "image", data: "AAAA", mimeType: "image/png" }] },
    { content: [textBlock("Look:") as Part, { type: "image", data: "AAAA", mimeType: "image/png" }] },
  ],
  [
    "a text resource is a file with its name and URI",
    {
      content: [
        { type: "resource", resource: { uri, mimeType: "text/markdown", text: "# A" }, annotations: { priority: 1 } },
      ],
    },
    {
      output: "1 file",
      content: [
        {
          type: "file",
          text: "# A",
          mimeType: "text/markdown",
          name: "a%20b.md",
          extra: { mcp: { annotations: { priority: 1 }, uri } },
        },
      ],
    },
  ],
  [
    "a binary resource has the type of its MIME type",
    {
      content: [
        { type: "resource", resource: { uri: "a:1", mimeType: "image/png", blob: "AAAA" } },
        { type: "resource", resource: { uri: "a:2", mimeType: "application/pdf", blob: "AAAA" } },
        { type: "resource", resource: { uri: "a:3", blob: "AAAA" } },
      ],
    },
    {
      output: "1 image, 2 files",
      content: [
        { type: "image", data: "AAAA", mimeType: "image/png", name: "a:1", extra: { mcp: { uri: "a:1" } } },
        { type: "file", data: "AAAA", mimeType: "application/pdf", name: "a:2", extra: { mcp: { uri: "a:2" } } },
        { type: "file", data: "AAAA", name: "a:3", extra: { mcp: { uri: "a:3" } } },
      ],
    },
  ],
  [
    "an SVG resource is a file",
    { content: [{ type: "resource", resource: { uri: "a.svg", mimeType: "image/svg+xml", text: "<svg/>" } }] },
    {
      output: "1 file",
      content: [
        { type: "file", text: "<svg/>", mimeType: "image/svg+xml", name: "a.svg", extra: { mcp: { uri: "a.svg" } } },
      ],
    },
  ],
  [
    "a link becomes a text because no provider can follow it",
    {
      content: [{ type: "resource_link", uri: "db://t/1", name: "row", mimeType: "text/csv", description: "The row." }],
    },
    { output: 'Resource "row" db://t/1 (text/csv): The row.' },
  ],
  [
    "further fields of a link are stored as residue",
    { content: [{ type: "resource_link", uri: "db://t/1", name: "row", title: "Row 1", size: 12 }] },
    { content: [{ type: "text", text: 'Resource "Row 1" db://t/1', extra: { mcp: { name: "row", size: 12 } } }] },
  ],
  [
    "B43: an unknown block is stored unchanged and sent as JSON",
    { content: [{ type: "hologram", depth: 3 }] },
    {
      output: '{"type":"hologram","depth":3}',
      content: [{ type: "opaque", dialect: "mcp", value: { type: "hologram", depth: 3 } }],
    },
  ],
  [
    "B43: so are blocks with invalid fields",
    { content: [{ type: "text" }, { type: "image", url: "x" }, { type: "resource" }, { type: "resource_link" }, 7] },
    {
      output: '{"type":"text"}\n{"type":"image","url":"x"}\n{"type":"resource"}\n{"type":"resource_link"}\n7',
      content: [{ type: "text" }, { type: "image", url: "x" }, { type: "resource" }, { type: "resource_link" }, 7].map(
        (value): Part => ({ type: "opaque", dialect: "mcp", value }),
      ),
    },
  ],
  ["a result of the first protocol revision is the output", { toolResult: { a: 1 } }, { output: { a: 1 } }],
  ["content of another type counts as none", { content: "a" }, { output: "" }],
];

test.each(RESULTS)("%s", (_sentence, result, output) => {
  expect(decodeResult(result)).toStrictEqual(output);
});

test.each(RESULTS)("every provider accepts: %s", (_sentence, result) => {
  const output = decodeResult(result);
  const part: Part = { type: "tool-result", toolCallId: "c1", toolName: "t", isError: false, ...output };
  const messages = [
    user("x"),
    { role: "assistant" as const, parts: [toolCall("c1", "t", {})] },
    { role: "tool" as const, parts: [part] },
  ];
  for (const name of ["openai-chat", "openai-responses", "anthropic", "gemini"] as const) {
    const { losses } = dialect(name).encodeRequest({ model: "m", messages });
    expect(losses.filter(({ level, code }) => level === "breaks" || code === "result-empty")).toStrictEqual([]);
  }
});

const WRONG: [sentence: string, options: unknown, path: string, message: string][] = [
  ["no object", "npx", "", "an object"],
  ["neither a command nor a URL", { name: "a" }, "", "either a `command`"],
  ["a command and a URL", { name: "a", command: "x", url: "http://x" }, "", "either a `command`"],
  ["no name", { command: "x" }, "/name", "needs a name"],
  ["an empty name", { name: "", command: "x" }, "/name", "a name"],
  ["an unknown option", { name: "a", command: "x", cmd: "y" }, "/cmd", "The options are: name, prefix"],
  ["an option of the other kind", { name: "a", url: "http://x", env: {} }, "/env", "The options are: name, prefix"],
  ["an invalid list", { name: "a", command: "x", args: "-y" }, "/args", "a list of texts"],
  ["an environment of numbers", { name: "a", command: "x", env: { A: 1 } }, "/env", "an object of texts"],
  ["a URL with another scheme", { name: "a", url: "ftp://x" }, "/url", "begins with http://"],
  ["an invalid URL", { name: "a", url: "x" }, "/url", "begins with http://"],
  ["invalid headers", { name: "a", url: "http://x", headers: "k" }, "/headers", "an object of texts"],
  ["an unknown rule", { name: "a", command: "x", retry: "always" }, "/retry", '"safe", "never"'],
  ["an unknown rule for a tool", { name: "a", command: "x", retry: { b: true } }, "/retry", '"safe", "never"'],
  ["a limit of zero", { name: "a", command: "x", timeouts: { callMs: 0 } }, "/timeouts/callMs", "milliseconds above 0"],
  ["an unknown limit", { name: "a", command: "x", timeouts: { ms: 1 } }, "/timeouts/ms", "connectMs, callMs, gapMs"],
];

test.each(WRONG)("options are rejected: %s", (_sentence, options, path, message) => {
  // Options of a caller without static types.
  const error = requireError(AgentError, () => checkOptions(options as McpServerOptions));
  expect(error).toMatchObject({ code: "invalid-input", path });
  expect(error.message).toContain(message);
});

test("a misplaced secret is not in the error", () => {
  const options = { name: "a", url: "http://x", headers: ["s3cret"] };
  const error = requireError(AgentError, () => checkOptions(options as unknown as McpServerOptions));
  expect(JSON.stringify([error, error.message])).not.toContain("s3cret");
});

test("options may be undefined", () => {
  expect(() =>
    checkOptions({ name: "a", command: "x", args: undefined, env: undefined, timeouts: undefined }),
  ).not.toThrow();
});

test("listeners that throw have no effect", () => {
  const events: unknown[] = [];
  const fail = (what: unknown): void => {
    events.push(what);
    throw new Error("not now");
  };
  const later = async (what: unknown): Promise<void> => fail(what);
  const progress = { toolCallId: "c1", toolName: "t", progress: 1 };
  const problem = new AgentError("mcp-failed", "x");
  for (const listener of [fail, later]) {
    const options = { name: "a", command: "x", onProgress: listener, onProblem: listener, onStderr: listener };
    const safe = withSafeListeners(options);
    expect(() => {
      safe.onProgress?.(progress);
      safe.onProblem?.(problem);
      if ("command" in safe) safe.onStderr?.("diagnostics");
    }).not.toThrow();
  }
  expect(events).toStrictEqual([progress, problem, "diagnostics", progress, problem, "diagnostics"]);
});

test("without the package, the error has the install command", async () => {
  const absent = loadSdkModule(() => Promise.reject(new Error("Cannot find package")));
  await expect(absent).rejects.toThrow("npm install @modelcontextprotocol/sdk");
  await expect(absent).rejects.toMatchObject({ code: "missing-package" });
});
