// Tests that hidden secrets leave all other values of a stored request unchanged.
import { expect, test } from "vitest";
import { parseJson, stringifyJson } from "../../../src/index.ts";
import { hideSecrets } from "../../../src/server/record/hide-secrets.ts";

test("B23: numbers beside a hidden secret keep their digits", () => {
  const text = '{"api_key":"sk-123","id":12345678901234567890,"list":[{"password":"p"},0.10000000000000000001]}';
  expect(stringifyJson(hideSecrets(parseJson(text), text))).toBe(
    '{"api_key":"[hidden]","id":12345678901234567890,"list":[{"password":"[hidden]"},0.10000000000000000001]}',
  );
});
