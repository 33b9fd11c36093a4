// Saves something as a file. It is nameless bytes to the browser, so that it never opens it as a document of this page.

export function saveFile(name: string, content: Blob | string | Uint8Array): void {
  // Of an array over a shared buffer a blob would not take the bytes; these never are.
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart]);
  const url = URL.createObjectURL(blob.slice(0, blob.size, "application/octet-stream"));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it up by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
