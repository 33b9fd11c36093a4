// The requests for the translation benchmarks: one conversation, written in each of the four dialects.
import type { Sketch, SketchSize } from "./payloads/sketch.ts";
import { makeSketch } from "./payloads/sketch.ts";
import { WRITERS } from "./payloads/writers.ts";
import type { DialectName } from "./wire/wire.ts";
import { DIALECTS } from "./wire/wire.ts";

export const SIZES = ["200B", "2kB", "20kB", "1kB"] as const;
export type Size = (typeof SIZES)[number];

interface Plan {
  name: string;
  /** The maximum ratio of the time of a translation to the time of the minimum work. */
  goal: number;
  /** The number of runs of one measurement. */
  repeat: number;
  size: SketchSize;
}

const PLANS: Record<Size, Plan> = {
  "200B": { name: "messages of 200 B", goal: 1.8, repeat: 1, size: { bytes: 400_000, length: 200, tools: 10 } },
  "2kB": { name: "messages of 2 kB", goal: 1.5, repeat: 1, size: { bytes: 400_000, length: 2000, tools: 10 } },
  "20kB": { name: "messages of 20 kB", goal: 1.2, repeat: 1, size: { bytes: 400_000, length: 20_000, tools: 10 } },
  "1kB": { name: "a small request", goal: 2, repeat: 100, size: { bytes: 900, length: 28, tools: 1 } },
};

export interface Payload extends Plan {
  model: string;
  texts: Record<DialectName, string>;
}

function write(dialect: DialectName, sketch: Sketch): string {
  return JSON.stringify(WRITERS[dialect](sketch));
}

export function makePayload(size: Size): Payload {
  const plan = PLANS[size];
  const sketch = makeSketch(plan.size, (it) => write("openai-chat", it).length);
  const texts = DIALECTS.map((dialect) => [dialect, write(dialect, sketch)] as const);
  // The cast is safe, because the object has one text for each dialect.
  return { ...plan, model: sketch.model, texts: Object.fromEntries(texts) as Payload["texts"] };
}
