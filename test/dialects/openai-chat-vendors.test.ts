// Vendors: where they have the model's reasoning, and what else they want said in their own way.
import { describe, expect, test } from "vitest";
import { openaiChat } from "../../src/dialects/openai-chat/index.ts";
import type { Message } from "../../src/model/message.ts";
import { assistant, developer, user } from "../../src/model/message.ts";
import type { Part } from "../../src/model/parts.ts";
import type { ModelRequest } from "../../src/model/request.ts";

const dialect = openaiChat();
const own = (form: object): { extra: { "openai-chat": { $form: object } } } => ({
  extra: { "openai-chat": { $form: form } },
});

interface Outcome {
  wire: { messages: Record<string, unknown>[] } & Record<string, unknown>;
  losses: string[];
}

/** What goes to a vendor, and each loss as "code path". */
function send(request: ModelRequest, vendor?: string, repair = true): Outcome {
  const { wire, losses } = openaiChat({ vendor }).encodeRequest(request, { repair });
  return { wire: wire as Outcome["wire"], losses: losses.map(({ code, path }) => `${code} ${path}`) };
}

const ask = (...messages: Message[]): ModelRequest => ({ messages: [...messages, user("Go on.")] });

describe("reasoning, both ways", () => {
  const rows: [sentence: string, wire: object, parts: object[]][] = [
    [
      "in a field of its own",
      { role: "assistant", content: "Four.", reasoning_content: "2 + 2" },
      [
        { type: "reasoning", text: "2 + 2", ...own({ in: "reasoning_content" }) },
        { type: "text", text: "Four." },
      ],
    ],
    [
      "in another field",
      { role: "assistant", content: "Four.", reasoning: "2 + 2" },
      [
        { type: "reasoning", text: "2 + 2", ...own({ in: "reasoning" }) },
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
        { type: "reasoning", text: "2 + 2", ...own({ in: "thinking" }) },
        { type: "text", text: "Four." },
      ],
    ],
  ];
  test.each(rows)("%s", (_, wire, parts) => {
    expect(dialect.decodeMessages([wire])).toStrictEqual([{ role: "assistant", parts }]);
    const encoded = dialect.encodeMessages([{ role: "assistant", parts: parts as Part[] }]);
    expect(encoded).toStrictEqual({ wire: [wire], losses: [] });
  });

  test("B3, B4: details are parts, each with its own seal, and what repeats them is not reasoned twice", () => {
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
          { type: "reasoning", text: "2 + 2", ...seal("signature", "c2ln"), ...own({ in: "reasoning_details" }) },
          { type: "reasoning", text: "", summary: [", plainly."], ...own({ in: "reasoning_details" }) },
          { type: "reasoning", text: "", ...seal("encrypted", "ZW5j"), ...own({ in: "reasoning_details" }) },
          { type: "text", text: "Four." },
        ],
        ...own({ same: ["reasoning"] }),
      },
    ]);
    expect(dialect.encodeMessages(messages)).toStrictEqual({ wire: [wire], losses: [] });
  });

  test("an edit of a detail shows wherever it is repeated", () => {
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
    expect(codes("one")).not.toContain("reasoning-unsaid");
    expect(codes("two")).toContain("reasoning-unsaid");
  });
});

describe("reasoning of others", () => {
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
  test.each(rows)("%s takes it in its own place", (vendor, message) => {
    const { wire, losses } = send(ask(thought), vendor);
    expect(wire.messages[0]).toStrictEqual(message);
    expect(losses).toStrictEqual([]);
  });

  test.each([undefined, "openai", "azure"])("B15: it does not go to %s, and never into the text", (vendor) => {
    const { wire, losses } = send(ask(thought), vendor);
    expect(wire.messages[0]).toStrictEqual({ role: "assistant", content: "Four." });
    expect(losses).toStrictEqual(["reasoning-unsaid /messages/0/parts/0"]);
  });

  test("B7: what is left of a message that was nothing but reasoning is an empty text", () => {
    const { wire, losses } = send(ask(assistant([{ type: "reasoning", text: "Hm." }])));
    expect(wire.messages[0]).toStrictEqual({ role: "assistant", content: "" });
    expect(losses).toStrictEqual(["reasoning-unsaid /messages/0/parts/0"]);
  });

  test("what came from one vendor goes to another in that one's place", () => {
    const messages = openaiChat({ vendor: "groq" }).decodeMessages([
      { role: "assistant", content: "Four.", reasoning: "2 + 2" },
    ]);
    const { wire, losses } = send(ask(...messages), "deepseek");
    expect(wire.messages[0]).toStrictEqual({ role: "assistant", content: "Four.", reasoning_content: "2 + 2" });
    expect(losses).toStrictEqual(["form-stale /messages/0/parts/0/extra/openai-chat/$form"]);
    expect(send(ask(...messages), "openai").losses).toContain("reasoning-unsaid /messages/0/parts/0");
    expect(send(ask(...messages), "openai", false).wire.messages[0]).toHaveProperty("reasoning", "2 + 2");
  });
});

