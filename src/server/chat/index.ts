// The AI SDK's chat endpoint: what `useChat` posts to, as one part of the server.
import type { Recorder } from "../record/types.ts";
import type { Part, Services } from "../types.ts";

/** `useChat`'s endpoint and the one where it takes up a stream again. */
export function chatPart(_services: Services, _recorder: Recorder): Part {
  return { routes: [] };
}
