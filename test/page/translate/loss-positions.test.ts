// Tests the positions of losses in every dialect: at the result of the canonical value, and nowhere else.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialect, dialects } from "../../../src/dialects/index.ts";
import type { DialectId } from "../../../src/dialects/index.ts";
import type { Loss, Message, Part } from "../../../src/model/index.ts";
import { splitPointer } from "../../../ui/json/json-pointers.ts";
import { encodeColumn } from "../../../ui/translate/engine/encode-column.ts";
import { PositionTokens } from "../../../ui/translate/engine/position-tokens.ts";
import type { DecodedSource } from "../../../ui/translate/engine/read-source.ts";
import { readSource } from "../../../ui/translate/engine/read-source.ts";
import { WireTrace } from "../../../ui/translate/engine/wire-trace.ts";
import { EXAMPLES } from "../../../ui/translate/examples.ts";
import { createCanonicalMarks, createColumnMarks } from "../../../ui/translate/loss-marks.ts";
import { groupLosses } from "../../../ui/translate/loss-groups.ts";
import { describeLoss, formatPaths, formatPath } from "../../../ui/translate/loss-labels.ts";
import { pointerAt } from "../support/pointer-at.ts";

const readExample = (title: string): DecodedSource =>
  readSourceText(EXAMPLES.find((each) => each.title.startsWith(title))?.text ?? "");

function readSourceText(content: string): DecodedSource {
  const result = readSource({ content });
  if ("failure" in result) throw new Error(result.failure.message);
  return result;
}

/** Returns `code pointer precision` for each loss of a column. */
function listLossPositions(source: DecodedSource, id: DialectId): string[] {
  const { document, losses } = encodeColumn(source, { dialect: id });
  if (document === undefined) throw new Error("There is a document.");
  return losses.map(({ code, line, precision }) => `${code} ${pointerAt(document, line)} ${precision}`);
}

