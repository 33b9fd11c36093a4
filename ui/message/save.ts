// Saves bytes as a file. They are nameless bytes to the browser, so that it never opens them as a document of this page.

export function saveFile(name: string, content: Blob): void {
  const bytes = content.slice(0, content.size, "application/octet-stream");
  const url = URL.createObjectURL(bytes);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it up by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Base64 as bytes; undefined where it is none. */
export function bytesOf(data: string): Blob | undefined {
  try {
    const binary = atob(data);
    return new Blob([Uint8Array.from(binary, (sign) => sign.charCodeAt(0))]);
  } catch {
    return undefined;
  }
}
