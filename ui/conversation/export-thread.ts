// Downloads a thread as a JSONL file. Fetched with the token, then saved by the browser.
import type { Api } from "../data/api.ts";
import { saveFile } from "../kit/index.ts";

export async function saveThreadExport(api: Api, threadId: string, name: string): Promise<void> {
  const reply = await api.open("/v1/export", { query: { thread: threadId } });
  saveFile(`${toFileName(name)}.jsonl`, await reply.blob());
}

/** Replaces the characters of a title that file systems may reject. */
function toFileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "conversation";
}
