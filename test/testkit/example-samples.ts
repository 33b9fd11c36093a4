// Wire samples of the example dialects, each with data that are easily lost.
import { parseJson } from "../../src/index.ts";
import type { WireSample } from "../../src/testkit/index.ts";

const SEALS = [{ dialect: "plain", kind: "signature", value: "sealed-with-wax" }];

export function requestSamples(): WireSample[] {
  return [
    {
      name: "a request with every field",
      address: { stream: true },
      wire: {
        model: "scribe-of-athens",
        dialogue: [
          { from: "system", blocks: [{ is: "text", text: "Write in hexameters, please." }] },
          { from: "narrator", name: "Homer", blocks: [{ is: "text", text: "Sing of the wrath." }], meter: "hexameter" },
          {
            from: "assistant",
            blocks: [
              { is: "reasoning", text: "Whose wrath may he mean?", seals: SEALS },
              { is: "text", text: "Of Achilles, the son of Peleus." },
              {
                is: "tool-call",
                toolCallId: "call_of_the_muse",
                toolName: "sing",
                input: parseJson(
                  '{ "tone": null, "lines": 15693.00000000000000000001, "about": "the wrath of Achilles" }',
                ),
              },
              { is: "chorus", of: ["Muses"] },
            ],
          },
          {
            from: "tool",
            blocks: [
              {
                is: "tool-result",
                toolCallId: "call_of_the_muse",
                toolName: "sing",
                isError: false,
                output: "La la la, it rings.",
              },
            ],
          },
          { from: "user", blocks: [{ is: "text", text: "And what came then?" }] },
        ],
        tools: [
          {
            name: "sing",
            about: "Sings a song.",
            schema: { type: "object", properties: { tone: {}, about: {} } },
            loud: true,
          },
          { odd: "tool", zeal: 1, age: 2 },
        ],
        pick: "must",
        heat: 0.5,
        limit: 100,
        shape: { type: "object", description: "A shape of the answer." },
        effort: "a-lot-of-it",
        notes: { writer: "somebody-in-athens" },
        paper: { colour: "white", weight: null },
      },
    },
    {
      name: "a short request",
      wire: {
        dialogue: [{ from: "user", blocks: [{ is: "text", text: "Hello out there." }] }],
        pick: { tool: "sing" },
        heat: null,
      },
    },
  ];
}

export function responseSamples(): WireSample[] {
  return [
    {
      name: "an answer",
      wire: {
        id: "letter-0001-of-many",
        model: "scribe-of-athens",
        reply: {
          from: "assistant",
          blocks: [
            { is: "reasoning", text: "It is easily said.", seals: SEALS },
            { is: "text", text: "Sing, goddess, the wrath.", mood: "solemn" },
            { is: "tool-call", toolCallId: "call_1", toolName: "sing", input: { zeal: 1, age: 2 } },
          ],
        },
        end: "calls",
        counts: { in: 11, out: 7, all: 23, read: 5, wasted: 1 },
        at: 1_700_000_000,
        seal: { wax: "red" },
      },
    },
    {
      name: "a short answer",
      wire: { id: "", reply: { from: "assistant", blocks: [{ is: "text", text: "Yes." }] }, end: "unknown-end" },
    },
  ];
}

export function errorSamples(): WireSample[] {
  return [
    {
      name: "a refusal",
      status: 403,
      wire: { problem: { of: "permission", text: "Nobody may sing here.", since: 1 }, at: "noon" },
    },
    { name: "a rate limit", status: 429, wire: { problem: { of: "rate-limit", text: "Not so fast, please." } } },
  ];
}

/** Returns requests of the terse dialect. */
export function terseSamples(): WireSample[] {
  return [
    {
      name: "a conversation",
      wire: {
        model: "terse-model",
        instructions: "Answer in few words only.",
        turns: [
          { who: "user", content: "How is the weather in Corinth?" },
          {
            who: "bot",
            content: [
              { text: "Let me look it up first." },
              { call: "look", args: '{ "city": "Corinth", "exact": 12345678901234567890 }', id: "call_one_of_two" },
              { call: "look", args: '{"city":"Thebes"}', id: "call_two_of_two" },
            ],
          },
          {
            who: "user",
            content: [
              { answer: "Sunny, and very warm.", id: "call_one_of_two", failed: true, source: "a seer" },
              { answer: "Rain as always.", id: "call_two_of_two" },
              { text: "Be brief about it." },
            ],
          },
          { who: "bot", content: "Sunny here, rain there.", mood: "dry" },
          { who: "user", content: [{ text: "Thank you very much." }] },
          { who: "user", content: "One more thing, please." },
          { who: "muse", content: [{ song: "of wrath" }] },
        ],
        haste: { level: 3 },
      },
    },
    { name: "a single message", wire: { turns: [{ who: "user", content: "Only this." }] } },
  ];
}
