// What the providers' dialects share: names and ids, seals, error texts, fields, dates.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EncodeContext } from "../../src/dialects/dialect.ts";
import { CallBook } from "../../src/dialects/kit/calls.ts";
import { dateFromSeconds, secondsFromDate } from "../../src/dialects/kit/dates.ts";
import { NAME_LOSSES } from "../../src/dialects/kit/losses.ts";
import type { NameLoss, NameRule } from "../../src/dialects/kit/names.ts";
import { NameBook, restoreName } from "../../src/dialects/kit/names.ts";
import {
  durationOf,
  kindOfMessage,
  kindOfStatus,
  retryAfterOf,
  statusOfKind,
} from "../../src/dialects/kit/provider-errors.ts";
import { Report } from "../../src/dialects/kit/report.ts";
import { PathTracker } from "../../src/dialects/kit/trail.ts";
import type { ToolCallPart, ToolResultPart } from "../../src/model/parts.ts";
import { PROVIDER_ERROR_KINDS } from "../../src/model/provider-error.ts";
import { codePoint } from "../support/code-points.ts";

const RULE: NameRule = { fits: /^[a-zA-Z0-9_-]{1,40}$/, odd: /[^a-zA-Z0-9_-]/g, max: 40 };

function book(rule = RULE, repair = true): { book: NameBook; context: EncodeContext<NameLoss> } {
  const trail = new PathTracker();
  const context = { dialect: "probe", pathTracker: trail, report: new Report(trail, NAME_LOSSES), repair };
  return { book: new NameBook(rule, rule, context), context };
}

describe("names", () => {
  test("B16: what fits stays, what does not is changed, the same every time, and said", () => {
    const { book: names, context } = book();
    expect(names.callId("toolu_1")).toBe("toolu_1");
    const odd = names.callId("functions.get:0");
    expect(odd).toMatch(/^functions_get_0_[a-z0-9]{11}$/);
    expect(names.callId("functions.get:0")).toBe(odd);
    expect(names.names).toEqual({ toolCallIds: { [odd]: "functions.get:0" } });
    expect(restoreName(odd, names.names?.toolCallIds)).toBe("functions.get:0");
    expect(context.report.losses.map(({ code, path }) => `${code} ${path}`)).toEqual([
      "call-id-renamed /toolCallId",
      "call-id-renamed /toolCallId",
    ]);
  });

  test("B16, B30: any ids and names map one to one, fit, and come back", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 60, unit: codePoint })), (originals) => {
        const { book: names } = book();
        const written = originals.map((name) => names.toolName(name));
        expect(new Set(written).size).toBe(originals.length);
        for (const [at, name] of written.entries()) {
          expect(name).toMatch(RULE.fits);
          expect(restoreName(name, names.names?.toolNames)).toBe(originals[at]);
        }
      }),
    );
  });

  test("B30: an original that looks like a made name is told apart", () => {
    const made = book().book.toolName("a.b");
    const { book: names } = book();
    expect([names.toolName("a.b"), names.toolName(made)].sort()).not.toEqual([made, made]);
    expect(new Set([names.toolName("a.b"), names.toolName(made)]).size).toBe(2);
  });

  test("a name must begin as the target wants", () => {
    const { book: names } = book({ fits: /^[a-z_][a-z0-9_]{0,19}$/, odd: /[^a-z0-9_]/g, max: 20, prefix: "_" });
    expect(names.toolName("1st")).toMatch(/^_1st_[a-z0-9]{11}$/);
  });

  test("without repairs names stay", () => {
    expect(book(RULE, false).book.callId("a b")).toBe("a b");
  });
});

describe("calls as they are read", () => {
  const call = (toolName = "f"): ToolCallPart => ({ type: "tool-call", toolCallId: "", toolName, input: {} });
  const result = (toolName = ""): ToolResultPart => ({ type: "tool-result", toolCallId: "", toolName, isError: false });

  test("B17: missing, empty and repeated ids become ids of their own, and results find their calls", () => {
    const calls = new CallBook("probe");
    const parts = [call(), call(), call("g"), call("g"), call("h")];
    const ids = [undefined, "", "x", "x", "call_1"];
    for (const [at, part] of parts.entries()) calls.add(part, ids[at]);
    expect(new Set(parts.map(({ toolCallId }) => toolCallId)).size).toBe(5);
    expect(parts.map(({ extra }) => extra?.["probe"]?.["$form"])).toEqual([
      { id: null },
      { id: "" },
      undefined,
      { id: "x" },
      { id: "call_1" },
    ]);
    const results = [result(), result(), result("f")];
    calls.answer(results[0] as ToolResultPart, "x");
    calls.answer(results[1] as ToolResultPart, "x");
    calls.answer(results[2] as ToolResultPart, undefined);
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual([2, 3, 0].map((at) => parts[at]?.toolCallId));
    expect(results.map(({ toolName }) => toolName)).toEqual(["g", "g", "f"]);
  });

  test("B17: the made ids of two answers differ", () => {
    const [one, other] = [call(), call()];
    new CallBook("probe", "r1").add(one, undefined);
    new CallBook("probe", "r2").add(other, undefined);
    expect(one.toolCallId).not.toBe(other.toolCallId);
  });
});

describe("errors", () => {
  test.each(PROVIDER_ERROR_KINDS)("%s has a status", (kind) => {
    expect(statusOfKind(kind)).toBeGreaterThanOrEqual(400);
  });
  test.each([
    [401, "authentication"],
    [402, "quota"],
    [418, "invalid-request"],
    [429, "rate-limit"],
    [502, "server"],
    [529, "overloaded"],
    [200, "unknown"],
    [undefined, "unknown"],
  ] as const)("status %s says %s", (status, kind) => {
    expect(kindOfStatus(status)).toBe(kind);
  });
  test.each([
    ["prompt is too long: 200001 tokens > 200000 maximum", "context-length"],
    ["This model's maximum context length is 8192 tokens.", "context-length"],
    ["You exceeded your current quota, please check your plan", "quota"],
    ["Your credit balance is too low to access the API.", "quota"],
    ["Something else", undefined],
  ] as const)('"%s" says %s', (message, kind) => {
    expect(kindOfMessage(message)).toBe(kind);
  });
  test.each([
    ["Please try again in 6m0.5s. Visit", 360_500],
    ["Please try again in 20ms.", 20],
    ["Please retry in 34.2s.", 34_200],
    ["Please retry soon.", undefined],
  ])('"%s" says when to try again', (message, ms) => {
    expect(retryAfterOf(message)).toBe(ms);
  });
  test("a duration is nothing but a duration", () => {
    expect([durationOf("34s"), durationOf("1h1m"), durationOf("s"), durationOf("34 s")]).toEqual([
      34_000,
      3_660_000,
      undefined,
      undefined,
    ]);
  });
});

test("seconds and dates are the same moment", () => {
  expect(dateFromSeconds(1_700_000_000)).toBe("2023-11-14T22:13:20.000Z");
  expect(secondsFromDate("2023-11-14T22:13:20.000Z")).toBe(1_700_000_000);
  expect([dateFromSeconds(1.5), dateFromSeconds("1"), dateFromSeconds(1e15), secondsFromDate("soon")]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