describe("a loss", () => {
  const pilot = readExample("Anthropic: tools");
  test.each<[sentence: string, id: DialectId, place: string]>([
    ["of a dropped part is at its message", "openai-chat", "reasoning-unsupported /messages/2 near"],
    ["of a field of a part is at the encoded part", "openai-chat", "error-flag-unsupported /messages/3 near"],
    ["in items is at the item", "openai-responses", "error-flag-unsupported /input/2 near"],
    ["of an unsupported setting is at the head", "openai-chat", "field-unsupported  head"],
    ["of a part in Gemini is among its parts", "gemini", "reasoning-unsupported /contents/1 near"],
  ])("%s", (_, id, place) => {
    expect(listLossPositions(pilot, id)).toContain(place);
  });

  test("of a synthesized value is at that value", () => {
    const source = readSourceText('{"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}');
    expect(listLossPositions(source, "anthropic")).toStrictEqual(["max-tokens-default /max_tokens at"]);
  });

  test("of a value that became a text is at the text", () => {
    const source = readExample("AI SDK model");
    expect(listLossPositions(source, "openai-chat")).toContain("output-as-text /2/content at");
  });

  test("of a stream is at the event during which it occurred", () => {
    const source = readExample("Anthropic stream: thinking, then words");
    const { document, losses } = encodeColumn(source, { dialect: "openai-chat" });
    const lost = losses.find(({ level }) => level === "loss");
    expect(lost?.path).toMatch(/^\/message\/parts\/0/);
    expect(pointerAt(document ?? source.reading.canonical, lost?.line ?? -1)).toMatch(/^\/\d+$/);
  });

  test("of a dialect with messages only has the canonical path, and dropped fields are listed", () => {
    const { losses, remarks } = encodeColumn(pilot, { dialect: "flat" });
    const lost = losses.filter(({ level }) => level !== "note").map(({ path }) => path);
    expect(lost).toContain("/messages/3/parts/0/isError");
    expect(lost).toStrictEqual(expect.arrayContaining(["/tools", "/sampling", "/reasoning"]));
    expect(lost).not.toContain("/model");
    expect(losses.find(({ path }) => path === "/tools")).toMatchObject({ line: 0, precision: "head" });
    expect(remarks).toStrictEqual([expect.stringMatching(/^This dialect supports only messages\. Dropped: .*tools/)]);
  });

  test("of an unsupported choice has its path", () => {
    const choice = (index: number, content: string, finish = "stop") => ({
      index,
      finish_reason: finish,
      message: { role: "assistant", content },
    });
    const answer = (choices: object[]) =>
      readSourceText(JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "gpt-5", choices }));
    const grave = (source: DecodedSource, id: DialectId): string[] =>
      encodeColumn(source, { dialect: id })
        .losses.filter(({ level }) => level !== "note")
        .map(({ path }) => path);
    for (const id of ["flat", "tagged", "ai-sdk-ui", "run", "canonical"] as const) {
      expect([id, grave(answer([choice(0, "a"), choice(1, "b")]), id)]).toStrictEqual([id, ["/alternatives/0"]]);
      expect([id, grave(answer([choice(0, "a", "length")]), id)]).toStrictEqual([id, ["/finishReason"]]);
    }
  });

  test("of an error is the data that its decoder would not restore", () => {
    const error = readSourceText(
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

  test("is placed correctly if the payload contains text like a position token", () => {
    const sourceWith = (content: string): DecodedSource =>
      readSourceText(
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
            { role: "user", content: content },
          ],
        }),
      );
    const plain = listLossPositions(sourceWith("Look."), "openai-chat");
    expect(plain).toContain("reasoning-unsupported /messages/1 near");
    expect(listLossPositions(sourceWith("Look: Kn0000001 Kn0000002"), "openai-chat")).toStrictEqual(plain);
  });

  test("depends on the target's model and vendor", () => {
    const plain = encodeColumn(pilot, { dialect: "openai-chat" });
    const other = encodeColumn(pilot, { dialect: "openai-chat", vendor: "deepseek", model: "deepseek-reasoner" });
    expect(other.document?.text).toContain('"model": "deepseek-reasoner"');
    expect(other.losses.map(({ code }) => code)).not.toStrictEqual(plain.losses.map(({ code }) => code));
  });
});

/** Messages in which every part has unique text. */
const conversation = fc
  .array(fc.constantFrom("system", "user", "image", "answer", "think", "call"), { minLength: 1, maxLength: 8 })
  .map((kinds) => kinds.flatMap((kind, at) => createTurn(kind, at)));

