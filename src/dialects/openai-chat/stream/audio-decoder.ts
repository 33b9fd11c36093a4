// Decodes streamed audio: data and transcript arrive in chunks, independently of each other.
import type { Delta, PayloadBase } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { decodeAudioOutput } from "../messages/audio-output.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { overwriteField, GrowingText } from "./merge-chunks.ts";
import { EmittedPart, emitSeals } from "../../openai/emitted-part.ts";

const AUDIO_KEY = "audio";

export class ChatAudioDecoder {
  /** The collected audio, as a whole answer has it. */
  wire: JsonObject | undefined;
  readonly #texts = { data: new GrowingText(), transcript: new GrowingText() };
  readonly #state: ChatDecodeState;
  readonly #emittedParts: Map<string, EmittedPart>;
  readonly #base: PayloadBase;

  constructor(state: ChatDecodeState, emittedParts: Map<string, EmittedPart>, base: PayloadBase) {
    this.#state = state;
    this.#emittedParts = emittedParts;
    this.#base = base;
  }

  /** True if every field has arrived. */
  get isComplete(): boolean {
    const { wire } = this;
    return (
      wire !== undefined && ["id", "data", "transcript", "expires_at"].every((field) => (wire[field] ?? null) !== null)
    );
  }

  /** Collects the fields of a chunk and emits a delta once the audio has data or a transcript. */
  decode(audio: JsonObject, out: Delta[]): true {
    const hadId = this.wire?.["id"] !== undefined;
    const wire = (this.wire ??= {});
    for (const key in audio) {
      const text = audio[key];
      if ((key === "data" || key === "transcript") && typeof text === "string") {
        this.#texts[key].add(text);
        wire[key] = this.#texts[key].text;
      } else overwriteField(wire, audio, key);
    }
    const { id, data, transcript } = wire;
    // Audio without data is only possible in a whole answer, whose chunk has the id as well.
    const isTranscriptOnly = typeof transcript === "string" && hadId;
    if (typeof id !== "string" || (typeof data !== "string" && !isTranscriptOnly)) return true;
    const isNew = !this.#emittedParts.has(AUDIO_KEY);
    const [dataDelta, transcriptDelta] = isNew ? [data, transcript] : [audio["data"], audio["transcript"]];
    const payload: Extract<Delta, { kind: "media" }>["payload"] = { type: "audio", partKey: AUDIO_KEY, ...this.#base };
    if (typeof dataDelta === "string") payload.dataDelta = dataDelta;
    if (typeof transcriptDelta === "string") payload.transcriptDelta = transcriptDelta;
    if (payload.dataDelta === undefined && payload.transcriptDelta === undefined) return true;
    out.push({ kind: "media", payload });
    if (isNew) {
      const emitted = new EmittedPart(AUDIO_KEY, "media");
      this.#emittedParts.set(AUDIO_KEY, emitted);
      const part = decodeAudioOutput({ id, data: "" }, this.#state);
      if (part !== undefined) emitSeals(emitted, part, this.#base, out);
    }
    return true;
  }
}
