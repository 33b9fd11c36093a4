// Tests fields that Chat and Responses share: they are translated between both dialects without a loss.
import { describe, expect, test } from "vitest";
import { dialect, translate } from "../../../src/index.ts";
import type { TranslateResult } from "../../../src/index.ts";

const CHAT = "openai-chat";
const RESPONSES = "openai-responses";

function formatLosses({ losses }: TranslateResult): string[] {
  return losses.map(({ code, path }) => `${code} ${path}`);
}

describe("B58: settings of both dialects are translated", () => {
  const same = {
    model: "m",
    store: false,
    user: "u",
    safety_identifier: "s",
    service_tier: "flex",
    prompt_cache_key: "k",
    prompt_cache_options: { mode: "explicit" },
    prompt_cache_retention: "24h",
    stream_options: { include_obfuscation: false },
  };
  const chat = { ...same, messages: [{ role: "user", content: "x" }], verbosity: "low" };
  const responses = { ...same, input: [{ role: "user", content: "x" }], text: { verbosity: "low" } };

  test("from Chat to Responses", () => {
    const translated = translate({ from: CHAT, to: RESPONSES, kind: "request", wire: chat });
    expect(translated).toStrictEqual({ wire: responses, losses: [] });
  });

  test("from Responses to Chat", () => {
    const translated = translate({ from: RESPONSES, to: CHAT, kind: "request", wire: responses });
    expect(translated).toStrictEqual({ wire: chat, losses: [] });
  });

  test("a field of one dialect is dropped, fields of both are preserved", () => {
    const wire = { ...chat, stream_options: { include_usage: true, include_obfuscation: false }, logit_bias: {} };
    const translated = translate({ from: CHAT, to: RESPONSES, kind: "request", wire });
    expect(translated.wire).toStrictEqual(responses);
    expect(formatLosses(translated)).toStrictEqual([
      "residue-not-portable /extra/openai-chat/stream_options",
      "residue-not-portable /extra/openai-chat/logit_bias",
    ]);
  });

  test("the dialect's own residue takes precedence", () => {
    const request = dialect(RESPONSES).decodeRequest({ ...responses, stream_options: {} });
    request.extra = { ...request.extra, [CHAT]: { user: "another", stream_options: { include_obfuscation: true } } };
    const before = structuredClone(request);
    const encoded = dialect(RESPONSES).encodeRequest(request);
    expect(encoded.wire).toStrictEqual({ ...responses, stream_options: { include_obfuscation: true } });
    expect(formatLosses(encoded)).toStrictEqual(["residue-not-portable /extra/openai-chat/user"]);
    expect(request).toStrictEqual(before);
  });

  test("B13: reasoning of a request with `store: false` is not sent by its id", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const input = [{ role: "user", content: "x" }, reasoning, { type: "item_reference", id: "msg_1" }];
    const request = dialect(RESPONSES).decodeRequest({ input });
    request.extra = { [CHAT]: { store: false } };
    const encoded = dialect(RESPONSES).encodeRequest(request);
    expect(formatLosses(encoded)).toStrictEqual(["reasoning-unpaired /messages/1/parts/0"]);
  });

  test("the service tier of an answer is translated", () => {
    const wire = { object: "response", id: "r", output: [], service_tier: "flex", status: "completed" };
    const answer = translate({ from: RESPONSES, to: CHAT, kind: "response", wire });
    expect(answer.wire).toMatchObject({ service_tier: "flex" });
    expect(formatLosses(answer).filter((loss) => loss.includes("service_tier"))).toStrictEqual([]);
    const back = translate({ from: CHAT, to: RESPONSES, kind: "response", wire: answer.wire });
    expect(back.wire).toMatchObject({ service_tier: "flex" });
  });
});

describe("B46, B47: media", () => {
  const image = { type: "image_url", image_url: { url: "https://example.com/x", detail: "low" } };
  const input = { type: "input_image", image_url: "https://example.com/x", detail: "low" };

  test("the detail of an image is preserved in both directions", () => {
    const chat = { messages: [{ role: "user", content: [image] }] };
    const responses = { input: [{ role: "user", content: [input] }] };
    expect(translate({ from: CHAT, to: RESPONSES, kind: "request", wire: chat })).toStrictEqual({
      wire: responses,
      losses: [],
    });
    expect(translate({ from: RESPONSES, to: CHAT, kind: "request", wire: responses })).toStrictEqual({
      wire: chat,
      losses: [],
    });
  });

  const byId = { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }] };
  test.each([
    ["of the same provider is preserved", "openai", "openai", []],
    [
      "of another provider is dropped",
      "openai",
      "azure",
      ["file-id-not-portable /messages/0/parts/0", "message-unsupported /messages/0"],
    ],
    [
      "without a provider is dropped",
      undefined,
      undefined,
      ["file-id-not-portable /messages/0/parts/0", "message-unsupported /messages/0"],
    ],
  ])("B5: a file id %s", (_, from, to, losses) => {
    const [chat, responses] = [dialect(CHAT, { provider: from }), dialect(RESPONSES, { provider: to })];
    const translated = translate({ from: chat, to: responses, kind: "request", wire: byId });
    const content = [{ type: "input_file", file_id: "f" }];
    expect(translated.wire).toStrictEqual({ input: losses.length > 0 ? [] : [{ role: "user", content }] });
    expect(formatLosses(translated)).toStrictEqual(losses);
    const back = translate({
      from: responses,
      to: chat,
      kind: "request",
      wire: { input: [{ role: "user", content }] },
    });
    expect(back.losses.some(({ code }) => code === "file-id-not-portable")).toBe(losses.length > 0);
  });
});