function createTurn(kind: string, at: number): Message[] {
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

/** Returns the field with the text of a part, and the text. */
function readPartText(part: Part): [field: string, text: string] | undefined {
  if (part.type === "text" || part.type === "reasoning") return ["text", part.text];
  if (part.type === "tool-result") return ["output", String(part.output)];
  return part.type === "tool-call" ? ["input", Object.values(part.input as object).join("")] : undefined;
}

test("a reported position contains the text of its part, in every dialect and for any conversation", () => {
  let named = 0;
  fc.assert(
    fc.property(conversation, fc.constantFrom(...dialects), (messages, id) => {
      const speaker = dialect(id);
      const tokens = new PositionTokens(JSON.stringify(messages));
      const request = { model: "m", messages };
      const supportsRequests = speaker.supports.has("requests");
      const { wire } = supportsRequests ? speaker.encodeRequest(request) : speaker.encodeMessages(messages);
      const marked = supportsRequests
        ? speaker.encodeRequest(tokens.request(request)).wire
        : speaker.encodeMessages(tokens.messages(messages, "/messages")).wire;
      const trace = new WireTrace(wire, marked, tokens);
      messages.forEach(({ parts }, at) =>
        parts.forEach((part, index) => {
          const [field, text] = readPartText(part) ?? [];
          const { pointer, precision } = trace.find(`/messages/${at}/parts/${index}/${field ?? ""}`);
          if (text === undefined || precision !== "at") return;
          named++;
          let value: unknown = wire;
          for (const step of splitPointer(pointer)) value = (value as Record<string, unknown>)[step];
          expect(JSON.stringify(value)).toContain(text);
          // The position is inside the payload, not its root.
          expect(pointer).not.toBe("");
        }),
      );
    }),
    { numRuns: 150 },
  );
  expect(named).toBeGreaterThan(200);
});

describe("marks", () => {
  const pilot = readExample("Anthropic: tools");
  const columns = (["openai-chat", "openai-responses", "gemini"] as const).map((id) =>
    encodeColumn(pilot, { dialect: id }),
  );
  const levels = new Set(["loss", "breaks"] as const);

  test("in the canonical document name all dialects, and share their ids with the columns", () => {
    const marks = createCanonicalMarks(columns, levels);
    const thinking = marks.find(({ code }) => code === "reasoning-unsupported");
    expect(thinking?.labels).toStrictEqual(["Chat", "Responses", "Gemini"]);
    expect(pointerAt(pilot.reading.canonical, thinking?.line ?? -1)).toBe("/messages/2/parts/0");
    for (const column of columns) {
      const own = createColumnMarks(column, levels).find(({ code }) => code === "reasoning-unsupported");
      expect(thinking?.ids).toContain(own?.ids[0]);
    }
  });

  test("of the same kind at the same position are combined", () => {
    const source = '{"messages":[],"sampling":{"topK":3},"reasoning":{"budget":2000}}';
    const chat = encodeColumn(readSourceText(source), { dialect: "openai-chat" });
    const unsupported = createColumnMarks(chat, levels).filter(({ code }) => code === "field-unsupported");
    expect(unsupported).toHaveLength(1);
    expect(unsupported[0]?.context).toBe("Dropped: sampling.topK; reasoning.budget. Nothing represents it here.");
  });

  test("of notes are shown only on request", () => {
    const notes = columns.flatMap((column) => createColumnMarks(column, new Set(["note"])));
    expect(notes.length).toBeGreaterThan(0);
    expect(columns.flatMap((column) => createColumnMarks(column, levels)).some(({ level }) => level === "note")).toBe(
      false,
    );
  });
});

describe("labels", () => {
  test.each([
    ["/messages/2/parts/0", "message 3, part 1"],
    ["/messages/2/parts/0/isError", "message 3, part 1, isError"],
    ["/3/parts/1/content/0/text", "message 4, part 2, content 1, text"],
    ["/message/parts/0/seals/1", "the message, part 1, seal 2"],
    ["/alternatives/0/message/parts/1", "choice 1, the message, part 2"],
    ["/tools/4/strict", "tool 5, strict"],
    ["/sampling/topK", "sampling.topK"],
    ["/extra/openai-chat/logit_bias", "extra.openai-chat.logit_bias"],
    ["", "the whole payload"],
  ])("%s is formatted as %s", (path, formatted) => {
    expect(formatPath(path)).toBe(formatted);
  });

  test("of the same loss at many paths list the first and count the others", () => {
    const losses = Array.from({ length: 5000 }, (_, at) => ({
      path: `/messages/${at}`,
      action: "dropped" as const,
      level: "loss" as const,
      code: "c",
      message: "m",
    }));
    const groups = groupLosses([...losses, { ...losses[0], path: "/tools/0", code: "d" } as Loss]);
    expect(groups.map(({ loss, paths }) => `${loss.code}: ${formatPaths(paths)}`)).toStrictEqual([
      "c: message 1; message 2; message 3 and 4,997 more",
      "d: tool 1",
    ]);
  });

  test("of dropped values state whether something represents them", () => {
    const loss = { action: "dropped", path: "/sampling/topK" } as const;
    expect(describeLoss(loss, "head")).toContain("Nothing represents it");
    expect(describeLoss({ ...loss, action: "repaired" }, "at")).toBe("Repaired: sampling.topK.");
  });
});
