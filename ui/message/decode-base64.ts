// Decodes base64 data for downloads.

/** Returns the decoded bytes as a blob; undefined if the data is not base64. */
export function decodeBase64(data: string): Blob | undefined {
  try {
    const binary = atob(data);
    return new Blob([Uint8Array.from(binary, (character) => character.charCodeAt(0))]);
  } catch {
    return undefined;
  }
}
