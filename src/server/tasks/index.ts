// Tasks: an agent's work on a thread, over HTTP (seed of the design's §8).
import type { Recorder } from "../record/types.ts";
import type { Part, Services } from "../types.ts";

export function tasksPart(_services: Services, _recorder: Recorder): Part {
  return { routes: [] };
}
