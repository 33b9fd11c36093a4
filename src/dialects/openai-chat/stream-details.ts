// Reasoning as a list of details, which come in pieces: those of one index, or one kind in a row, are one detail.
import type { Delta, PayloadBase } from "../../model/delta.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { copyObject } from "../../model/json.ts";
import { decodeDetail } from "./reasoning.ts";
import type { Reading } from "./reading.ts";
import type { Told } from "./stream-choice.ts";
import { addLater, Growing } from "./stream-merge.ts";
import { tellSeals } from "./stream-settle.ts";

/** The field of each kind that grows. */
const GROWS: Readonly<Record<string, string>> = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
  "reasoning.encrypted": "data",
};

export class DetailReader {
  readonly list: JsonObject[] = [];
  readonly #texts: Growing[] = [];
  readonly #reading: Reading;
  readonly #told: Map<string, Told>;
  readonly #at: PayloadBase;

  constructor(reading: Reading, told: Map<string, Told>, at: PayloadBase) {
    this.#reading = reading;
    this.#told = told;
    this.#at = at;
  }

  read(pieces: readonly JsonObject[], isTold: boolean, out: Delta[]): void {
    pieces.forEach((piece, at) => {
      const known = this.#find(piece, at === 0);
      const index = known ?? this.list.push(begun(piece)) - 1;
      const detail = this.list[index];
      if (detail === undefined) return;
      const grows = fieldOf(piece);
      if (known !== undefined) {
        for (const key in piece) {
          if (key === grows && typeof detail[key] === "string") this.#grow(index, detail, piece[key]);
          else addLater(detail, piece, key);
        }
      } else if (grows !== undefined) this.#grow(index, detail, detail[grows]);
      if (isTold) this.#tell(`details/${index}`, detail, piece, out);
    });
  }

  #grow(index: number, detail: JsonObject, more: JsonValue | undefined): void {
    const field = fieldOf(detail);
    if (typeof more !== "string" || field === undefined) return;
    const text = (this.#texts[index] ??= new Growing());
    text.add(more);
    detail[field] = text.text;
  }

  /** The detail that a piece goes on with. Without an index, only the first of a list can go on with the last one. */
  #find(piece: JsonObject, isFirst: boolean): number | undefined {
    const { type, index } = piece;
    if (fieldOf(piece) === undefined) return undefined;
    if (typeof index === "number") {
      const at = this.list.findLastIndex((detail) => detail["index"] === index && detail["type"] === type);
      return at < 0 ? undefined : at;
    }
    const last = this.list.at(-1);
    const isSame = last?.["type"] === type && last?.["index"] === undefined && type !== "reasoning.encrypted";
    return isFirst && isSame ? this.list.length - 1 : undefined;
  }

  #tell(key: string, detail: JsonObject, piece: JsonObject, out: Delta[]): void {
    const field = fieldOf(detail);
    const part = decodeDetail(detail, this.#reading);
    if (part.type !== "reasoning" || field === undefined) {
      if (!this.#told.has(key)) out.push({ kind: "part", payload: { value: part, part: key, ...this.#at } });
      this.#told.set(key, { key, kind: "whole", tokens: 0 });
      return;
    }
    const text = piece[field];
    const textDelta = typeof text === "string" && field !== "data" ? text : "";
    const summary = field === "summary" ? { summary: 0 } : {};
    const known = this.#told.get(key);
    if (known !== undefined) {
      if (textDelta !== "") out.push({ kind: "thinking", payload: { textDelta, part: key, ...summary, ...this.#at } });
      return tellSeals(part.seals, known, this.#at, out);
    }
    const { extra } = part;
    const told: Told = { key, kind: "thinking", extra, tokens: 0 };
    this.#told.set(key, told);
    const payload: Extract<Delta, { kind: "thinking" }>["payload"] = { textDelta, part: key, ...summary, ...this.#at };
    if (extra !== undefined) payload.extra = extra;
    out.push({ kind: "thinking", payload });
    tellSeals(part.seals, told, this.#at, out);
  }
}

function fieldOf({ type }: JsonObject): string | undefined {
  return typeof type === "string" && Object.hasOwn(GROWS, type) ? GROWS[type] : undefined;
}

/** The signature of a text may come before it, or alone. */
function begun(piece: JsonObject): JsonObject {
  const detail = copyObject(piece);
  if (piece["type"] === "reasoning.text" && detail["text"] === undefined) detail["text"] = "";
  return detail;
}
