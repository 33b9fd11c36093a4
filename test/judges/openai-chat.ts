// Reads Chat streams with the accumulator of the official SDK.
import OpenAI from "openai";
import type { Judge, SdkResult } from "./sdk-result.ts";
import { readCounts, toList, toLooseJson, parseArguments, toText } from "./sdk-result.ts";

/** Vendors' fields for reasoning. The SDK has none of them and keeps only the last delta, so the deltas are joined here. */
const REASONING = ["reasoning_content", "reasoning"] as const;

function readBody(body: unknown): SdkResult {
  const { choices, usage } = toLooseJson(body);
  const [choice] = toList(choices);
  const message = choice?.["message"];
  return {
    text: toText(message?.["content"]),
    reasoning: REASONING.map((field) => toText(message?.[field])).join(""),
    refusal: toText(message?.["refusal"]),
    calls: toList(message?.["tool_calls"]).map(({ function: fn, custom }) =>
      custom === undefined
        ? { name: toText(fn?.["name"]), arguments: parseArguments(fn?.["arguments"]) }
        : { name: toText(custom["name"]), arguments: toText(custom["input"]) },
    ),
    signatures: [],
    finish: toText(choice?.["finish_reason"]),
    usage: readCounts({
      input: usage?.["prompt_tokens"],
      output: usage?.["completion_tokens"],
      cached: usage?.["prompt_tokens_details"]?.["cached_tokens"],
      reasoning: usage?.["completion_tokens_details"]?.["reasoning_tokens"],
    }),
  };
}

export const openaiChatJudge: Judge = {
  readBody,
  async runSdk(baseUrl) {
    const client = new OpenAI({ apiKey: "none", baseURL: `${baseUrl}/v1`, maxRetries: 0 });
    const stream = client.chat.completions.stream({
      model: "m",
      messages: [{ role: "user", content: "?" }],
      stream_options: { include_usage: true },
    });
    const reasoning: Partial<Record<(typeof REASONING)[number], string>> = {};
    stream.on("chunk", (chunk) => {
      const [choice] = chunk.choices;
      for (const field of choice?.index === 0 ? REASONING : []) {
        const piece = toText(toLooseJson(choice?.delta)[field]);
        if (piece !== "") reasoning[field] = (reasoning[field] ?? "") + piece;
      }
    });
    const raw = await stream.finalChatCompletion();
    Object.assign(raw.choices[0]?.message ?? {}, reasoning);
    return { ...readBody(raw), raw };
  },
};
