// The oracle for large values tells as much as the exact one: whatever place an encoder forgets, it notices.
import { expect, test } from "vitest";
import type { Encoded, ModelRequest, ModelResponse } from "../../src/index.ts";
import { requestGallery, responseGallery, sampledLosses, silentLosses } from "../../src/testkit/index.ts";
import { patternOf } from "../../src/testkit/choice.ts";
import { coverage } from "../../src/testkit/coverage.ts";
import type { Place, Scalar } from "../../src/testkit/places.ts";
import { scalars, valueAt, withPlace } from "../../src/testkit/places.ts";
import { isInputText, isToolName, isVocabulary } from "../../src/testkit/positions.ts";
import { letters } from "./letters.ts";

const spoken = letters();
const everyRequest = requestGallery().find(({ name }) => name === "every field")?.value;
const everyResponse = responseGallery().find(({ name }) => name === "every field")?.value;

/** What an encoder says that has forgotten a place: always the same. */
function forgotten(value: Scalar): Scalar {
  if (typeof value === "string") return "always";
  return typeof value === "number" ? 1 : typeof value === "boolean" ? true : "null";
}

/** One place of each kind that must arrive. */
function placesOf<T>(value: T, encode: (value: T) => Encoded): Place[] {
  const isLost = coverage(encode(value));
  const open = scalars(value).filter(({ path, keys }) => {
    // A result's name, and the name of a dialect's own tool, are said elsewhere.
    const isSaid = isToolName(path) || (valueAt(value, keys.slice(0, -1)) as { type?: string }).type === "provider";
    return !isVocabulary(path) && !isInputText(path) && !isLost(path) && !isSaid;
  });
  return [...new Map(open.map((place) => [patternOf(place.path), place])).values()];
}

function missed<T>(value: T, encode: (value: T) => Encoded, find: typeof sampledLosses): string[] {
  return placesOf(value, encode).flatMap(({ path, keys, value: scalar }) => {
    const lost = find(value, (each) => encode(withPlace(each, keys, forgotten(scalar as Scalar)) as T));
    return lost.length > 0 ? [] : [path];
  });
}

const ORACLES = [
  ["the exact oracle", silentLosses],
  ["the oracle for large values", sampledLosses],
] as const;

test.each(ORACLES)("%s notices any place of a request that is forgotten", (_, find) => {
  const value = everyRequest as ModelRequest;
  const encode = (each: ModelRequest): Encoded => spoken.encodeRequest(each);
  expect(placesOf(value, encode).length).toBeGreaterThan(30);
  expect(missed(value, encode, find)).toStrictEqual([]);
});

test.each(ORACLES)("%s notices any place of a response that is forgotten", (_, find) => {
  const value = everyResponse as ModelResponse;
  const encode = (each: ModelResponse): Encoded => spoken.encodeResponse(each);
  expect(placesOf(value, encode).length).toBeGreaterThan(15);
  expect(missed(value, encode, find)).toStrictEqual([]);
});

test("the oracle for large values asks an encoder much less often", () => {
  const { messages = [], ...rest } = everyRequest ?? {};
  const large: ModelRequest = { ...rest, messages: Array.from({ length: 8 }, () => messages).flat() };
  const count = (find: typeof sampledLosses): number => {
    let asked = 0;
    find(large, (each) => {
      asked++;
      return spoken.encodeRequest(each);
    });
    return asked;
  };
  expect(count(sampledLosses) * 4).toBeLessThan(count(silentLosses));
});

test("what had to be renamed has arrived", () => {
  const request = requestGallery().find(({ name }) => name === "ids that a target refuses")?.value as ModelRequest;
  const encode = (each: ModelRequest, isHanded: boolean): Encoded => {
    const { names, ...encoded } = spoken.encodeRequest(each);
    const losses = encoded.losses.filter(({ code }) => code !== "id-renamed");
    return isHanded && names !== undefined ? { ...encoded, losses, names } : { ...encoded, losses };
  };
  for (const find of [silentLosses, sampledLosses]) {
    expect(find(request, (each) => encode(each, true))).toStrictEqual([]);
    expect(find(request, (each) => encode(each, false))).not.toStrictEqual([]);
  }
});
