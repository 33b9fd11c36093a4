// Tests the deviations of vendors: the field of reasoning, renamed parameters, and supported media.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../../src/dialects/openai-chat/index.ts";
import type { Message } from "../../../src/model/message.ts";
import { assistant, developer, user } from "../../../src/model/message.ts";
import type { Part } from "../../../src/model/parts.ts";
import type { ModelRequest } from "../../../src/model/request.ts";

const dialect = openaiChat();
const withForm = (form: object): { extra: { "openai-chat": { $form: object } } } => ({
  extra: { "openai-chat": { $form: form } },
});

interface EncodedForVendor {
  wire: { messages: Record<string, unknown>[] } & Record<string, unknown>;
  losses: string[];
}

/** Returns the wire request for a vendor, and each loss as "code path". */
function encodeForVendor(request: ModelRequest, vendor?: string, repair = true): EncodedForVendor {
  const { wire, losses } = openaiChat({ vendor }).encodeRequest(request, { repair });
  return { wire: wire as EncodedForVendor["wire"], losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

const question = (...messages: Message[]): ModelRequest => ({ messages: [...messages, user("Go on.")] });

describe("reasoning, both ways", () => {
  const rows: [sentence: string, wire: object, parts: object[]][] = [
    [
      "in a separate field",
      { role: "assistant", content: "Four.", reasoning_content: "2 + 2" },
      [
        { type: "reasoning", text: "2 + 2", ...withForm({ in: "reasoning_content" }) },
        { type: "text", text: "Four." },
      ],
    ],
    [
      "in another field",
      { role: "assistant", content: "Four.", reasoning: "2 + 2" },
      [
        { type: "reasoning", text: "2 + 2", ...withForm({ in: "reasoning" }) },
        { type: "text", text: "Four." },
      ],
    ],
    [
      "among the content",
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "2 + 2" }] },
          { type: "text", text: "Four." },
        ],
      },
      [
        { type: "reasoning", text: "2 + 2", ...withForm({ in: "thinking" }) },
        { type: "text", text: "Four." },
      ],
    ],
  ];
  test.each(rows)("%s", (_, wire, parts) => {
    expect(dialect.decodeMessages([wire])).toStrictEqual([{ role: "assistant", parts }]);
    const encoded = dialect.encodeMessages([{ role: "assistant", parts: parts as Part[] }]);
    expect(encoded).toStrictEqual({ wire: [wire], losses: [] });
  });

  test("B3, B4: each detail becomes a part with its seal, and a field that repeats them adds no part", () => {
    const wire = {
      role: "assistant",
      content: "Four.",
      reasoning: "2 + 2, plainly.",
      reasoning_details: [
        { type: "reasoning.text", text: "2 + 2", signature: "c2ln" },
        { type: "reasoning.summary", summary: ", plainly." },
        { type: "reasoning.encrypted", data: "ZW5j" },
      ],
    };
    const seal = (kind: string, value: string): object => ({ seals: [{ dialect: "openai-chat", kind, value }] });
    const messages = dialect.decodeMessages([wire]);
    expect(messages).toStrictEqual([
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "2 + 2", ...seal("signature", "c2ln"), ...withForm({ in: "reasoning_details" }) },
          { type: "reasoning", text: "", summary: [", plainly."], ...withForm({ in: "reasoning_details" }) },
          { type: "reasoning", text: "", ...seal("encrypted", "ZW5j"), ...withForm({ in: "reasoning_details" }) },
          { type: "text", text: "Four." },
        ],
        ...withForm({ same: ["reasoning"] }),
      },
    ]);
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire: [wire], losses: [] });
  });

  test("an edited detail also changes the field that repeats it", () => {
    const details = [{ type: "reasoning.text", text: "secret" }];
    const [message] = dialect.decodeMessages([
      { role: "assistant", content: "x", reasoning: "secret", reasoning_details: details },
    ]);
    Object.assign(message?.parts[0] ?? {}, { text: "redacted" });
    const { wire } = dialect.encodeMessages(message === undefined ? [] : [message]);
    expect(wire).toStrictEqual([
      {
        role: "assistant",
        content: "x",
        reasoning: "redacted",
        reasoning_details: [{ type: "reasoning.text", text: "redacted" }],
      },
    ]);
  });

  test("B5: encrypted reasoning goes only to the provider that issued it", () => {
    const from = openaiChat({ provider: "one" });
    const messages = from.decodeMessages([
      { role: "assistant", content: "x", reasoning_details: [{ type: "reasoning.encrypted", data: "ZW5j" }] },
    ]);
    const codes = (provider: string): string[] =>
      openaiChat({ provider })
        .encodeMessages(messages)
        .losses.map(({ code }) => code);
    expect(codes("one")).not.toContain("reasoning-unsupported");
    expect(codes("two")).toContain("reasoning-unsupported");
  });
});

