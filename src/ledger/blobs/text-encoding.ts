// Converts strings to bytes and back without loss. Base64 is stored as the bytes that it represents, so that an image
// is stored once, whether it was uploaded as bytes or appended as base64. A string with a lone surrogate, which UTF-8
// cannot represent, is stored as UTF-16.

/** The ways in which a string is stored as the bytes of a blob. */
export const STRING_ENCODINGS = ["base64", "utf8", "utf16"] as const;
export type StringEncoding = (typeof STRING_ENCODINGS)[number];

const BUFFER_ENCODINGS = { base64: "base64", utf8: "utf8", utf16: "utf16le" } as const satisfies Record<
  StringEncoding,
  BufferEncoding
>;

/**
 * The number of leading characters that `mayBeBase64` tests. A text that is not base64 usually has, within these
 * characters, one that does not occur in base64.
 */
const SAMPLE_LENGTH = 64;

export function encodeText(text: string): { bytes: Buffer; as: StringEncoding } {
  if (mayBeBase64(text)) {
    const bytes = Buffer.from(text, "base64");
    // Node also decodes base64 with another alphabet, missing padding or stray bits. Encoding the bytes again would not
    // yield the same string, so a string of that kind is stored as text.
    if (bytes.toString("base64") === text) return { bytes, as: "base64" };
  }
  const as = text.isWellFormed() ? "utf8" : "utf16";
  return { bytes: Buffer.from(text, BUFFER_ENCODINGS[as]), as };
}

function mayBeBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text.slice(0, SAMPLE_LENGTH));
}

export function decodeText(bytes: Uint8Array, as: StringEncoding): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(BUFFER_ENCODINGS[as]);
}
