// Tests that the canonical values use every field and enumerated value of the model, and that every dialect encodes or
// reports all of them.
import { describe, expect, test } from "vitest";
import { dialect, dialects, validateRequest, validateResponse } from "../../src/index.ts";
import { request, response } from "../../src/model/validation/request-shapes.ts";
import type { AnyShape } from "../../src/model/validation/shape.ts";
import { errorConformance, requestConformance, canonicalRequests } from "../../src/testkit/index.ts";
import { responseConformance, canonicalResponses } from "../../src/testkit/index.ts";
import { checkAll } from "../support/corpus.ts";
import { listShapeFields, listUsedFields } from "./shape-coverage.ts";

const values = {
  request: canonicalRequests().map(({ value }) => value),
  response: canonicalResponses().map(({ value }) => value),
};

test("the canonical values use every field and enumerated value of a request and of a response", () => {
  const used = new Map<AnyShape, Set<string>>();
  const use = (owner: AnyShape, name: string): void => {
    used.set(owner, (used.get(owner) ?? new Set()).add(name));
  };
  for (const value of values.request) listUsedFields(request, value, use);
  for (const value of values.response) listUsedFields(response, value, use);
  const unused: string[] = [];
  let all = 0;
  for (const shape of [request, response]) {
    listShapeFields(shape, (owner, name, path) => {
      all++;
      if (used.get(owner)?.has(name) !== true) unused.push(path);
    });
  }
  // The suite for errors tries all kinds of errors.
  expect(unused.filter((path) => !path.startsWith("/error/kind = "))).toStrictEqual([]);
  expect(all).toBeGreaterThan(200);
});

test("the canonical values have the model's shape", () => {
  const shape = new Set("wrong-type missing-field unknown-field unknown-part-type unknown-word not-json".split(" "));
  const issues = [...values.request.flatMap(validateRequest), ...values.response.flatMap(validateResponse)];
  expect(issues.filter(({ code }) => shape.has(code))).toStrictEqual([]);
});

const CARRIERS = dialects.filter((id) => dialect(id).supports.has("requests"));

describe.each(CARRIERS)("%s", (id) => {
  const samples = { samples: [] };
  test.each([
    ["requests", requestConformance(dialect(id), samples)],
    ["responses", responseConformance(dialect(id), samples)],
    ["errors", errorConformance(dialect(id), samples)],
  ] as const)("every canonical value of the %s suite is encoded or reported", (_, cases) => {
    checkAll(
      cases.map(({ title, run }) => ({ name: title, run })),
      ({ run }) => run(),
    );
  });
});
