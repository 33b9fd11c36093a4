// `validate` returns issues for shapes, enumerated values, sources, roles and the order of messages. It never throws.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  assistant,
  developer,
  system,
  text,
  toolCall,
  toolResult,
  user,
  validate,
  validateMessages,
  validateRequest,
  validateResponse,
} from "../../src/model/index.ts";
import type { IssueCode, Message } from "../../src/model/index.ts";
import { canonicalMessages } from "../../src/testkit/index.ts";
import { json } from "../support/arbitrary.ts";

const STORED = {
  id: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  parentMessageId: null,
  role: "user",
  parts: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  metadata: { schemaVersion: 2 },
};
const deep = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
cycle["again"] = cycle;

const WRONG: [sentence: string, value: unknown, path: string, code: IssueCode][] = [
  ["no object", 7, "", "wrong-type"],
  ["null", null, "", "wrong-type"],
  ["a list", [], "", "wrong-type"],
  ["no role", { parts: [] }, "", "missing-field"],
  ["an unknown role", { role: "narrator", parts: [] }, "/role", "unknown-word"],
  ["parts that are no list", { role: "user", parts: {} }, "/parts", "wrong-type"],
  ["a part that is no object", { role: "user", parts: ["hello"] }, "/parts/0", "wrong-type"],
  ["a part without a type", { role: "user", parts: [{}] }, "/parts/0/type", "wrong-type"],
  ["an unknown part type", { role: "user", parts: [{ type: "smell" }] }, "/parts/0/type", "unknown-part-type"],
  [
    "a part type with a name from Object.prototype",
    { role: "user", parts: [{ type: "constructor" }] },
    "/parts/0/type",
    "unknown-part-type",
  ],
  ["a text without its text", { role: "user", parts: [{ type: "text" }] }, "/parts/0", "missing-field"],
  [
    "a misspelled field",
    { role: "user", parts: [{ type: "text", text: "", txt: "" }] },
    "/parts/0/txt",
    "unknown-field",
  ],
  ["media without a source", { role: "user", parts: [{ type: "image" }] }, "/parts/0", "one-source"],
  [
    "media with two sources",
    { role: "user", parts: [{ type: "image", url: "u", data: "d" }] },
    "/parts/0",
    "one-source",
  ],
  [
    "a seal without an issuer",
    { role: "user", parts: [{ type: "text", text: "", seals: [{ kind: "id", value: "" }] }] },
    "/parts/0/seals/0",
    "missing-field",
  ],
  [
    "an unknown ttl",
    { role: "user", parts: [{ type: "text", text: "", cache: { ttl: "2d" } }] },
    "/parts/0/cache/ttl",
    "unknown-word",
  ],
  ["residue that is no object", { role: "user", parts: [], extra: { "a/b": 1 } }, "/extra/a~1b", "wrong-type"],
  [
    "an input without a JSON form",
    { role: "assistant", parts: [toolCall("a", "b", { when: new Date(0) })] },
    "/parts/0/input/when",
    "not-json",
  ],
  [
    "a number that is not finite",
    { role: "assistant", parts: [toolCall("a", "b", [Number.NaN])] },
    "/parts/0/input/0",
    "not-json",
  ],
  ["a cycle", { role: "assistant", parts: [toolCall("a", "b", cycle)] }, "/parts/0/input/self", "not-json"],
  [
    "10,000 levels",
    { role: "assistant", parts: [toolCall("a", "b", deep(10_000))] },
    `/parts/0/input${"/0".repeat(998)}`,
    "too-deep",
  ],
  [
    "a missing input",
    { role: "assistant", parts: [{ type: "tool-call", toolCallId: "a", toolName: "b" }] },
    "/parts/0",
    "missing-field",
  ],
  ["a stored id that is no ULID", { ...STORED, id: "msg_1" }, "/id", "wrong-format"],
  ["an invalid stored time", { ...STORED, createdAt: "yesterday" }, "/createdAt", "wrong-format"],
  ["a stored message without a version", { ...STORED, metadata: {} }, "/metadata", "missing-field"],
];

const MISPLACED: [sentence: string, message: unknown, path: string][] = [
  ["a call in a user message", user([toolCall("a", "b", {})]), "/parts/0"],
  ["media in a system message", system([text("a"), { type: "image", url: "u" }]), "/parts/1"],
  ["media in a developer message", developer([{ type: "image", url: "u" }]), "/parts/0"],
  ["reasoning in a system message: preserved, and reported", system([{ type: "reasoning", text: "hm" }]), "/parts/0"],
  ["a refusal in a user message", user([{ type: "refusal", text: "no" }]), "/parts/0"],
  ["text in a tool message", { role: "tool", parts: [text("a")] }, "/parts/0"],
  ["a client's result in an assistant message", assistant(toolResult(toolCall("a", "b", {}), 1).parts), "/parts/0"],
];

