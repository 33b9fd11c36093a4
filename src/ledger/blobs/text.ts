// A string as bytes and back, exactly. Base64 is kept as the bytes that it stands for, so that a picture is stored once
// however it arrived; what has no UTF-8 form (a lone surrogate) is kept as UTF-16.

/** How a string became bytes. */
export const SPELLINGS = ["base64", "utf8", "utf16"] as const;
export type Spelling = (typeof SPELLINGS)[number];

const ENCODINGS = { base64: "base64", utf8: "utf8", utf16: "utf16le" } as const satisfies Record<
  Spelling,
  BufferEncoding
>;

/** So many characters tell most texts from base64. */
const TELLING = 64;

export function bytesOf(text: string): { bytes: Buffer; as: Spelling } {
  if (mayBeBase64(text)) {
    const bytes = Buffer.from(text, "base64");
    // Other alphabets, missing padding and stray bits decode too, but would not come back as they were.
    if (bytes.toString("base64") === text) return { bytes, as: "base64" };
  }
  const as = text.isWellFormed() ? "utf8" : "utf16";
  return { bytes: Buffer.from(text, ENCODINGS[as]), as };
}

function mayBeBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text.slice(0, TELLING));
}

export function textOf(bytes: Uint8Array, as: Spelling): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(ENCODINGS[as]);
}
