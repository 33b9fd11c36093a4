// The JSON parser and writer: plain values, exact digits, errors with a position.

import { describe, expect, test } from "vitest";
import { JsonError } from "../../src/model/errors.ts";
import {
  listExactNumbers,
  hasExactNumbers,
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  parseJson,
  restoreNumbers,
  sameJson,
  stringifyJson,
} from "../../src/model/json/index.ts";
import { requireError } from "../support/require-error.ts";

const parseObject = (text: string): JsonObject => parseJson(text) as JsonObject;

const LOST = [
  "12345678901234567890",
  "-12345678901234567890",
  "9007199254740993",
  "0.1000000000000000055",
  "0.10000000000000001",
  "1.00000000000000000001",
  "100000000000000000001e-20",
  "9007199254740993e0",
  "1e400",
  "-1e400",
  "1e-400",
  "1E-400",
  "-0.001e-0400",
  "4.9e-324",
  `0.${"0".repeat(400)}1`,
  "9".repeat(400),
];

const SURVIVING = [
  "0",
  "-0",
  "0.1",
  "1.0",
  "1e2",
  "1E23",
  "1e+23",
  "0.70",
  "9007199254740992",
  "9007199254740994",
  "5e-324",
  "0e400",
  "0.0e-400",
  "-0.9162907318741551",
  "1.7976931348623157e308",
  "1234567890123456",
  "0.30000000000000004",
  "10000000000000000000000",
  "1.00000000000000000000",
  "123e-20",
  "2.2250738585072014e-308",
  "1e-300",
];

describe("B23: the digits of numbers", () => {
  test.each(LOST)("%s is read as a plain number and written back digit by digit", (text) => {
    for (const json of [`{"n":${text}}`, `[1,[${text}],"x"]`, `[0.5,${text},0]`, `{"é":"ü","n":[${text}]}`]) {
      const value = parseJson(json);
      expect(value).toStrictEqual(JSON.parse(json));
      expect(hasExactNumbers(value)).toBe(true);
      expect(stringifyJson(value)).toBe(json);
    }
  });

  test.each(SURVIVING)("%s survives as a double and is not recorded", (text) => {
    const value = parseJson(`{"n":[0,${text}]}`);
    expect(hasExactNumbers(value)).toBe(false);
    expect(listExactNumbers(value)).toStrictEqual([]);
    expect(stringifyJson(value)).toBe(JSON.stringify(JSON.parse(`{"n":[0,${text}]}`)));
  });

  test("digits inside strings are not numbers", () => {
    const json = String.raw`{"a":"[12345678901234567890]","b":"{\"id\": 12345678901234567890}","c\"":",1e-400,","n":0}`;
    expect(hasExactNumbers(parseJson(json))).toBe(false);
    expect(stringifyJson(parseJson(json))).toBe(json);
  });

  test("an edit is never ignored", () => {
    const value = parseObject('{"a":12345678901234567890,"b":1e400,"c":{"d":0.1000000000000000055}}');
    value["a"] = 7;
    value["b"] = "text";
    expect(stringifyJson(value)).toBe('{"a":7,"b":"text","c":{"d":0.1000000000000000055}}');
    value["a"] = Number("12345678901234567890");
    expect(stringifyJson(value)).toContain('"a":12345678901234567890,');
  });

  test("a number that is the complete text is a plain double", () => {
    expect(parseJson("12345678901234567890")).toBe(Number("12345678901234567890"));
    expect(stringifyJson(parseJson("12345678901234567890"))).toBe("12345678901234567000");
  });

  const DUPLICATES: [sentence: string, text: string, written: string][] = [
    ["the last of two numbers", '{"a":12345678901234567890,"a":12345678901234567000}', '{"a":12345678901234567000}'],
    ["the last exact one", '{"a":12345678901234567890,"a":12345678901234567891}', '{"a":12345678901234567891}'],
    ["a text after a number", '{"a":1e400,"a":"x"}', '{"a":"x"}'],
    ["an object after an object", '{"a":{"x":1e400,"y":1e401},"a":{"x":2}}', '{"a":{"x":2}}'],
    ["an object after an array", '{"a":[1e400],"a":{"0":1e401}}', '{"a":{"0":1e401}}'],
    ["an object between", '{"a":1e400,"b":{"a":1e401},"a":5}', '{"a":5,"b":{"a":1e401}}'],
  ];
  test.each(DUPLICATES)("of duplicate keys the last wins: %s", (_sentence, text, written) => {
    expect(stringifyJson(parseJson(text))).toBe(written);
  });

  test("keys are unescaped before they are compared", () => {
    const json = String.raw`{"a\"\\":{"\u0062":[[12345678901234567890]]},"__proto__":{"x":1e400},"10":1e-400,"2":1e-401}`;
    const value = parseJson(json);
    expect(listExactNumbers(value)).toStrictEqual([
      { path: "/2", text: "1e-401" },
      { path: "/10", text: "1e-400" },
      { path: String.raw`/a"\/b/0/0`, text: "12345678901234567890" },
      { path: "/__proto__/x", text: "1e400" },
    ]);
  });

  test("indentation is JSON.stringify's", () => {
    expect(stringifyJson({ a: [1] }, 2)).toBe(JSON.stringify({ a: [1] }, null, 2));
    expect(stringifyJson(parseJson('{"a":[1e400]}'), 2)).toBe('{\n  "a": [\n    1e400\n  ]\n}');
  });

  // A number is found at every boundary between the scanned sections.
  test.each(["12345678901234567890", "1.00000000000000000001", "1e-400", `1.${"0".repeat(90)}1`])(
    "%s is found anywhere in a long text",
    (text) => {
      for (const filler of ["x", "é", "0,", "7"]) {
        for (let length = 300; length < 1700; length += filler === "x" ? 1 : 37) {
          const padding = filler === "0," ? `[${"0,".repeat(length)}0]` : `"${filler.repeat(length)}"`;
          expect(hasExactNumbers(parseJson(`[0,${padding},${text},${padding}]`))).toBe(true);
        }
      }
    },
  );
});

