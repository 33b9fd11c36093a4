// The short words for formats ("png") and the mime types they stand for.

/** Words that are not simply the second half of their mime type, and those of files, where no rule helps. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  svg: "image/svg+xml",
  tif: "image/tiff",
  ico: "image/vnd.microsoft.icon",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  mpga: "audio/mpeg",
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  wav: "audio/wav",
  ogg: "audio/ogg",
  flac: "audio/flac",
  mp4: "video/mp4",
  webm: "video/webm",
  mov: "video/quicktime",
  pdf: "application/pdf",
  json: "application/json",
  zip: "application/zip",
  txt: "text/plain",
  text: "text/plain",
  md: "text/markdown",
  html: "text/html",
  csv: "text/csv",
  xml: "application/xml",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
};

const WORD = /^[a-z0-9][a-z0-9.+-]*$/;

/** The mime type that a `format` names on a part of this type; undefined where nobody can tell. */
export function mimeTypeOf(format: string, type: "image" | "audio" | "file"): string | undefined {
  if (format.includes("/")) return format;
  const word = format.toLowerCase();
  const known = Object.hasOwn(MIME_TYPES, word) ? MIME_TYPES[word] : undefined;
  if (type === "file" || known?.startsWith(`${type}/`) === true) return known;
  return WORD.test(word) ? `${type}/${word}` : undefined;
}