describe("reasoning of other dialects", () => {
  const thought = assistant([
    { type: "reasoning", text: "2 + 2" },
    { type: "text", text: "Four." },
  ]);
  const rows: [vendor: string, message: object][] = [
    ["deepseek", { role: "assistant", content: "Four.", reasoning_content: "2 + 2" }],
    ["groq", { role: "assistant", content: "Four.", reasoning: "2 + 2" }],
    [
      "mistral",
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "2 + 2" }] },
          { type: "text", text: "Four." },
        ],
      },
    ],
  ];
  test.each(rows)("%s receives it in its own field", (vendor, message) => {
    const { wire, losses } = encodeForVendor(question(thought), vendor);
    expect(wire.messages[0]).toStrictEqual(message);
    expect(losses).toStrictEqual([]);
  });

  test.each([undefined, "openai", "azure"])("B15: it is not sent to %s, and never as text", (vendor) => {
    const { wire, losses } = encodeForVendor(question(thought), vendor);
    expect(wire.messages[0]).toStrictEqual({ role: "assistant", content: "Four." });
    expect(losses).toStrictEqual(["reasoning-unsupported /messages/0/parts/0"]);
  });

  test("B7: a message with only reasoning becomes an empty text", () => {
    const { wire, losses } = encodeForVendor(question(assistant([{ type: "reasoning", text: "Hm." }])));
    expect(wire.messages[0]).toStrictEqual({ role: "assistant", content: "" });
    expect(losses).toStrictEqual(["reasoning-unsupported /messages/0/parts/0"]);
  });

  test("reasoning of one vendor is sent to another in that vendor's field", () => {
    const messages = openaiChat({ vendor: "groq" }).decodeMessages([
      { role: "assistant", content: "Four.", reasoning: "2 + 2" },
    ]);
    const { wire, losses } = encodeForVendor(question(...messages), "deepseek");
    expect(wire.messages[0]).toStrictEqual({ role: "assistant", content: "Four.", reasoning_content: "2 + 2" });
    expect(losses).toStrictEqual(["form-stale /messages/0/parts/0/extra/openai-chat/$form"]);
    expect(encodeForVendor(question(...messages), "openai").losses).toContain(
      "reasoning-unsupported /messages/0/parts/0",
    );
    expect(encodeForVendor(question(...messages), "openai", false).wire.messages[0]).toHaveProperty(
      "reasoning",
      "2 + 2",
    );
  });
});