describe("exact numbers beside a value", () => {
  test("survive a clone when they are restored", () => {
    const value = parseJson('{"a/b":[0,{"~":12345678901234567890}]}');
    const numbers = listExactNumbers(value);
    expect(numbers).toStrictEqual([{ path: "/a~1b/1/~0", text: "12345678901234567890" }]);
    const clone = structuredClone(value);
    expect(hasExactNumbers(clone)).toBe(false);
    expect(restoreNumbers(clone, numbers)).toStrictEqual([]);
    expect(stringifyJson(clone)).toBe(stringifyJson(value));
  });

  const UNFIT: [sentence: string, path: string, text: string][] = [
    ["the value there is another number", "/n", "12345678901234567891999"],
    ["the value there is no number", "/s", "1e400"],
    ["the path does not exist", "/x/y", "1e400"],
    ["the path is inherited", "/__proto__/n", "1e400"],
    ["an array has no such index", "/list/01", "3.00000000000000000001"],
    ["a length is no element", "/list/length", "1.00000000000000000001"],
    ["the path is no pointer", "n", "1e20"],
    ["the path has a wrong escape", "/~2", "1e20"],
    ["the root has no container", "", "1e20"],
    ["the text is no JSON number", "/small", "0x10"],
    ["the text would be an injection", "/small", '16,"admin":true'],
  ];
  test.each(UNFIT)("are returned if %s", (_sentence, path, text) => {
    const value = { n: Number("12345678901234567890"), s: "", list: [3], small: 16 };
    const numbers = [{ path, text }];
    expect(restoreNumbers(value, numbers)).toStrictEqual(numbers);
    expect(hasExactNumbers(value)).toBe(false);
  });

  test("exact digits are not stored if they equal the double", () => {
    const value = { n: 100 };
    expect(restoreNumbers(value, [{ path: "/n", text: "1e2" }])).toStrictEqual([]);
    expect(stringifyJson(value)).toBe('{"n":100}');
  });
});

