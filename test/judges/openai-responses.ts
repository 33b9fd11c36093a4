// The judge of Responses streams: the accumulator of the official SDK.
import OpenAI from "openai";
import type { Judge, Loose, Verdict } from "./verdict.ts";
import { counts, listOf, loose, parsed, textOf } from "./verdict.ts";

const CALLS: Readonly<Record<string, (item: Loose) => Verdict["calls"][number]>> = {
  function_call: (item) => ({ name: textOf(item["name"]), arguments: parsed(item["arguments"]) }),
  custom_tool_call: (item) => ({ name: textOf(item["name"]), arguments: textOf(item["input"]) }),
};

function texts(items: readonly Loose[], type: string, field = "text"): string {
  return items.flatMap((item) => (item["type"] === type ? [textOf(item[field])] : [])).join("");
}

function verdictOf(body: unknown): Verdict {
  const { output, status, incomplete_details: incomplete, usage } = loose(body);
  const items = listOf(output);
  const said = items.flatMap((item) => (item["type"] === "message" ? listOf(item["content"]) : []));
  const thoughts = items.filter(({ type }) => type === "reasoning");
  return {
    text: texts(said, "output_text"),
    refusal: texts(said, "refusal", "refusal"),
    reasoning: thoughts
      .map((item) => texts(listOf(item["summary"]), "summary_text") + texts(listOf(item["content"]), "reasoning_text"))
      .join(""),
    calls: items.flatMap((item) => CALLS[textOf(item["type"])]?.(item) ?? []),
    signatures: thoughts.map((item) => textOf(item["encrypted_content"])).filter((seal) => seal !== ""),
    finish: `${textOf(status)} ${textOf(incomplete?.["reason"])}`.trim(),
    usage: counts({
      input: usage?.["input_tokens"],
      output: usage?.["output_tokens"],
      cached: usage?.["input_tokens_details"]?.["cached_tokens"],
      reasoning: usage?.["output_tokens_details"]?.["reasoning_tokens"],
    }),
  };
}

export const openaiResponsesJudge: Judge = {
  verdictOf,
  async judge(baseUrl) {
    const client = new OpenAI({ apiKey: "none", baseURL: `${baseUrl}/v1`, maxRetries: 0 });
    const raw = await client.responses.stream({ model: "m", input: "?" }).finalResponse();
    return { ...verdictOf(raw), raw };
  },
};
