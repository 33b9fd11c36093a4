// The judge of Gemini's streams: a chat of the official SDK. What counts is the history that it would send next time,
// which it leaves out altogether where a single event is not to its liking.
import { GoogleGenAI } from "@google/genai";
import type { Judge, Loose, Verdict } from "./verdict.ts";
import { counts, listOf, loose, textOf } from "./verdict.ts";

function verdictOf(body: unknown): Verdict {
  const { candidates, usageMetadata: usage } = loose(body);
  const [candidate] = listOf(candidates);
  const parts = listOf(candidate?.["content"]?.["parts"]);
  const texts = (isThought: boolean): string =>
    parts.flatMap(({ text, thought }) => ((thought === loose(true)) === isThought ? [textOf(text)] : [])).join("");
  return {
    text: texts(false),
    reasoning: texts(true),
    refusal: "",
    calls: parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ name: textOf(call["name"]), arguments: (call["args"] as unknown) ?? {} }],
    ),
    signatures: parts.map(({ thoughtSignature }) => textOf(thoughtSignature)).filter((seal) => seal !== ""),
    finish: textOf(candidate?.["finishReason"]),
    usage: counts({
      input: usage?.["promptTokenCount"],
      output: usage?.["candidatesTokenCount"],
      cached: usage?.["cachedContentTokenCount"],
      reasoning: usage?.["thoughtsTokenCount"],
    }),
  };
}

/** One body from the events: the last word of each field, and the parts as the chat remembers them. */
function accumulated(chunks: readonly Loose[], parts: readonly unknown[]): unknown {
  const body: Record<string, unknown> = {};
  const first: Record<string, unknown> = {};
  for (const chunk of chunks) {
    Object.assign(body, chunk);
    Object.assign(first, listOf(chunk["candidates"])[0]);
  }
  return { ...body, candidates: [{ ...first, content: { role: "model", parts } }] };
}

export const geminiJudge: Judge = {
  verdictOf,
  async judge(baseUrl) {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl } });
    const chat = client.chats.create({ model: "m", config: { automaticContinuation: false } });
    const chunks: Loose[] = [];
    for await (const chunk of await chat.sendMessageStream({ message: "?" })) chunks.push(loose(chunk));
    const parts = chat.getHistory().flatMap(({ role, parts: said }) => (role === "model" ? (said ?? []) : []));
    const raw = accumulated(chunks, parts);
    return { ...verdictOf(raw), raw };
  },
};
