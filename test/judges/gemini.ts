// Reads Gemini streams with a chat of the official SDK: the result is the history that the chat would send with the next
// request. The chat drops the whole answer if it rejects a single event.
import { GoogleGenAI } from "@google/genai";
import type { Judge, LooseJson, SdkResult } from "./sdk-result.ts";
import { readCounts, toList, toLooseJson, toText } from "./sdk-result.ts";

function readBody(body: unknown): SdkResult {
  const { candidates, usageMetadata: usage } = toLooseJson(body);
  const [candidate] = toList(candidates);
  const parts = toList(candidate?.["content"]?.["parts"]);
  const texts = (isThought: boolean): string =>
    parts
      .flatMap(({ text, thought }) => ((thought === toLooseJson(true)) === isThought ? [toText(text)] : []))
      .join("");
  return {
    text: texts(false),
    reasoning: texts(true),
    refusal: "",
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ name: toText(call["name"]), arguments: (call["args"] as unknown) ?? {} }],
    ),
    signatures: parts.map(({ thoughtSignature }) => toText(thoughtSignature)).filter((seal) => seal !== ""),
    finish: toText(candidate?.["finishReason"]),
    usage: readCounts({
      input: usage?.["promptTokenCount"],
      output: usage?.["candidatesTokenCount"],
      cached: usage?.["cachedContentTokenCount"],
      reasoning: usage?.["thoughtsTokenCount"],
    }),
  };
}

/** Returns one body from the events: the last value of each field, and the parts of the chat's history. */
function accumulated(chunks: readonly LooseJson[], parts: readonly unknown[]): unknown {
  const body: Record<string, unknown> = {};
  const first: Record<string, unknown> = {};
  for (const chunk of chunks) {
    Object.assign(body, chunk);
    Object.assign(first, toList(chunk["candidates"])[0]);
  }
  return { ...body, candidates: [{ ...first, content: { role: "model", parts } }] };
}

export const geminiJudge: Judge = {
  readBody,
  async runSdk(baseUrl) {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } });
    const chat = client.chats.create({ model: "m", config: { automaticContinuation: false } });
    const chunks: LooseJson[] = [];
    for await (const chunk of await chat.sendMessageStream({ message: "?" })) chunks.push(toLooseJson(chunk));
    const parts = chat.getHistory().flatMap(({ role, parts: content }) => (role === "model" ? (content ?? []) : []));
    const raw = accumulated(chunks, parts);
    return { ...readBody(raw), raw };
  },
};
