// Tests `koine convert` on streams: event by event, or assembled to an answer.
import { expect, test } from "vitest";
import { runEvents } from "./samples.ts";
import { koine, lines, parseLines } from "./support.ts";

const sse = runEvents.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

test("events on lines stay events on lines", async () => {
  const { stdout, stderr } = await koine("convert --from run --to run --kind stream", { stdin: lines(...runEvents) });
  expect(parseLines(stdout)).toStrictEqual(runEvents);
  expect(stderr).toContain("1 record (4 events of streams): 1 converted, 0 failed.");
});

test("server-sent events stay server-sent events", async () => {
  const { stdout } = await koine("convert -q --from run --to run", { stdin: [sse.slice(0, 50), sse.slice(50)] });
  expect(stdout).toBe(sse);
});

test("a target without streams gets the whole", async () => {
  const { stdout } = await koine("convert -q --from run --to canonical %/a.sse", { files: { "a.sse": sse } });
  expect(JSON.parse(stdout)).toMatchObject([
    {
      role: "assistant",
      parts: [{ type: "text", text: "Hello" }],
      metadata: { model: "demo", finishReason: { unified: "stop" } },
    },
  ]);
});

test("--assemble writes the assembled answer for any target", async () => {
  const { stdout } = await koine("convert -q --from run --to openai-chat --assemble %/a.sse", {
    files: { "a.sse": sse },
  });
  expect(JSON.parse(stdout)).toMatchObject({ choices: [{ message: { content: "Hello" }, finish_reason: "stop" }] });
});

test("the dialect of a stream is detected from its events", async () => {
  const converted = await koine("convert -q --from run --to anthropic --format sse", { stdin: sse });
  expect(converted.stdout).toMatch(/^event: message_start\ndata: /);
  const back = await koine("convert -q --to openai-chat --format jsonl", { stdin: converted.stdout });
  // Chunks of openai-chat.
  const chunks = parseLines(back.stdout) as { choices: { delta: { content?: string } }[] }[];
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe("Hello");
});

test("an interrupted stream fails, and its events are written", async () => {
  const { code, stdout, stderr } = await koine("convert --from run --to run --kind stream", {
    stdin: lines(...runEvents.slice(0, 3)),
  });
  expect(parseLines(stdout).slice(0, 3)).toStrictEqual(runEvents.slice(0, 3));
  expect(parseLines(stdout)[3]).toMatchObject({ kind: "error" });
  expect(stderr).toContain(
    "stdin:1: The stream ended before the answer was complete. The written stream ends with an error too.\n",
  );
  expect(stderr).toContain("1 record (3 events of streams): 0 converted, 1 failed.");
  expect(code).toBe(1);
});

test.each(["anthropic", "openai-responses", "gemini"])(
  "the truncation error of an interrupted stream is not a loss in %s",
  async (to) => {
    const { stdout, stderr } = await koine(`convert --from run --to ${to} --kind stream --json`, {
      stdin: lines(...runEvents.slice(0, 3)),
    });
    expect(stdout).toContain("The stream ended before the answer was complete");
    expect(stderr).toContain("The written stream ends with an error too.");
    expect(stderr).toContain('"failed":1');
    expect(stderr).not.toContain('"path":"/error');
  },
);

test("an interrupted stream is not assembled, and the report contains the error", async () => {
  const { code, stdout, stderr, file } = await koine(
    "convert --from run --to anthropic --kind stream --assemble --report %/r.jsonl",
    { stdin: lines(...runEvents.slice(0, 3)) },
  );
  expect(stdout).toBe("");
  const message = "The stream ended before the answer was complete.";
  expect(stderr).toContain(`stdin:1: ${message}\n1 record`);
  expect(parseLines(file("r.jsonl"))).toMatchObject([{ error: { code: "truncated", message } }]);
  expect(code).toBe(1);
});

test("a provider's error is reported with its message", async () => {
  const [start, text] = runEvents;
  const error = { ...runEvents[2], kind: "error", payload: { errorCode: "overloaded", message: "Try again." } };
  const { stderr } = await koine("convert --from run --to canonical --kind stream", {
    stdin: lines(start, text, error),
  });
  expect(stderr).toContain("stdin:1: The answer failed (overloaded): Try again.\n");
});

test("events of an unknown dialect need --from", async () => {
  const { code, stderr } = await koine("convert --to run --kind stream", { stdin: lines(...runEvents) });
  expect(stderr).toContain("The dialect of the stream cannot be detected from its events; name it with --from");
  expect(code).toBe(1);
});
