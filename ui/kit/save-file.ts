// Saves data as a file. The data gets a binary MIME type, so that the browser never opens it as a document of this
// origin.

export function saveFile(name: string, content: Blob | string | Uint8Array): void {
  // The cast is safe, because no caller passes a view of a SharedArrayBuffer, which Blob would reject.
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart]);
  const url = URL.createObjectURL(blob.slice(0, blob.size, "application/octet-stream"));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The URL is revoked with a delay, because the browser needs it until the download has started.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
