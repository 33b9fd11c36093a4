// Losses stand where they happen: in every dialect, at what became of the canonical place, and never anywhere else.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialect, dialects } from "../../src/dialects/index.ts";
import type { DialectId } from "../../src/dialects/index.ts";
import type { Loss, Message, Part } from "../../src/model/index.ts";
import { stepsOf } from "../../ui/json/pointers.ts";
import { encodeColumn } from "../../ui/translate/engine/encode.ts";
import { Marker } from "../../ui/translate/engine/marking.ts";
import type { Read } from "../../ui/translate/engine/read.ts";
import { read } from "../../ui/translate/engine/read.ts";
import { Trace } from "../../ui/translate/engine/trace.ts";
import { EXAMPLES } from "../../ui/translate/examples.ts";
import { canonicalMarks, columnMarks } from "../../ui/translate/loss-marks.ts";
import { groupLosses } from "../../ui/translate/loss-groups.ts";
import { aboutWords, placesWords, placeWords } from "../../ui/translate/words.ts";
import { pointerAt } from "./support/pointer-at.ts";

const exampleOf = (title: string): Read => readText(EXAMPLES.find((each) => each.title.startsWith(title))?.text ?? "");

function readText(content: string): Read {
  const found = read({ content });
  if ("failure" in found) throw new Error(found.failure.message);
  return found;
}

/** `code place standing`, for each loss of a column. */
function placesOf(given: Read, id: DialectId): string[] {
  const { document, losses } = encodeColumn(given, { dialect: id });
  if (document === undefined) throw new Error("There is a document.");
  return losses.map(({ code, line, standing }) => `${code} ${pointerAt(document, line)} ${standing}`);
}

describe("a loss", () => {
  const pilot = exampleOf("Anthropic: tools");
  test.each<[sentence: string, id: DialectId, place: string]>([
    ["of a part that was left out stands at its message", "openai-chat", "reasoning-unsaid /messages/2 near"],
    ["of a field of a part stands at what the part became", "openai-chat", "error-unsaid /messages/3 near"],
    ["in items stands at the item", "openai-responses", "error-unsaid /input/2 near"],
    ["of a setting that nobody says stands at the head", "openai-chat", "field-unsaid  head"],
    ["of a part in Gemini stands among its parts", "gemini", "reasoning-unsaid /contents/1 near"],
  ])("%s", (_, id, place) => {
    expect(placesOf(pilot, id)).toContain(place);
  });

  test("of what was made up stands where it was written", () => {
    const given = readText('{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}');
    expect(placesOf(given, "anthropic")).toStrictEqual(["max-tokens-default /max_tokens at"]);
  });

  test("of a value that became a text stands at the text", () => {
    const given = exampleOf("AI SDK model");
    expect(placesOf(given, "openai-chat")).toContain("output-as-text /2/content at");
  });

  test("of a stream stands at the event with which it happened", () => {
    const given = exampleOf("Anthropic stream: thinking, then words");
    const { document, losses } = encodeColumn(given, { dialect: "openai-chat" });
    const lost = losses.find(({ level }) => level === "loss");
    expect(lost?.path).toMatch(/^\/message\/parts\/0/);
    expect(pointerAt(document ?? given.reading.canonical, lost?.line ?? -1)).toMatch(/^\/\d+$/);
  });

  test("where a dialect carries messages only, has the canonical place of the request, and the rest is told", () => {
    const { losses, remarks } = encodeColumn(pilot, { dialect: "flat" });
    const lost = losses.filter(({ level }) => level !== "note").map(({ path }) => path);
    expect(lost).toContain("/messages/3/parts/0/isError");
    expect(lost).toStrictEqual(expect.arrayContaining(["/tools", "/sampling", "/reasoning"]));
    expect(lost).not.toContain("/model");
    expect(losses.find(({ path }) => path === "/tools")).toMatchObject({ line: 0, standing: "head" });
    expect(remarks).toStrictEqual([expect.stringMatching(/^Only messages are carried; left behind: .*tools/)]);
  });

  test("of a choice that is not carried has its place, where only messages are", () => {
    const choice = (index: number, content: string, finish = "stop") => ({
      index,
      finish_reason: finish,
      message: { role: "assistant", content },
    });
    const answer = (choices: object[]) =>
      readText(JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "gpt-5", choices }));
    const grave = (given: Read, id: DialectId): string[] =>
      encodeColumn(given, { dialect: id })
        .losses.filter(({ level }) => level !== "note")
        .map(({ path }) => path);
    for (const id of ["flat", "tagged", "ai-sdk-ui", "run", "canonical"] as const) {
      expect([id, grave(answer([choice(0, "a"), choice(1, "b")]), id)]).toStrictEqual([id, ["/alternatives/0"]]);
      expect([id, grave(answer([choice(0, "a", "length")]), id)]).toStrictEqual([id, ["/finishReason"]]);
    }
  });

  test("of an error is what its reader would not know", () => {
    const error = readText(
      JSON.stringify({
        error: {
          code: 429,
          message: "Too many.",
          status: "RESOURCE_EXHAUSTED",
          details: [
            { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [{ quotaId: "PerMinute" }] },
            { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" },
          ],
        },
      }),
    );
    const chat = encodeColumn(error, { dialect: "openai-chat" }).losses;
    expect(chat.map(({ level, path }) => `${level} ${path}`)).toStrictEqual([
      "loss /retryAfterMs",
      "note /raw/error/status",
      "loss /raw/error/details",
    ]);
    expect(encodeColumn(error, { dialect: "anthropic" }).losses.length).toBeGreaterThan(0);
  });

  test("is not led astray by a payload that holds what marks are made of", () => {
    const asked = (words: string): Read =>
      readText(
        JSON.stringify({
          model: "claude-x",
          max_tokens: 9,
          messages: [
            { role: "user", content: "Hi" },
            {
              role: "assistant",
              content: [
                { type: "thinking", thinking: "A thought.", signature: "c2ln" },
                { type: "text", text: "Yes." },
              ],
            },
            { role: "user", content: words },
          ],
        }),
      );
    const plain = placesOf(asked("Look."), "openai-chat");
    expect(plain).toContain("reasoning-unsaid /messages/1 near");
    expect(placesOf(asked("Look: Kn0000001 Kn0000002"), "openai-chat")).toStrictEqual(plain);
  });

  test("depends on the model and the vendor that are asked", () => {
    const plain = encodeColumn(pilot, { dialect: "openai-chat" });
    const other = encodeColumn(pilot, { dialect: "openai-chat", vendor: "deepseek", model: "deepseek-reasoner" });
    expect(other.document?.text).toContain('"model": "deepseek-reasoner"');
    expect(other.losses.map(({ code }) => code)).not.toStrictEqual(plain.losses.map(({ code }) => code));
  });
});

