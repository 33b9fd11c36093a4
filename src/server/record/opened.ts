// What a recording is given to begin with.
import type { HeldKey } from "./keys.ts";
import type { Place } from "./place.ts";
import type { Said, Standing } from "./said.ts";
import type { RecordedCall } from "./types.ts";

export interface Opened {
  call: RecordedCall;
  place: Place;
  runId: string;
  key: HeldKey | undefined;
  /** Whether others must see at once that it is under way. */
  isShown: boolean;
  /** What the run says of its request, where it is written there. */
  describe(place: Place): Promise<Described>;
}

export interface Described {
  said: Said;
  standing: Standing;
}
