// Saves a thread as a file. It is fetched like everything else, so that the token goes along, and handed to the browser.
import type { Api } from "../data/api.ts";
import { saveFile } from "../kit/index.ts";

export async function saveExport(api: Api, threadId: string, name: string): Promise<void> {
  const reply = await api.open("/v1/export", { query: { thread: threadId } });
  saveFile(`${fileName(name)}.jsonl`, await reply.blob());
}

/** What is left of a title that every file system takes. */
function fileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "conversation";
}
