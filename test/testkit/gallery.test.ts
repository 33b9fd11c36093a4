// The galleries use every field and every word of the model, and every dialect says all of them, or what it cannot say.
import { describe, expect, test } from "vitest";
import { dialect, dialects, validateRequest, validateResponse } from "../../src/index.ts";
import { request, response } from "../../src/model/validation/request-shapes.ts";
import type { AnyShape } from "../../src/model/validation/shape.ts";
import { errorConformance, requestConformance, requestGallery } from "../../src/testkit/index.ts";
import { responseConformance, responseGallery } from "../../src/testkit/index.ts";
import { checkAll } from "../support/corpus.ts";
import { allOf, usedOf } from "./shape-coverage.ts";

const values = {
  request: requestGallery().map(({ value }) => value),
  response: responseGallery().map(({ value }) => value),
};

test("the galleries use every field and every word of a request and of a response", () => {
  const used = new Map<AnyShape, Set<string>>();
  const use = (owner: AnyShape, name: string): void => {
    used.set(owner, (used.get(owner) ?? new Set()).add(name));
  };
  for (const value of values.request) usedOf(request, value, use);
  for (const value of values.response) usedOf(response, value, use);
  const unused: string[] = [];
  let all = 0;
  for (const shape of [request, response]) {
    allOf(shape, (owner, name, path) => {
      all++;
      if (used.get(owner)?.has(name) !== true) unused.push(path);
    });
  }
  // Kinds of errors are no words of a response's own: the suite for errors tries them all.
  expect(unused.filter((path) => !path.startsWith("/error/kind = "))).toStrictEqual([]);
  expect(all).toBeGreaterThan(200);
});

test("the values of the galleries are of the model's shape", () => {
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
  ] as const)("the gallery of %s goes out, and what does not is reported", (_, cases) => {
    checkAll(
      cases.map(({ title, run }) => ({ name: title, run })),
      ({ run }) => run(),
    );
  });
});
