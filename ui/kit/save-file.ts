// Saves data as a file. Typed as binary, so that the browser never opens it as a document of this origin.

export function saveFile(name: string, content: Blob | string | Uint8Array): void {
  // The cast excludes SharedArrayBuffer views, which Blob rejects; none are passed.
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart]);
  const url = URL.createObjectURL(blob.slice(0, blob.size, "application/octet-stream"));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Delayed until the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
