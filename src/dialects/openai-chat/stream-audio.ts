// Audio as it is spoken: data and transcript come in pieces, each at its own pace.
import type { Delta, PayloadBase } from "../../model/delta.ts";
import type { JsonObject } from "../../model/json.ts";
import { decodeSpoken } from "./audio.ts";
import type { Reading } from "./reading.ts";
import type { Told } from "./stream-choice.ts";
import { addLater, Growing } from "./stream-merge.ts";
import { tellSeals } from "./stream-settle.ts";

const KEY = "audio";

export class AudioReader {
  /** The audio as an answer in one piece has it. */
  wire: JsonObject | undefined;
  readonly #texts = { data: new Growing(), transcript: new Growing() };
  readonly #reading: Reading;
  readonly #told: Map<string, Told>;
  readonly #at: PayloadBase;

  constructor(reading: Reading, told: Map<string, Told>, at: PayloadBase) {
    this.#reading = reading;
    this.#told = told;
    this.#at = at;
  }

  /** Whether all of it has come. */
  get isOver(): boolean {
    const { wire } = this;
    return (
      wire !== undefined && ["id", "data", "transcript", "expires_at"].every((field) => (wire[field] ?? null) !== null)
    );
  }

  /** Reads a piece, and tells it as soon as the audio is more than an id. */
  read(piece: JsonObject, out: Delta[]): true {
    const hadId = this.wire?.["id"] !== undefined;
    const wire = (this.wire ??= {});
    for (const key in piece) {
      const text = piece[key];
      if ((key === "data" || key === "transcript") && typeof text === "string") {
        this.#texts[key].add(text);
        wire[key] = this.#texts[key].text;
      } else addLater(wire, piece, key);
    }
    const { id, data, transcript } = wire;
    // An answer in one piece may have no data; where there is more to come, there will be some.
    const isMore = typeof transcript === "string" && hadId;
    if (typeof id !== "string" || (typeof data !== "string" && !isMore)) return true;
    const isNew = !this.#told.has(KEY);
    const [said, spoken] = isNew ? [data, transcript] : [piece["data"], piece["transcript"]];
    const payload: Extract<Delta, { kind: "media" }>["payload"] = { type: "audio", part: KEY, ...this.#at };
    if (typeof said === "string") payload.dataDelta = said;
    if (typeof spoken === "string") payload.transcriptDelta = spoken;
    if (payload.dataDelta === undefined && payload.transcriptDelta === undefined) return true;
    out.push({ kind: "media", payload });
    if (isNew) {
      const told: Told = { key: KEY, kind: "media", tokens: 0 };
      this.#told.set(KEY, told);
      tellSeals(decodeSpoken({ id, data: "" }, this.#reading)?.seals, told, this.#at, out);
    }
    return true;
  }
}