/** Messages in which every part says something that nothing else says. */
const conversation = fc
  .array(fc.constantFrom("system", "user", "image", "answer", "think", "call"), { minLength: 1, maxLength: 8 })
  .map((kinds) => kinds.flatMap((kind, at) => told(kind, at)));

function told(kind: string, at: number): Message[] {
  const text = (name: string): Part => ({ type: "text", text: `words ${name} ${at} end` });
  if (kind === "system") return [{ role: "system", parts: [text("s")] }];
  if (kind === "user") return [{ role: "user", parts: [text("u"), text("v")] }];
  if (kind === "image") return [{ role: "user", parts: [text("i"), { type: "image", url: "https://x.test/a.png" }] }];
  if (kind === "answer") return [{ role: "assistant", parts: [text("a")] }];
  if (kind === "think") {
    const seals = [{ dialect: "anthropic", kind: "signature", value: "c2ln" }];
    return [{ role: "assistant", parts: [{ type: "reasoning", text: `words r ${at} end`, seals }, text("t")] }];
  }
  const call = { toolCallId: `c${at}`, toolName: "tool" };
  return [
    { role: "assistant", parts: [{ type: "tool-call", ...call, input: { words: `words c ${at} end` } }] },
    { role: "tool", parts: [{ type: "tool-result", ...call, isError: at % 2 === 0, output: `words o ${at} end` }] },
  ];
}

/** What a part says, and where it says it. */
function wordsOf(part: Part): [field: string, words: string] | undefined {
  if (part.type === "text" || part.type === "reasoning") return ["text", part.text];
  if (part.type === "tool-result") return ["output", String(part.output)];
  return part.type === "tool-call" ? ["input", Object.values(part.input as object).join("")] : undefined;
}

