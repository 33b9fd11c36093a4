// Base64 as bytes, to be saved.

/** Base64 as bytes; undefined where it is none. */
export function bytesOf(data: string): Blob | undefined {
  try {
    const binary = atob(data);
    return new Blob([Uint8Array.from(binary, (sign) => sign.charCodeAt(0))]);
  } catch {
    return undefined;
  }
}
