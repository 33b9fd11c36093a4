// Tool calls and results across messages that come one by one, each a record of its own. Only what pairing needs is
// kept of them.
import { isObject } from "../../model/index.ts";
import type { Issue } from "../../model/index.ts";
import { validateMessages } from "../../model/index.ts";
import type { Place } from "./walk.ts";

/** The issues that messages have with each other. */
export const PAIRING: ReadonlySet<string> = new Set(["orphan-result", "duplicate-call", "duplicate-result"]);

interface Sketch {
  metadata: { runId?: unknown };
  parts: unknown[];
}

export class CallTrail {
  #sketches: Sketch[] = [];
  #places: Place[] = [];
  readonly #tell: (issue: Issue, place: Place) => void;

  constructor(tell: (issue: Issue, place: Place) => void) {
    this.#tell = tell;
  }

  add(messages: readonly unknown[], place: Place): void {
    for (const message of messages) {
      if (!isObject(message)) continue;
      // A root begins another conversation.
      if (message["parentMessageId"] === null) this.end();
      const sketch = sketchOf(message);
      if (sketch === undefined) continue;
      this.#sketches.push(sketch);
      this.#places.push(place);
    }
  }

  /** The conversation is over: what does not fit together is told. */
  end(): void {
    const sketches = this.#sketches;
    const places = this.#places;
    this.#sketches = [];
    this.#places = [];
    for (const issue of validateMessages(sketches)) {
      const [, index = "", path = ""] = /^\/(\d+)(.*)$/.exec(issue.path) ?? [];
      const place = places[Number(index)];
      if (PAIRING.has(issue.code) && place !== undefined) this.#tell({ ...issue, path }, place);
    }
  }
}

/** The calls and results of a message, in their places; undefined where there are none. */
function sketchOf({ metadata, parts }: Record<string, unknown>): Sketch | undefined {
  if (!Array.isArray(parts)) return undefined;
  const sketched = parts.map((part: unknown) => {
    if (!isObject(part) || (part["type"] !== "tool-call" && part["type"] !== "tool-result")) return null;
    const { type, toolCallId, executor } = part;
    return { type, toolCallId, executor };
  });
  if (sketched.every((part) => part === null)) return undefined;
  return { metadata: { runId: isObject(metadata) ? metadata["runId"] : undefined }, parts: sketched };
}