describe("settings of vendors", () => {
  const request: ModelRequest = { ...ask(), sampling: { maxOutputTokens: 5, seed: 7, topK: 3 } };
  const rows: [vendor: string | undefined, settings: object, losses: string[]][] = [
    [undefined, { max_completion_tokens: 5, seed: 7 }, ["field-unsaid /sampling/topK"]],
    ["an unknown one", { max_completion_tokens: 5, seed: 7 }, ["field-unsaid /sampling/topK"]],
    ["deepseek", { max_tokens: 5, seed: 7 }, ["field-unsaid /sampling/topK"]],
    ["mistral", { max_tokens: 5, random_seed: 7 }, ["field-unsaid /sampling/topK"]],
    ["openrouter", { max_tokens: 5, seed: 7, top_k: 3 }, []],
  ];
  test.each(rows)("for %s", (vendor, settings, losses) => {
    const { wire, losses: told } = send(request, vendor);
    const { messages: _, ...said } = wire;
    expect(said).toStrictEqual(settings);
    expect(told).toStrictEqual(losses);
  });

  test.each(["max_tokens", "max_completion_tokens"])("%s comes back as it was, whoever's it is", (field) => {
    for (const vendor of [undefined, "openai", "mistral", "groq"]) {
      const speaker = openaiChat({ vendor });
      const wire = { messages: [{ role: "user", content: "Hi" }], [field]: 9 };
      expect(speaker.encodeRequest(speaker.decodeRequest(wire)).wire).toStrictEqual(wire);
    }
  });

  test("B37: a developer's message is the system's where there are no developers", () => {
    const { wire, losses } = send(ask(developer("Be brief.")), "groq");
    expect(wire.messages[0]).toStrictEqual({ role: "system", content: "Be brief." });
    expect(losses).toStrictEqual(["developer-as-system /messages/0/role"]);
    expect(send(ask(developer("Be brief.")), "openai").wire.messages[0]).toHaveProperty("role", "developer");
  });

  test("B16: Mistral's ids are nine letters and digits, the same on call and result, and restored in the reply", () => {
    const call = { type: "tool-call", toolCallId: "toolu_01", toolName: "f", input: {} } as const;
    const result: Message = {
      role: "tool",
      parts: [{ type: "tool-result", toolCallId: "toolu_01", toolName: "f", isError: false, output: "ok" }],
    };
    const mistral = openaiChat({ vendor: "mistral" });
    const { wire, names } = mistral.encodeRequest(ask(assistant([call]), result));
    const [sent, answered] = (wire as Outcome["wire"]).messages;
    const id = answered?.["tool_call_id"];
    expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect(sent).toHaveProperty("tool_calls.0.id", id);
    expect(names).toStrictEqual({ toolCallIds: { [String(id)]: "toolu_01" } });
    const reply = { choices: [{ message: { role: "assistant", tool_calls: [{ id, function: { name: "f" } }] } }] };
    expect(mistral.decodeResponse(reply, { names }).message.parts[0]).toHaveProperty("toolCallId", "toolu_01");
  });

  test("B39: a breakpoint goes to who has a word for it", () => {
    const cached = ask(user([{ type: "text", text: "Long.", cache: { ttl: "1h" } }]));
    expect(send(cached, "openrouter").wire.messages[0]).toStrictEqual({
      role: "user",
      content: [{ type: "text", text: "Long.", cache_control: { type: "ephemeral", ttl: "1h" } }],
    });
    const { wire, losses } = send(cached);
    expect(wire.messages[0]).toStrictEqual({ role: "user", content: "Long." });
    expect(losses).toStrictEqual(["bookkeeping /messages/0/parts/0/cache"]);
  });

  const media: [vendor: string, part: Part, block: object][] = [
    ["openrouter", { type: "video", url: "u" }, { type: "video_url", video_url: { url: "u" } }],
    ["vllm", { type: "audio", url: "u" }, { type: "audio_url", audio_url: { url: "u" } }],
    ["openrouter", { type: "file", url: "u" }, { type: "file", file: { file_data: "u" } }],
  ];
  test.each(media)("%s takes more by its URL than images: %o", (vendor, part, block) => {
    const { wire, losses } = send(ask(user([part])), vendor);
    expect(wire.messages[0]).toStrictEqual({ role: "user", content: [block] });
    expect(losses).toStrictEqual([]);
  });

  test("images that the model made stand beside the content where there is a place for them", () => {
    const painted = ask(
      assistant([
        { type: "text", text: "Here." },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ]),
    );
    expect(send(painted, "openrouter").wire.messages[0]).toStrictEqual({
      role: "assistant",
      content: "Here.",
      images: [{ type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } }],
    });
    expect(send(painted).losses).toStrictEqual(["part-unsayable /messages/0/parts/1"]);
  });
});

test("what came in this dialect stays: vendors take more than OpenAI does", () => {
  const content = [
    { type: "input_audio", input_audio: { data: "aGk=", format: "flac" } },
    { type: "file", file: { file_data: "data:text/plain;base64,SGk=", filename: "a.txt" } },
  ];
  const wire = { messages: [{ role: "user", content }], stop: ["1", "2", "3", "4", "5"] };
  expect(dialect.encodeRequest(dialect.decodeRequest(wire))).toStrictEqual({ wire, losses: [] });
});
