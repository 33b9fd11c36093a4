// The kinds of provider errors by status and message, retry delays, and dates.
import { describe, expect, test } from "vitest";
import { dateFromSeconds, secondsFromDate } from "../../../src/dialects/kit/fields/dates.ts";
import {
  parseDuration,
  kindFromMessage,
  kindFromStatus,
  parseRetryAfter,
  statusForKind,
} from "../../../src/dialects/kit/errors/provider-errors.ts";
import { PROVIDER_ERROR_KINDS } from "../../../src/model/provider-error.ts";

describe("errors", () => {
  test.each(PROVIDER_ERROR_KINDS)("%s has a status", (kind) => {
    expect(statusForKind(kind)).toBeGreaterThanOrEqual(400);
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
  ] as const)("status %s has the kind %s", (status, kind) => {
    expect(kindFromStatus(status)).toBe(kind);
  });
  test.each([
    ["prompt is too long: 200001 tokens > 200000 maximum", "context-length"],
    ["This model's maximum context length is 8192 tokens.", "context-length"],
    ["You exceeded your current quota, please check your plan", "quota"],
    ["Your credit balance is too low to access the API.", "quota"],
    ["Something else", undefined],
  ] as const)('"%s" has the kind %s', (message, kind) => {
    expect(kindFromMessage(message)).toBe(kind);
  });
  test.each([
    ["Please try again in 6m0.5s. Visit", 360_500],
    ["Please try again in 20ms.", 20],
    ["Please retry in 34.2s.", 34_200],
    ["Please retry soon.", undefined],
  ])('"%s" has a retry delay', (message, ms) => {
    expect(parseRetryAfter(message)).toBe(ms);
  });
  test("text that is not a duration is rejected", () => {
    expect([parseDuration("34s"), parseDuration("1h1m"), parseDuration("s"), parseDuration("34 s")]).toEqual([
      34_000,
      3_660_000,
      undefined,
      undefined,
    ]);
  });
});

test("seconds and dates convert both ways", () => {
  expect(dateFromSeconds(1_700_000_000)).toBe("2023-11-14T22:13:20.000Z");
  expect(secondsFromDate("2023-11-14T22:13:20.000Z")).toBe(1_700_000_000);
  expect([dateFromSeconds(1.5), dateFromSeconds("1"), dateFromSeconds(1e15), secondsFromDate("soon")]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