describe("validate", () => {
  test.each(WRONG)("%s is reported with its path", (_, value, path, code) => {
    expect(validate(value)).toContainEqual({ path, code, message: expect.any(String) as string });
  });

  test.each(MISPLACED)("%s violates a role's rule", (_, message, path) => {
    expect(validate(message)).toMatchObject([{ path, code: "role-part" }]);
  });

  test("a valid message has no issues", () => {
    expect(canonicalMessages().flatMap((message) => validate(message))).toEqual([]);
    expect(
      validate({
        ...STORED,
        parentMessageId: "01ARZ3NDEKTSV4RRFFQ69G5FAW",
        metadata: { schemaVersion: 2, anything: [1] },
      }),
    ).toEqual([]);
  });

  test("a provider's result belongs to the assistant, opaque parts to every role", () => {
    const call = toolCall("a", "search", {}, { executor: "provider" });
    expect(validate(assistant([call, ...toolResult(call, "x").parts]))).toEqual([]);
    expect(validate(system([{ type: "opaque", dialect: "x", value: null }]))).toEqual([]);
  });

  test("any value is validated without an exception or a hang", () => {
    fc.assert(
      fc.property(fc.anything(), json, (anything, value) => {
        validate(anything);
        validate({ role: "user", parts: [anything, value] });
        validateMessages([anything, value]);
        validateRequest(anything);
        validateResponse(value);
      }),
    );
  });
});

const a = toolCall("a", "tool", {});
const inRun = (runId: string, message: Message): Message => ({ ...message, metadata: { runId } });

const ACROSS: [sentence: string, messages: Message[], issues: [path: string, code: IssueCode][]][] = [
  ["a call and its result", [assistant([a]), toolResult(a, 1)], []],
  ["a call without a result yet", [assistant([a])], []],
  ["two calls with one id", [assistant([a]), assistant([a])], [["/1/parts/0/toolCallId", "duplicate-call"]]],
  [
    "one id in two runs",
    [
      inRun("r1", assistant([a])),
      inRun("r1", toolResult(a, 1)),
      inRun("r2", assistant([a])),
      inRun("r2", toolResult(a, 1)),
    ],
    [],
  ],
  [
    "one id in two runs that interleave",
    [
      inRun("r1", assistant([a])),
      inRun("r2", assistant([a])),
      inRun("r1", toolResult(a, 1)),
      inRun("r2", toolResult(a, 1)),
    ],
    [],
  ],
  [
    "an id that is used again in its run, with another run in between",
    [inRun("r1", assistant([a])), inRun("r2", assistant([a])), inRun("r1", assistant([a]))],
    [["/2/parts/0/toolCallId", "duplicate-call"]],
  ],
  ["a result that comes in a later run", [inRun("r1", assistant([a])), inRun("r2", toolResult(a, 1))], []],
  [
    "two results for one call",
    [assistant([a]), toolResult(a, 1), toolResult(a, 2)],
    [["/2/parts/0/toolCallId", "duplicate-result"]],
  ],
  ["a result without a call", [toolResult(a, 1)], [["/0/parts/0/toolCallId", "orphan-result"]]],
  [
    "a result before its call",
    [toolResult(a, 1), assistant([a])],
    [
      ["/0/parts/0/toolCallId", "orphan-result"],
      ["/1/parts/0/toolCallId", "duplicate-call"],
    ],
  ],
  ["a provider's result without a call", [assistant(toolResult({ ...a, executor: "provider" }, 1).parts)], []],
  ["an empty id", [assistant([toolCall("", "tool", {})])], [["/0/parts/0/toolCallId", "empty-id"]]],
];

describe("validateRequest and validateResponse", () => {
  test("check the roles' rules and stored messages", () => {
    const misplaced = system([toolCall("a", "b", {})]);
    expect(validateRequest({ messages: [misplaced] })).toMatchObject([
      { path: "/messages/0/parts/0", code: "role-part" },
    ]);
    expect(validateRequest({ messages: [STORED] })).toEqual([]);
    const response = { id: "", model: "", message: misplaced, finishReason: { unified: "stop" } };
    expect(validateResponse(response)).toMatchObject([{ path: "/message/parts/0", code: "role-part" }]);
  });

  test("report issues of the intended alternative", () => {
    expect(validateRequest({ messages: [], toolChoice: { toolNames: [1], mode: "auto" } })).toMatchObject([
      { path: "/toolChoice/toolNames/0", code: "wrong-type" },
    ]);
  });

  test("a value that is no list of messages is an issue", () => {
    expect(validateMessages(null as never)).toMatchObject([{ path: "", code: "wrong-type" }]);
  });
});

describe("validateMessages", () => {
  test.each(ACROSS)("%s", (_, messages, issues) => {
    expect(validateMessages(messages).map(({ path, code }) => [path, code])).toEqual(issues);
    expect(validateRequest({ messages }).map(({ path }) => path)).toEqual(issues.map(([path]) => `/messages${path}`));
  });

  test("issues within a message have its path", () => {
    expect(validateMessages([user("a"), { role: "user" }])).toMatchObject([{ path: "/1", code: "missing-field" }]);
  });
});
