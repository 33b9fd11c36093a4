// Downloads a thread as a JSONL file. The page fetches the file, because a plain link could not send the token.
import type { Api } from "../data/api.ts";
import { saveFile } from "../kit/index.ts";

export async function saveThreadExport(api: Api, threadId: string, name: string): Promise<void> {
  const reply = await api.open("/v1/export", { query: { thread: threadId } });
  saveFile(`${toFileName(name)}.jsonl`, await reply.blob());
}

/** Converts a title to a file name: only letters and digits stay, and the length is limited. */
function toFileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return plain.slice(0, 60) || "conversation";
}
