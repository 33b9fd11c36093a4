// The judge of Anthropic's streams: the accumulator of the official SDK.
import Anthropic from "@anthropic-ai/sdk";
import type { Judge, Loose, Verdict } from "./verdict.ts";
import { counts, listOf, loose, parsed, textOf } from "./verdict.ts";

function verdictOf(body: unknown): Verdict {
  const { content, stop_reason: stop, stop_sequence: sequence, usage } = loose(body);
  const blocks = listOf(content);
  const of = (type: string, read: (block: Loose) => string): string[] =>
    blocks.flatMap((block) => (block["type"] === type ? [read(block)] : []));
  return {
    text: of("text", (block) => textOf(block["text"])).join(""),
    reasoning: of("thinking", (block) => textOf(block["thinking"])).join(""),
    refusal: "",
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map((block) => ({ name: textOf(block["name"]), arguments: parsed(block["input"]) })),
    signatures: blocks.flatMap(({ type, signature, data }) => {
      const seal = type === "thinking" ? textOf(signature) : type === "redacted_thinking" ? textOf(data) : "";
      return seal === "" ? [] : [seal];
    }),
    finish: `${textOf(stop)} ${textOf(sequence)}`.trim(),
    usage: counts({
      input: usage?.["input_tokens"],
      output: usage?.["output_tokens"],
      read: usage?.["cache_read_input_tokens"],
      written: usage?.["cache_creation_input_tokens"],
    }),
  };
}

const ASKED = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "?" }] };

function client(baseURL: string): Anthropic {
  return new Anthropic({ apiKey: "none", baseURL, maxRetries: 0 });
}

export const anthropicJudge: Judge = {
  verdictOf,
  async judge(baseUrl) {
    const raw = await client(baseUrl).messages.stream(ASKED).finalMessage();
    return { ...verdictOf(raw), raw };
  },
};

/** The same for the beta: it knows blocks that the other passes over. */
export const anthropicBetaJudge: Judge = {
  verdictOf,
  async judge(baseUrl) {
    const raw = await client(baseUrl).beta.messages.stream(ASKED).finalMessage();
    return { ...verdictOf(raw), raw };
  },
};
