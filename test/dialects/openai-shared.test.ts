// What Chat and Responses share: a field that both wires have goes from one to the other, and is no loss.
import { describe, expect, test } from "vitest";
import { dialect, translate } from "../../src/index.ts";
import type { Translated } from "../../src/index.ts";

const CHAT = "openai-chat";
const RESPONSES = "openai-responses";

function told({ losses }: Translated): string[] {
  return losses.map(({ code, path }) => `${code} ${path}`);
}

describe("B58: settings that both have are not lost", () => {
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

  test("what only one of them has is lost, beside what both have", () => {
    const wire = { ...chat, stream_options: { include_usage: true, include_obfuscation: false }, logit_bias: {} };
    const translated = translate({ from: CHAT, to: RESPONSES, kind: "request", wire });
    expect(translated.wire).toStrictEqual(responses);
    expect(told(translated)).toStrictEqual([
      "residue-foreign /extra/openai-chat/stream_options",
      "residue-foreign /extra/openai-chat/logit_bias",
    ]);
  });

  test("one's own residue wins, and is not touched", () => {
    const request = dialect(RESPONSES).decodeRequest({ ...responses, stream_options: {} });
    request.extra = { ...request.extra, [CHAT]: { user: "another", stream_options: { include_obfuscation: true } } };
    const before = structuredClone(request);
    const encoded = dialect(RESPONSES).encodeRequest(request);
    expect(encoded.wire).toStrictEqual({ ...responses, stream_options: { include_obfuscation: true } });
    expect(told(encoded)).toStrictEqual(["residue-foreign /extra/openai-chat/user"]);
    expect(request).toStrictEqual(before);
  });

  test("B13: what Chat would not store is not found by its id", () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const input = [{ role: "user", content: "x" }, reasoning, { type: "item_reference", id: "msg_1" }];
    const request = dialect(RESPONSES).decodeRequest({ input });
    request.extra = { [CHAT]: { store: false } };
    const encoded = dialect(RESPONSES).encodeRequest(request);
    expect(told(encoded)).toStrictEqual(["reasoning-unpaired /messages/1/parts/0"]);
  });

  test("an answer's tier", () => {
    const wire = { object: "response", id: "r", output: [], service_tier: "flex", status: "completed" };
    const answer = translate({ from: RESPONSES, to: CHAT, kind: "response", wire });
    expect(answer.wire).toMatchObject({ service_tier: "flex" });
    expect(told(answer).filter((loss) => loss.includes("service_tier"))).toStrictEqual([]);
    const back = translate({ from: CHAT, to: RESPONSES, kind: "response", wire: answer.wire });
    expect(back.wire).toMatchObject({ service_tier: "flex" });
  });
});

describe("B46, B47: media", () => {
  const image = { type: "image_url", image_url: { url: "https://example.com/x", detail: "low" } };
  const input = { type: "input_image", image_url: "https://example.com/x", detail: "low" };

  test("the detail of an image goes both ways", () => {
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
    ["of the same provider is its own", "openai", "openai", []],
    ["of another provider is none", "openai", "azure", ["file-id /messages/0/parts/0", "message-unsaid /messages/0"]],
    [
      "of nobody knows whom is none",
      undefined,
      undefined,
      ["file-id /messages/0/parts/0", "message-unsaid /messages/0"],
    ],
  ])("B5: a file id %s", (_, from, to, losses) => {
    const [chat, responses] = [dialect(CHAT, { provider: from }), dialect(RESPONSES, { provider: to })];
    const translated = translate({ from: chat, to: responses, kind: "request", wire: byId });
    const content = [{ type: "input_file", file_id: "f" }];
    expect(translated.wire).toStrictEqual({ input: losses.length > 0 ? [] : [{ role: "user", content }] });
    expect(told(translated)).toStrictEqual(losses);
    const back = translate({
      from: responses,
      to: chat,
      kind: "request",
      wire: { input: [{ role: "user", content }] },
    });
    expect(back.losses.some(({ code }) => code === "file-id")).toBe(losses.length > 0);
  });
});