test("a place that is named holds what was said there, in every dialect and for any conversation", () => {
  let named = 0;
  fc.assert(
    fc.property(conversation, fc.constantFrom(...dialects), (messages, id) => {
      const speaker = dialect(id);
      const marker = new Marker(JSON.stringify(messages));
      const asked = { model: "m", messages };
      const isAsked = speaker.supports.has("requests");
      const { wire } = isAsked ? speaker.encodeRequest(asked) : speaker.encodeMessages(messages);
      const marked = isAsked
        ? speaker.encodeRequest(marker.request(asked)).wire
        : speaker.encodeMessages(marker.messages(messages, "/messages")).wire;
      const trace = new Trace(wire, marked, marker);
      messages.forEach(({ parts }, at) =>
        parts.forEach((part, index) => {
          const [field, words] = wordsOf(part) ?? [];
          const { pointer, standing } = trace.find(`/messages/${at}/parts/${index}/${field ?? ""}`);
          if (words === undefined || standing !== "at") return;
          named++;
          let value: unknown = wire;
          for (const step of stepsOf(pointer)) value = (value as Record<string, unknown>)[step];
          expect(JSON.stringify(value)).toContain(words);
          // Not just somewhere in the whole.
          expect(pointer).not.toBe("");
        }),
      );
    }),
    { numRuns: 150 },
  );
  expect(named).toBeGreaterThan(200);
});

describe("marks", () => {
  const pilot = exampleOf("Anthropic: tools");
  const columns = (["openai-chat", "openai-responses", "gemini"] as const).map((id) =>
    encodeColumn(pilot, { dialect: id }),
  );
  const levels = new Set(["loss", "breaks"] as const);

  test("in the canonical value name all dialects that lose it, and share their ids with the columns", () => {
    const marks = canonicalMarks(columns, levels);
    const thinking = marks.find(({ code }) => code === "reasoning-unsaid");
    expect(thinking?.labels).toStrictEqual(["Chat", "Responses", "Gemini"]);
    expect(pointerAt(pilot.reading.canonical, thinking?.line ?? -1)).toBe("/messages/2/parts/0");
    for (const column of columns) {
      const own = columnMarks(column, levels).find(({ code }) => code === "reasoning-unsaid");
      expect(thinking?.ids).toContain(own?.ids[0]);
    }
  });

  test("of the same kind at the same place are one", () => {
    const asked = '{"messages":[],"sampling":{"topK":3},"reasoning":{"budget":2000}}';
    const chat = encodeColumn(readText(asked), { dialect: "openai-chat" });
    const unsaid = columnMarks(chat, levels).filter(({ code }) => code === "field-unsaid");
    expect(unsaid).toHaveLength(1);
    expect(unsaid[0]?.about).toBe("Dropped: sampling.topK; reasoning.budget. Nothing stands for it here.");
  });

  test("of notes are shown only where they are asked for", () => {
    const notes = columns.flatMap((column) => columnMarks(column, new Set(["note"])));
    expect(notes.length).toBeGreaterThan(0);
    expect(columns.flatMap((column) => columnMarks(column, levels)).some(({ level }) => level === "note")).toBe(false);
  });
});

describe("words", () => {
  test.each([
    ["/messages/2/parts/0", "message 3, part 1"],
    ["/messages/2/parts/0/isError", "message 3, part 1, isError"],
    ["/3/parts/1/content/0/text", "message 4, part 2, content 1, text"],
    ["/message/parts/0/seals/1", "the message, part 1, seal 2"],
    ["/alternatives/0/message/parts/1", "choice 1, the message, part 2"],
    ["/tools/4/strict", "tool 5, strict"],
    ["/sampling/topK", "sampling.topK"],
    ["/extra/openai-chat/logit_bias", "extra.openai-chat.logit_bias"],
    ["", "the whole"],
  ])("%s is said as %s", (path, words) => {
    expect(placeWords(path)).toBe(words);
  });

  test("of the same loss at many places name the first and count the others", () => {
    const losses = Array.from({ length: 5000 }, (_, at) => ({
      path: `/messages/${at}`,
      action: "dropped" as const,
      level: "loss" as const,
      code: "c",
      message: "m",
    }));
    const groups = groupLosses([...losses, { ...losses[0], path: "/tools/0", code: "d" } as Loss]);
    expect(groups.map(({ loss, paths }) => `${loss.code}: ${placesWords(paths)}`)).toStrictEqual([
      "c: message 1; message 2; message 3 and 4,997 more",
      "d: tool 1",
    ]);
  });

  test("of what was left out say whether something stands for it", () => {
    const loss = { action: "dropped", path: "/sampling/topK" } as const;
    expect(aboutWords(loss, "head")).toContain("Nothing stands for it");
    expect(aboutWords({ ...loss, action: "repaired" }, "at")).toBe("Repaired: sampling.topK.");
  });
});
