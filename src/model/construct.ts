// Constructors for parts. Messages have theirs beside the interface, in message.ts.
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

/** Exactly one of a set of optional fields. */
type ExactlyOne<T> = {
  [K in keyof T]-?: Required<Pick<T, K>> & { [Other in Exclude<keyof T, K>]?: never };
}[keyof T];

/** What a media constructor takes: one source, and what goes with it. */
type Media<P> = Omit<P, "type" | keyof MediaSources> & ExactlyOne<MediaSources>;
type Beside<P, Named extends keyof P> = Omit<P, "type" | Named>;

export function text(value: string, beside: Beside<TextPart, "text"> = {}): TextPart {
  return { type: "text", text: value, ...beside };
}

export function reasoning(value: string, beside: Beside<ReasoningPart, "text"> = {}): ReasoningPart {
  return { type: "reasoning", text: value, ...beside };
}

export function refusal(value: string, beside: Beside<RefusalPart, "text"> = {}): RefusalPart {
  return { type: "refusal", text: value, ...beside };
}

export function toolCall(
  toolCallId: string,
  toolName: string,
  input: unknown,
  beside: Beside<ToolCallPart, "toolCallId" | "toolName" | "input"> = {},
): ToolCallPart {
  return { type: "tool-call", toolCallId, toolName, input, ...beside };
}

export function image(media: Media<ImagePart>): ImagePart {
  return { type: "image", ...media };
}
export function audio(media: Media<AudioPart>): AudioPart {
  return { type: "audio", ...media };
}
export function video(media: Media<VideoPart>): VideoPart {
  return { type: "video", ...media };
}
export function file(media: Media<FilePart>): FilePart {
  return { type: "file", ...media };
}
