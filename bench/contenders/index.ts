// Loads all measured libraries, Koine first.
import type { Contender } from "./contender.ts";
import { koine } from "./koine.ts";
import { loadLingua } from "./lingua.ts";
import { loadBridge } from "./llm-bridge.ts";

export async function loadContenders(): Promise<Contender[]> {
  return [koine, await loadLingua(), await loadBridge()];
}