describe("sameJson", () => {
  const a = (text: string): JsonValue => parseJson(text);
  const CASES: [sentence: string, left: unknown, right: unknown, same: boolean][] = [
    ["key order does not matter", { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ["item order does", [1, 2], [2, 1], false],
    ["an array is not an object", [], {}, false],
    ["null is not an object", null, {}, false],
    ["more keys", { a: 1 }, { a: 1, b: 2 }, false],
    ["other keys", { a: 1 }, { b: 1 }, false],
    ["an undefined property is absent", { a: 1, b: undefined }, { a: 1 }, true],
    ["an inherited key does not count", a('{"__proto__":1}'), {}, false],
    ["an own __proto__ counts", a('{"__proto__":{"x":1}}'), a('{"__proto__":{"x":2}}'), false],
    ["a longer array", [1], [1, 2], false],
    ["exact digits differ", a("[12345678901234567890]"), a("[12345678901234567891]"), false],
    ["exact digits agree", a("[12345678901234567890]"), a("[1234567890123456789e1]"), true],
    ["exact against rounded", a("[12345678901234567890]"), [Number("12345678901234567890")], false],
    ["beyond doubles", a("[1e400]"), a("[1e401]"), false],
    ["beyond doubles, with another spelling", a("[1e400]"), a("[10e399]"), true],
    ["beyond any exponent", a("[1e99999999999999999999]"), a("[1e99999999999999999998]"), false],
    ["exact against infinity", a("[1e400]"), [Infinity], false],
    ["zeros", [0], [-0], true],
  ];
  test.each(CASES)("%s", (_sentence, left, right, same) => {
    expect(sameJson(left, right)).toBe(same);
    expect(sameJson(right, left)).toBe(same);
  });
});

describe("B79: keys with the names of built-ins are harmless", () => {
  test("__proto__ is an own property", () => {
    const value = parseObject('{"__proto__":{"polluted":1},"constructor":{"prototype":null},"toJSON":5}');
    expect(Object.keys(value)).toStrictEqual(["__proto__", "constructor", "toJSON"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as JsonObject)["polluted"]).toBeUndefined();
    expect(stringifyJson(value)).toBe('{"__proto__":{"polluted":1},"constructor":{"prototype":null},"toJSON":5}');
  });
});

describe("invalid JSON", () => {
  const CASES: [sentence: string, text: string, path: string, message: string][] = [
    ["an empty text", "", "", "line 1, column 1: expected a value, found the end of the text"],
    ["a trailing comma", "[1,\n 2,\n]", "/2", 'line 3, column 1: expected a value, found "]" (near "[1,\\n 2,\\n]")'],
    ["an unquoted key", '{"a":{b:1}}', "/a", 'line 1, column 7: expected a key in double quotes or "}", found "b"'],
    ["a missing colon", '{"a" 1}', "/a", 'line 1, column 6: expected ":", found "1"'],
    ["a missing comma", "[1 2]", "/0", 'line 1, column 4: expected "," or "]", found "2"'],
    ["a missing bracket", '{"a~/b":[1', "/a~0~1b/0", 'column 11: expected "," or "]", found the end of the text'],
    ["text after the end", "{} x", "", 'line 1, column 4: expected the end, found "x"'],
    ["a wrong literal", "[nul]", "/0", 'line 1, column 5: expected "null", found "]"'],
    ["a leading zero", "[01]", "/0", 'line 1, column 3: expected "," or "]", found "1"'],
    ["a bare point", "[1.]", "/0", 'line 1, column 4: expected a digit, found "]"'],
    ["an empty exponent", "[1e+]", "/0", 'line 1, column 5: expected a digit, found "]"'],
    [
      "a line break in a string",
      '"a\nb"',
      "",
      "line 1, column 3: expected an escape instead of a raw control character",
    ],
    ["a wrong escape", String.raw`"\x"`, "", String.raw`column 3: expected one of "\/bfnrtu after a backslash`],
    ["a wrong unicode escape", String.raw`"\u12g4"`, "", 'column 6: expected four hexadecimal digits, found "g"'],
    ["an open string", '"abc', "", "column 5: expected a closing double quote, found the end of the text"],
    ["a byte order mark", "\uFEFF{}", "", "column 1: expected a value, found U+FEFF"],
    ["NaN", "[NaN]", "/0", 'column 2: expected a value or "]", found "N"'],
  ];
  test.each(CASES)("%s", (_sentence, text, path, message) => {
    const error = requireError(JsonError, () => parseJson(text));
    expect(error).toMatchObject({ code: "invalid-json", path });
    expect(error.message).toContain(message);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  test("the message of a large text is short", () => {
    const error = requireError(JsonError, () => parseJson(`["${"x".repeat(1_000_000)}",\n}`));
    expect(error.message).toContain("line 2, column 1");
    expect(error.message.length).toBeLessThan(200);
  });
});

describe("depth", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

  test(`${MAX_DEPTH} levels are read, written and compared`, () => {
    const value = parseJson(nested(MAX_DEPTH));
    expect(stringifyJson(value)).toBe(nested(MAX_DEPTH));
    expect(sameJson(value, parseJson(nested(MAX_DEPTH)))).toBe(true);
    expect(hasExactNumbers(parseJson(nested(MAX_DEPTH).replace("[]", "[1e400]")))).toBe(true);
  });

  const DEEP: [sentence: string, text: () => string][] = [
    ["one level more", () => nested(MAX_DEPTH + 1)],
    ["objects", () => `${'{"key":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["1,000,000 levels", () => nested(1_000_000)],
    ["1,000,000 levels that never close", () => "[".repeat(1_000_000)],
  ];
  test.each(DEEP)("%s is too deep", (_sentence, text) => {
    const error = requireError(JsonError, () => parseJson(text()));
    expect(error.code).toBe("too-deep");
    expect(error.message).toContain(`deeper than ${MAX_DEPTH} levels at line 1, column`);
    expect(error.message).toContain("Flatten it");
    expect(error.path.length).toBeLessThan(130);
  });

  test("a value that is too deep is not written", () => {
    let value: unknown = [];
    for (let i = 0; i < 100_000; i++) value = [value];
    const other = [value];
    expect(requireError(JsonError, () => stringifyJson(value)).code).toBe("too-deep");
    expect(requireError(JsonError, () => listExactNumbers(value)).code).toBe("too-deep");
    expect(requireError(JsonError, () => sameJson(value, other)).code).toBe("too-deep");
  });

  test("a string of 50 MB is parsed", () => {
    const text = JSON.stringify({ data: "x".repeat(50_000_000), n: 0.5 });
    expect(stringifyJson(parseJson(text))).toBe(text);
  });
});

describe("values without a JSON form", () => {
  const cycle: Record<string, unknown> = { a: [{}] };
  cycle["b"] = { "c/d": [cycle] };
  const CASES: [sentence: string, value: unknown, path: string][] = [
    ["undefined", undefined, ""],
    ["a function", () => 1, ""],
    ["a symbol", Symbol("s"), ""],
    ["a BigInt", 1n, ""],
    ["a BigInt inside", { a: [0, { b: 1n }] }, "/a/1/b"],
    ["a cycle", cycle, "/b/c~1d/0"],
  ];
  test.each(CASES)("%s", (_sentence, value, path) => {
    const error = requireError(JsonError, () => stringifyJson(value));
    expect(error).toMatchObject({ code: "not-json", path });
    expect(error.message).toContain("no JSON form");
  });

  const LIKE_JSON: [sentence: string, value: unknown][] = [
    ["undefined members", { a: undefined, b: () => 1, c: [undefined, Symbol("x")] }],
    ["dates", { at: new Date(0) }],
    ["toJSON of a value with cycles", { toJSON: () => "short", cycle }],
    ["shared values", [cycle["a"], cycle["a"]]],
    ["lone surrogates", "\ud800"],
    ["subnormal numbers", [5e-324, -0]],
    ["NaN and infinities without digits", { a: Number.NaN, b: [Infinity], c: -Infinity }],
    ["deep values that the engine can write", JSON.parse("[".repeat(1500) + "]".repeat(1500))],
  ];
  test.each(LIKE_JSON)("%s are written as JSON.stringify does", (_sentence, value) => {
    expect(stringifyJson(value)).toBe(JSON.stringify(value));
  });

  test("an error of toJSON is passed on", () => {
    const error = new Error("mine");
    const value = {
      toJSON: () => {
        throw error;
      },
    };
    expect(() => stringifyJson(value)).toThrow(error);
  });
});
