// The judge of Chat streams: the accumulator of the official SDK.
import OpenAI from "openai";
import type { Judge, Verdict } from "./verdict.ts";
import { counts, listOf, loose, parsed, textOf } from "./verdict.ts";

/** Where vendors say reasoning; the SDK knows neither, and keeps the last piece only: the pieces are joined here. */
const REASONING = ["reasoning_content", "reasoning"] as const;

function verdictOf(body: unknown): Verdict {
  const { choices, usage } = loose(body);
  const [choice] = listOf(choices);
  const message = choice?.["message"];
  return {
    text: textOf(message?.["content"]),
    reasoning: REASONING.map((field) => textOf(message?.[field])).join(""),
    refusal: textOf(message?.["refusal"]),
    calls: listOf(message?.["tool_calls"]).map(({ function: fn, custom }) =>
      custom === undefined
        ? { name: textOf(fn?.["name"]), arguments: parsed(fn?.["arguments"]) }
        : { name: textOf(custom["name"]), arguments: textOf(custom["input"]) },
    ),
    signatures: [],
    finish: textOf(choice?.["finish_reason"]),
    usage: counts({
      input: usage?.["prompt_tokens"],
      output: usage?.["completion_tokens"],
      cached: usage?.["prompt_tokens_details"]?.["cached_tokens"],
      reasoning: usage?.["completion_tokens_details"]?.["reasoning_tokens"],
    }),
  };
}

export const openaiChatJudge: Judge = {
  verdictOf,
  async judge(baseUrl) {
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
        const piece = textOf(loose(choice?.delta)[field]);
        if (piece !== "") reasoning[field] = (reasoning[field] ?? "") + piece;
      }
    });
    const raw = await stream.finalChatCompletion();
    Object.assign(raw.choices[0]?.message ?? {}, reasoning);
    return { ...verdictOf(raw), raw };
  },
};
