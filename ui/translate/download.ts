// Saves something as a file of the reader's.

export function download(name: string, content: string | Uint8Array): void {
  // Of an array over a shared buffer a blob would not take the bytes; this one never is.
  const url = URL.createObjectURL(new Blob([content as BlobPart]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it up by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
