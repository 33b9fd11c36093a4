// Reads Anthropic streams with the accumulator of the official SDK.
import Anthropic from "@anthropic-ai/sdk";
import type { Judge, LooseJson, SdkResult } from "./sdk-result.ts";
import { readCounts, toList, toLooseJson, parseArguments, toText } from "./sdk-result.ts";

function readBody(body: unknown): SdkResult {
  const { content, stop_reason: stop, stop_sequence: sequence, usage } = toLooseJson(body);
  const blocks = toList(content);
  const of = (type: string, read: (block: LooseJson) => string): string[] =>
    blocks.flatMap((block) => (block["type"] === type ? [read(block)] : []));
  return {
    text: of("text", (block) => toText(block["text"])).join(""),
    reasoning: of("thinking", (block) => toText(block["thinking"])).join(""),
    refusal: "",
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map((block) => ({ name: toText(block["name"]), arguments: parseArguments(block["input"]) })),
    signatures: blocks.flatMap(({ type, signature, data }) => {
      const seal = type === "thinking" ? toText(signature) : type === "redacted_thinking" ? toText(data) : "";
      return seal === "" ? [] : [seal];
    }),
    finish: `${toText(stop)} ${toText(sequence)}`.trim(),
    usage: readCounts({
      input: usage?.["input_tokens"],
      output: usage?.["output_tokens"],
      read: usage?.["cache_read_input_tokens"],
      written: usage?.["cache_creation_input_tokens"],
    }),
  };
}

const REQUEST = { model: "m", max_tokens: 9, messages: [{ role: "user" as const, content: "?" }] };

function client(baseURL: string): Anthropic {
  return new Anthropic({ apiKey: "none", baseURL, maxRetries: 0 });
}

export const anthropicJudge: Judge = {
  readBody,
  async runSdk(baseUrl) {
    const raw = await client(baseUrl).messages.stream(REQUEST).finalMessage();
    return { ...readBody(raw), raw };
  },
};

/** Uses the beta API of the SDK, which also accumulates newer blocks. */
export const anthropicBetaJudge: Judge = {
  readBody,
  async runSdk(baseUrl) {
    const raw = await client(baseUrl).beta.messages.stream(REQUEST).finalMessage();
    return { ...readBody(raw), raw };
  },
};
