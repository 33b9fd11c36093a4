// Maps MIME types of audio to the `format` values of Chat Completions and back.
import { ValueMap } from "../../kit/fields/value-map.ts";

const FORMATS = new ValueMap<string, string>([
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
]);
const MIME_TYPE_ALIASES: Readonly<Record<string, string>> = {
  "audio/mp3": "mp3",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/vnd.wave": "wav",
};

export function formatToMimeType(format: string): string {
  return FORMATS.toModel(format) ?? `audio/${format}`;
}

export function mimeTypeToFormat(mimeType: string): string {
  const alias = Object.hasOwn(MIME_TYPE_ALIASES, mimeType) ? MIME_TYPE_ALIASES[mimeType] : undefined;
  return FORMATS.toWire(mimeType) ?? alias ?? mimeType.replace(/^audio\//, "");
}
