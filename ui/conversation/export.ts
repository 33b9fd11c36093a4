// Saves a thread as a file. It is fetched like everything else, so that the token goes along, and handed to the browser.
import type { Api } from "../data/api.ts";

export async function saveExport(api: Api, threadId: string, name: string): Promise<void> {
  const reply = await api.open("/v1/export", { query: { thread: threadId } });
  const url = URL.createObjectURL(await reply.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = `${fileName(name)}.jsonl`;
  link.click();
  // Browsers read it after the press.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** What is left of a title that every file system takes. */
function fileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "conversation";
}
