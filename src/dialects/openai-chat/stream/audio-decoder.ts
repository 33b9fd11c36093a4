// Decodes streamed audio. The chunks of the data and of the transcript arrive independently of each other.
import type { Delta, PayloadBase } from "../../../model/delta.ts";
import type { JsonObject } from "../../../model/json/index.ts";
import { decodeAudioOutput } from "../messages/audio-output.ts";
import type { ChatDecodeState } from "../decode-state.ts";
import { overwriteField, GrowingText } from "./merge-chunks.ts";
import { EmittedPart, emitSeals } from "../../openai/emitted-part.ts";

const AUDIO_KEY = "audio";

export class ChatAudioDecoder {
  /** The audio merged from all chunks, in the format of a response; undefined until the first chunk with audio. */
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

  /** True if every field of the audio has arrived, so that the choice is complete even without a finish reason. */
  get isComplete(): boolean {
    const { wire } = this;
    return (
      wire !== undefined && ["id", "data", "transcript", "expires_at"].every((field) => (wire[field] ?? null) !== null)
    );
  }

  /**
   * Merges the audio of a chunk into `wire`. Emits a delta once the id and data have arrived. Without data, a delta is
   * emitted only if the transcript arrives in a later chunk than the id.
   */
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
    // Audio without data that has its id and transcript in one chunk comes from a complete response and is not emitted
    // here. If an earlier chunk had the id, the audio is streamed, and its transcript is emitted without data.
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
