// Defines functions that create parts. The functions that create messages are in message.ts.
import type {
  AudioPart,
  FilePart,
  ImagePart,
  MediaSources,
  ReasoningPart,
  RefusalPart,
  TextPart,
  ToolCallPart,
  VideoPart,
} from "./parts.ts";

/** An object type that requires exactly one of the optional fields of `T`. */
type ExactlyOne<T> = {
  [K in keyof T]-?: Required<Pick<T, K>> & { [Other in Exclude<keyof T, K>]?: never };
}[keyof T];

/** The argument of a media constructor: exactly one source, and the other fields of the part. */
type MediaOptions<P> = Omit<P, "type" | keyof MediaSources> & ExactlyOne<MediaSources>;
type PartOptions<P, PositionalField extends keyof P> = Omit<P, "type" | PositionalField>;

/**
 * Creates a text part.
 *
 * @example
 * ```ts
 * import { text } from "koine";
 *
 * console.log(text("Hello")); // {"type":"text","text":"Hello"}
 * ```
 */
export function text(value: string, options: PartOptions<TextPart, "text"> = {}): TextPart {
  return { type: "text", text: value, ...options };
}

/** Creates a reasoning part from the model's raw reasoning text. */
export function reasoning(value: string, options: PartOptions<ReasoningPart, "text"> = {}): ReasoningPart {
  return { type: "reasoning", text: value, ...options };
}

/** Creates a refusal part. */
export function refusal(value: string, options: PartOptions<RefusalPart, "text"> = {}): RefusalPart {
  return { type: "refusal", text: value, ...options };
}

/**
 * Creates a tool-call part with parsed input.
 *
 * @example
 * ```ts
 * import { assistant, toolCall, toolResult, user } from "koine";
 *
 * const call = toolCall("call_1", "weather", { city: "Rome" });
 * const messages = [user("How is the weather?"), assistant([call]), toolResult(call, { temperature: 21 })];
 * console.log(messages.map(({ role }) => role)); // ["user","assistant","tool"]
 * console.log(call.input); // {"city":"Rome"}
 * ```
 */
export function toolCall(
  toolCallId: string,
  toolName: string,
  input: unknown,
  options: PartOptions<ToolCallPart, "toolCallId" | "toolName" | "input"> = {},
): ToolCallPart {
  return { type: "tool-call", toolCallId, toolName, input, ...options };
}

/**
 * Creates an image part from exactly one source.
 *
 * @example
 * ```ts
 * import { image, text, user } from "koine";
 *
 * const question = user([text("What is this?"), image({ url: "https://example.com/cat.png" })]);
 * console.log(question.parts[1]); // {"type":"image","url":"https://example.com/cat.png"}
 * ```
 */
export function image(media: MediaOptions<ImagePart>): ImagePart {
  return { type: "image", ...media };
}

/** Creates an audio part from exactly one source. */
export function audio(media: MediaOptions<AudioPart>): AudioPart {
  return { type: "audio", ...media };
}

/** Creates a video part from exactly one source. */
export function video(media: MediaOptions<VideoPart>): VideoPart {
  return { type: "video", ...media };
}

/** Creates a file part, such as a PDF, from exactly one source. */
export function file(media: MediaOptions<FilePart>): FilePart {
  return { type: "file", ...media };
}
