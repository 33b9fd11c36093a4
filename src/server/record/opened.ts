// What a recording is given to begin with.
import type { HeldKey } from "./keys.ts";
import type { ThreadPosition } from "./place.ts";
import type { Said, KnownFields } from "./said.ts";
import type { RecordedCall } from "./types.ts";

export interface RecordingInput {
  call: RecordedCall;
  place: ThreadPosition;
  runId: string;
  key: HeldKey | undefined;
  /** Whether others must see at once that it is under way. */
  isShown: boolean;
  /** What the run says of its request, where it is written there. */
  describe(place: ThreadPosition): Promise<Described>;
}

export interface Described {
  said: Said;
  standing: KnownFields;
}
