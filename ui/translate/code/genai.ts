// A request as code for @google/genai, which takes what the wire has beside the contents as one object. What it has no name
// for, it would leave out without a word; it is handed over as it is.
import type { Loss, ModelRequest } from "koine";
import { exactNumbers, isObject } from "koine";
import type { CodeWish } from "../types.ts";
import { bodyOf } from "./body.ts";
import { keyLiteral } from "./key.ts";
import { literalOf } from "./literal.ts";
import type { Body } from "./merge.ts";
import { merged, without } from "./merge.ts";
import type { Written } from "./written.ts";

/** What the SDK sends of its settings to such a server. */
const KNOWN: ReadonlySet<string> = new Set(
  `serviceTier systemInstruction temperature topP topK candidateCount maxOutputTokens stopSequences responseLogprobs
  logprobs presencePenalty frequencyPenalty seed responseMimeType responseSchema responseJsonSchema safetySettings tools
  toolConfig cachedContent responseModalities mediaResolution speechConfig thinkingConfig imageConfig`.split(/\s+/),
);

export function genaiCode(request: ModelRequest, wish: CodeWish): Written {
  const { body, losses } = bodyOf("gemini", request);
  const { contents, generationConfig } = body;
  const settings: Body = isObject(generationConfig) ? generationConfig : {};
  const beside = without(body, "contents", "model", "generationConfig");
  const others = unknownIn(beside);
  const inSettings = unknownIn(settings);
  const all = merged(settings, beside);
  const said = without(all, ...others, ...inSettings);
  const extra = extraOf(body, others, settings, inSettings);
  // To add to a body the SDK reads it again, and would round what is exact.
  const isRounded = extra !== undefined && exactNumbers(body).length > 0;
  const config = merged(said, extra === undefined || isRounded ? {} : { httpOptions: { extraBody: extra } });
  const asked = { model: wish.model, contents, ...(Object.keys(config).length > 0 && { config }) };
  const text = `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: ${keyLiteral(wish)}, httpOptions: { baseUrl: ${JSON.stringify(wish.origin)} } });
const answer = await client.models.generateContent(${literalOf(asked)});
console.log(answer.candidates[0].content.parts);
`;
  return { text, losses: isRounded ? [...losses, ...[...others, ...inSettings].map(unsaid)] : losses };
}

function unknownIn(body: Body): string[] {
  return Object.keys(body).filter((name) => !KNOWN.has(name));
}

function pick(from: Body, names: readonly string[]): Body {
  return without(from, ...Object.keys(from).filter((name) => !names.includes(name)));
}

function extraOf(body: Body, others: readonly string[], settings: Body, inside: readonly string[]): Body | undefined {
  if (others.length + inside.length === 0) return undefined;
  return merged(pick(body, others), inside.length === 0 ? {} : { generationConfig: pick(settings, inside) });
}

function unsaid(name: string): Loss {
  const message = "The SDK has no name for this, and would round exact numbers if it were added.";
  return { path: `/extra/gemini/${name}`, action: "dropped", level: "loss", code: "sdk-unsaid", message };
}
