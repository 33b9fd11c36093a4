// Reads Responses streams with the accumulator of the official SDK.
import OpenAI from "openai";
import type { Judge, LooseJson, SdkResult } from "./sdk-result.ts";
import { readCounts, toList, toLooseJson, parseArguments, toText } from "./sdk-result.ts";

const CALLS: Readonly<Record<string, (item: LooseJson) => SdkResult["calls"][number]>> = {
  function_call: (item) => ({ name: toText(item["name"]), arguments: parseArguments(item["arguments"]) }),
  custom_tool_call: (item) => ({ name: toText(item["name"]), arguments: toText(item["input"]) }),
};

function texts(items: readonly LooseJson[], type: string, field = "text"): string {
  return items.flatMap((item) => (item["type"] === type ? [toText(item[field])] : [])).join("");
}

function readBody(body: unknown): SdkResult {
  const { output, status, incomplete_details: incomplete, usage } = toLooseJson(body);
  const items = toList(output);
  const contents = items.flatMap((item) => (item["type"] === "message" ? toList(item["content"]) : []));
  const thoughts = items.filter(({ type }) => type === "reasoning");
  return {
    text: texts(contents, "output_text"),
    refusal: texts(contents, "refusal", "refusal"),
    reasoning: thoughts
      .map((item) => texts(toList(item["summary"]), "summary_text") + texts(toList(item["content"]), "reasoning_text"))
      .join(""),
    calls: items.flatMap((item) => CALLS[toText(item["type"])]?.(item) ?? []),
    signatures: thoughts.map((item) => toText(item["encrypted_content"])).filter((seal) => seal !== ""),
    finish: `${toText(status)} ${toText(incomplete?.["reason"])}`.trim(),
    usage: readCounts({
      input: usage?.["input_tokens"],
      output: usage?.["output_tokens"],
      cached: usage?.["input_tokens_details"]?.["cached_tokens"],
      reasoning: usage?.["output_tokens_details"]?.["reasoning_tokens"],
    }),
  };
}

export const openaiResponsesJudge: Judge = {
  readBody,
  async runSdk(baseUrl) {
    const client = new OpenAI({ apiKey: "none", baseURL: `${baseUrl}/v1`, maxRetries: 0 });
    const raw = await client.responses.stream({ model: "m", input: "?" }).finalResponse();
    return { ...readBody(raw), raw };
  },
};
