// Generates code for @google/genai, whose config object combines all fields of the body except the contents. The SDK
// silently drops fields that it does not know, so the code passes these as `extraBody`.
import type { Loss, ModelRequest } from "koine";
import { listExactNumbers, isObject } from "koine";
import type { CodeOptions } from "../types.ts";
import { encodeBody } from "./encode-body.ts";
import { toTokenLiteral } from "./token-literal.ts";
import { toLiteral } from "./js-literal.ts";
import type { WireBody } from "./merge-bodies.ts";
import { mergeBodies, omitFields } from "./merge-bodies.ts";
import type { GeneratedCode } from "./generated-code.ts";

/** Config fields that the SDK @google/genai sends to a Gemini API server. */
const SDK_FIELDS: ReadonlySet<string> = new Set(
  `serviceTier systemInstruction temperature topP topK candidateCount maxOutputTokens stopSequences responseLogprobs
  logprobs presencePenalty frequencyPenalty seed responseMimeType responseSchema responseJsonSchema safetySettings tools
  toolConfig cachedContent responseModalities mediaResolution speechConfig thinkingConfig imageConfig`.split(/\s+/),
);

export function generateGenaiCode(request: ModelRequest, options: CodeOptions): GeneratedCode {
  const { body, losses } = encodeBody("gemini", request);
  const { contents, generationConfig } = body;
  const settings: WireBody = isObject(generationConfig) ? generationConfig : {};
  const topLevel = omitFields(body, "contents", "model", "generationConfig");
  const unknownTopLevel = listUnknownFields(topLevel);
  const unknownSettings = listUnknownFields(settings);
  const known = mergeBodies(settings, topLevel);
  const supported = omitFields(known, ...unknownTopLevel, ...unknownSettings);
  const extra = buildExtraBody(body, unknownTopLevel, settings, unknownSettings);
  // If `extraBody` is set, the SDK parses the body again and rounds numbers with many digits. If the body has such
  // numbers, `extraBody` is omitted, and its fields are reported as losses.
  const isRounded = extra !== undefined && listExactNumbers(body).length > 0;
  const config = mergeBodies(supported, extra === undefined || isRounded ? {} : { httpOptions: { extraBody: extra } });
  const call = { model: options.model, contents, ...(Object.keys(config).length > 0 && { config }) };
  const text = `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: ${toTokenLiteral(options)}, httpOptions: { baseUrl: ${JSON.stringify(options.origin)} } });
const answer = await client.models.generateContent(${toLiteral(call)});
console.log(answer.candidates[0].content.parts);
`;
  return {
    text,
    losses: isRounded ? [...losses, ...[...unknownTopLevel, ...unknownSettings].map(toUnsupportedLoss)] : losses,
  };
}

function listUnknownFields(body: WireBody): string[] {
  return Object.keys(body).filter((name) => !SDK_FIELDS.has(name));
}

function pickFields(from: WireBody, names: readonly string[]): WireBody {
  return omitFields(from, ...Object.keys(from).filter((name) => !names.includes(name)));
}

function buildExtraBody(
  body: WireBody,
  unknownTopLevel: readonly string[],
  settings: WireBody,
  unknownSettings: readonly string[],
): WireBody | undefined {
  if (unknownTopLevel.length + unknownSettings.length === 0) return undefined;
  return mergeBodies(
    pickFields(body, unknownTopLevel),
    unknownSettings.length === 0 ? {} : { generationConfig: pickFields(settings, unknownSettings) },
  );
}

function toUnsupportedLoss(name: string): Loss {
  const message = "The SDK has no option for this; adding it as extraBody would round exact numbers.";
  return { path: `/extra/gemini/${name}`, action: "dropped", level: "loss", code: "sdk-unsupported", message };
}
