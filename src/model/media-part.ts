// Defines the type guard of media parts.
import type { MediaPart, Part } from "./parts.ts";

/** True if the part is an image, audio, a video or a file. */
export function isMediaPart(part: Part): part is MediaPart {
  const { type } = part;
  return type === "image" || type === "audio" || type === "video" || type === "file";
}
