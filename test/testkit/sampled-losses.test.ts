// Tests the silent-loss oracles: both detect any scalar that an encoder ignores.
import { expect, test } from "vitest";
import type { Encoded, ModelRequest, ModelResponse } from "../../src/index.ts";
import { canonicalRequests, canonicalResponses, sampledLosses, silentLosses } from "../../src/testkit/index.ts";
import { toPathPattern } from "../../src/testkit/pick-evenly.ts";
import { createCoverageTest } from "../../src/testkit/oracle/loss-coverage.ts";
import type { JsonNode, JsonScalar } from "../../src/testkit/json/json-nodes.ts";
import { listScalars, readAt, replaceAt } from "../../src/testkit/json/json-nodes.ts";
import { isInputText, isToolName, isVocabulary } from "../../src/testkit/oracle/model-paths.ts";
import { exampleDialect } from "./example-dialect.ts";

const tested = exampleDialect();
const everyRequest = canonicalRequests().find(({ name }) => name === "every field")?.value;
const everyResponse = canonicalResponses().find(({ name }) => name === "every field")?.value;

/** Returns the constant that an encoder writes in place of a scalar that it ignores. */
function toConstant(value: JsonScalar): JsonScalar {
  if (typeof value === "string") return "always";
  return typeof value === "number" ? 1 : typeof value === "boolean" ? true : "null";
}

/** Returns one node per path pattern that must arrive. */
function placesOf<T>(value: T, encode: (value: T) => Encoded): JsonNode[] {
  const isLost = createCoverageTest(encode(value));
  const open = listScalars(value).filter(({ path, keys }) => {
    // The tool name of a result and the name of a provider's tool are implied by other fields.
    const isImplied = isToolName(path) || (readAt(value, keys.slice(0, -1)) as { type?: string }).type === "provider";
    return !isVocabulary(path) && !isInputText(path) && !isLost(path) && !isImplied;
  });
  return [...new Map(open.map((place) => [toPathPattern(place.path), place])).values()];
}

function missed<T>(value: T, encode: (value: T) => Encoded, find: typeof sampledLosses): string[] {
  return placesOf(value, encode).flatMap(({ path, keys, value: scalar }) => {
    const lost = find(value, (each) => encode(replaceAt(each, keys, toConstant(scalar as JsonScalar)) as T));
    return lost.length > 0 ? [] : [path];
  });
}

const ORACLES = [
  ["the exact oracle", silentLosses],
  ["the oracle for large values", sampledLosses],
] as const;

test.each(ORACLES)("%s detects any scalar of a request that the encoder ignores", (_, find) => {
  const value = everyRequest as ModelRequest;
  const encode = (each: ModelRequest): Encoded => tested.encodeRequest(each);
  expect(placesOf(value, encode).length).toBeGreaterThan(30);
  expect(missed(value, encode, find)).toStrictEqual([]);
});

test.each(ORACLES)("%s detects any scalar of a response that the encoder ignores", (_, find) => {
  const value = everyResponse as ModelResponse;
  const encode = (each: ModelResponse): Encoded => tested.encodeResponse(each);
  expect(placesOf(value, encode).length).toBeGreaterThan(15);
  expect(missed(value, encode, find)).toStrictEqual([]);
});

test("the oracle for large values calls the encoder much less often", () => {
  const { messages = [], ...rest } = everyRequest ?? {};
  const large: ModelRequest = { ...rest, messages: Array.from({ length: 8 }, () => messages).flat() };
  const count = (find: typeof sampledLosses): number => {
    let callCount = 0;
    find(large, (each) => {
      callCount++;
      return tested.encodeRequest(each);
    });
    return callCount;
  };
  expect(count(sampledLosses) * 4).toBeLessThan(count(silentLosses));
});

test("a renamed id counts as present", () => {
  const request = canonicalRequests().find(({ name }) => name === "ids that a target rejects")?.value as ModelRequest;
  const encode = (each: ModelRequest, isHanded: boolean): Encoded => {
    const { names, ...encoded } = tested.encodeRequest(each);
    const losses = encoded.losses.filter(({ code }) => code !== "id-renamed");
    return isHanded && names !== undefined ? { ...encoded, losses, names } : { ...encoded, losses };
  };
  for (const find of [silentLosses, sampledLosses]) {
    expect(find(request, (each) => encode(each, true))).toStrictEqual([]);
    expect(find(request, (each) => encode(each, false))).not.toStrictEqual([]);
  }
});
