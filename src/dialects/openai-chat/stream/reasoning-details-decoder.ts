// Decodes streamed `reasoning_details`. Details with the same index are merged, and so are adjacent details of one type
// without an index.
import type { Delta, PayloadBase } from "../../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { copyObject } from "../../../model/json/index.ts";
import { decodeDetail } from "../messages/reasoning.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { overwriteField, GrowingText } from "./merge-chunks.ts";
import { EmittedPart, emitSeals } from "../../openai/emitted-part.ts";

/** For each type of detail, the field whose text is sent in fragments. */
const GROWING_FIELDS: Readonly<Record<string, string>> = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
  "reasoning.encrypted": "data",
};

export class ReasoningDetailsDecoder {
  readonly details: JsonObject[] = [];
  readonly #texts: GrowingText[] = [];
  readonly #state: ChatDecodeState;
  readonly #emittedParts: Map<string, EmittedPart>;
  readonly #base: PayloadBase;

  constructor(state: ChatDecodeState, emittedParts: Map<string, EmittedPart>, base: PayloadBase) {
    this.#state = state;
    this.#emittedParts = emittedParts;
    this.#base = base;
  }

  decode(list: readonly JsonObject[], emits: boolean, out: Delta[]): void {
    list.forEach((added, at) => {
      const known = this.#find(added, at === 0);
      const index = known ?? this.details.push(createDetail(added)) - 1;
      const detail = this.details[index];
      if (detail === undefined) return;
      const growingField = findGrowingField(added);
      if (known !== undefined) {
        for (const key in added) {
          if (key === growingField && typeof detail[key] === "string") this.#grow(index, detail, added[key]);
          else overwriteField(detail, added, key);
        }
      } else if (growingField !== undefined) this.#grow(index, detail, detail[growingField]);
      if (emits) this.#emit(`details/${index}`, detail, added, out);
    });
  }

  #grow(index: number, detail: JsonObject, more: JsonValue | undefined): void {
    const field = findGrowingField(detail);
    if (typeof more !== "string" || field === undefined) return;
    const text = (this.#texts[index] ??= new GrowingText());
    text.add(more);
    detail[field] = text.text;
  }

  /**
   * Returns the position of the detail that a fragment continues; undefined if the fragment is a new detail. Without an
   * index, only the first fragment of a chunk can continue the last detail.
   */
  #find(added: JsonObject, isFirst: boolean): number | undefined {
    const { type, index } = added;
    if (findGrowingField(added) === undefined) return undefined;
    if (typeof index === "number") {
      const at = this.details.findLastIndex((detail) => detail["index"] === index && detail["type"] === type);
      return at < 0 ? undefined : at;
    }
    const last = this.details.at(-1);
    const isSame = last?.["type"] === type && last?.["index"] === undefined && type !== "reasoning.encrypted";
    return isFirst && isSame ? this.details.length - 1 : undefined;
  }

  #emit(key: string, detail: JsonObject, added: JsonObject, out: Delta[]): void {
    const field = findGrowingField(detail);
    const part = decodeDetail(detail, this.#state);
    if (part.type !== "reasoning" || field === undefined) {
      if (!this.#emittedParts.has(key))
        out.push({ kind: "part", payload: { value: part, partKey: key, ...this.#base } });
      this.#emittedParts.set(key, new EmittedPart(key, "whole"));
      return;
    }
    const text = added[field];
    const textDelta = typeof text === "string" && field !== "data" ? text : "";
    const summary = field === "summary" ? { summary: 0 } : {};
    const known = this.#emittedParts.get(key);
    if (known !== undefined) {
      if (textDelta !== "")
        out.push({ kind: "thinking", payload: { textDelta, partKey: key, ...summary, ...this.#base } });
      return emitSeals(known, part, this.#base, out);
    }
    const { extra } = part;
    const emitted = new EmittedPart(key, "thinking");
    emitted.extra = extra;
    this.#emittedParts.set(key, emitted);
    const payload: Extract<Delta, { kind: "thinking" }>["payload"] = {
      textDelta,
      partKey: key,
      ...summary,
      ...this.#base,
    };
    if (extra !== undefined) payload.extra = extra;
    out.push({ kind: "thinking", payload });
    emitSeals(emitted, part, this.#base, out);
  }
}

function findGrowingField({ type }: JsonObject): string | undefined {
  return typeof type === "string" && Object.hasOwn(GROWING_FIELDS, type) ? GROWING_FIELDS[type] : undefined;
}

/**
 * Returns a copy of the first fragment of a detail. An absent text becomes empty, because a signature can arrive before
 * its text or without one.
 */
function createDetail(added: JsonObject): JsonObject {
  const detail = copyObject(added);
  if (added["type"] === "reasoning.text" && detail["text"] === undefined) detail["text"] = "";
  return detail;
}