describe("settings of vendors", () => {
  const request: ModelRequest = { ...question(), sampling: { maxOutputTokens: 5, seed: 7, topK: 3 } };
  const rows: [vendor: string | undefined, settings: object, losses: string[]][] = [
    [undefined, { max_completion_tokens: 5, seed: 7 }, ["field-unsupported /sampling/topK"]],
    ["an unknown one", { max_completion_tokens: 5, seed: 7 }, ["field-unsupported /sampling/topK"]],
    ["deepseek", { max_tokens: 5, seed: 7 }, ["field-unsupported /sampling/topK"]],
    ["mistral", { max_tokens: 5, random_seed: 7 }, ["field-unsupported /sampling/topK"]],
    ["openrouter", { max_tokens: 5, seed: 7, top_k: 3 }, []],
  ];
  test.each(rows)("for %s", (vendor, settings, losses) => {
    const { wire, losses: actualLosses } = encodeForVendor(request, vendor);
    const { messages: _, ...sentSettings } = wire;
    expect(sentSettings).toStrictEqual(settings);
    expect(actualLosses).toStrictEqual(losses);
  });

  test.each(["max_tokens", "max_completion_tokens"])("%s returns unchanged, whichever vendor has it", (field) => {
    for (const vendor of [undefined, "openai", "mistral", "groq"]) {
      const speaker = openaiChat({ vendor });
      const wire = { messages: [{ role: "user", content: "Hi" }], [field]: 9 };
      expect(speaker.encodeRequest(speaker.decodeRequest(wire)).wire).toStrictEqual(wire);
    }
  });

  test("B37: a developer message becomes a system message for a vendor without that role", () => {
    const { wire, losses } = encodeForVendor(question(developer("Be brief.")), "groq");
    expect(wire.messages[0]).toStrictEqual({ role: "system", content: "Be brief." });
    expect(losses).toStrictEqual(["developer-as-system /messages/0/role"]);
    expect(encodeForVendor(question(developer("Be brief.")), "openai").wire.messages[0]).toHaveProperty(
      "role",
      "developer",
    );
  });

  test("B16: Mistral's call ids have nine letters and digits in call and result, and are restored in the response", () => {
    const call = { type: "tool-call", toolCallId: "toolu_01", toolName: "f", input: {} } as const;
    const result: Message = {
      role: "tool",
      parts: [{ type: "tool-result", toolCallId: "toolu_01", toolName: "f", isError: false, output: "ok" }],
    };
    const mistral = openaiChat({ vendor: "mistral" });
    const { wire, names } = mistral.encodeRequest(question(assistant([call]), result));
    const [sent, answered] = (wire as EncodedForVendor["wire"]).messages;
    const id = answered?.["tool_call_id"];
    expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(sent).toHaveProperty("tool_calls.0.id", id);
    expect(names).toStrictEqual({ toolCallIds: { [String(id)]: "toolu_01" } });
    const reply = { choices: [{ message: { role: "assistant", tool_calls: [{ id, function: { name: "f" } }] } }] };
    expect(mistral.decodeResponse(reply, { names }).message.parts[0]).toHaveProperty("toolCallId", "toolu_01");
  });

  test("B39: a cache breakpoint is sent to vendors that have one", () => {
    const cached = question(user([{ type: "text", text: "Long.", cache: { ttl: "1h" } }]));
    expect(encodeForVendor(cached, "openrouter").wire.messages[0]).toStrictEqual({
      role: "user",
      content: [{ type: "text", text: "Long.", cache_control: { type: "ephemeral", ttl: "1h" } }],
    });
    const { wire, losses } = encodeForVendor(cached);
    expect(wire.messages[0]).toStrictEqual({ role: "user", content: "Long." });
    expect(losses).toStrictEqual(["metadata-dropped /messages/0/parts/0/cache"]);
  });

  const media: [vendor: string, part: Part, block: object][] = [
    ["openrouter", { type: "video", url: "u" }, { type: "video_url", video_url: { url: "u" } }],
    ["vllm", { type: "audio", url: "u" }, { type: "audio_url", audio_url: { url: "u" } }],
    ["openrouter", { type: "file", url: "u" }, { type: "file", file: { file_data: "u" } }],
  ];
  test.each(media)("%s accepts media by URL beyond images: %o", (vendor, part, block) => {
    const { wire, losses } = encodeForVendor(question(user([part])), vendor);
    expect(wire.messages[0]).toStrictEqual({ role: "user", content: [block] });
    expect(losses).toStrictEqual([]);
  });

  test("generated images are sent beside the content to vendors that have a field for them", () => {
    const painted = question(
      assistant([
        { type: "text", text: "Here." },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ]),
    );
    expect(encodeForVendor(painted, "openrouter").wire.messages[0]).toStrictEqual({
      role: "assistant",
      content: "Here.",
      images: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }],
    });
    expect(encodeForVendor(painted).losses).toStrictEqual(["part-unsupported /messages/0/parts/1"]);
  });
});

test("unsupported values that were decoded from this dialect are sent unchanged", () => {
  const content = [
    { type: "input_audio", input_audio: { data: "aGk=", format: "flac" } },
    { type: "file", file: { file_data: "data:text/plain;base64,SGk=", filename: "a.txt" } },
  ];
  const wire = { messages: [{ role: "user", content }], stop: ["1", "2", "3", "4", "5"] };
  expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toStrictEqual({ wire, losses: [] });
});
