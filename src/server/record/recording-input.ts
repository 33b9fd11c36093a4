// The input of a recording.
import type { ReservedKey } from "./idempotency-keys.ts";
import type { ThreadPosition } from "./thread-position.ts";
import type { RunRequestFields, KnownFields } from "./request-facts.ts";
import type { RecordedCall } from "./types.ts";

export interface RecordingInput {
  call: RecordedCall;
  position: ThreadPosition;
  runId: string;
  key: ReservedKey | undefined;
  /** True if other instances must see the run before the first attempt. */
  mustBeVisible: boolean;
  /** Describes the request for the run's metadata, at the position where it is written. */
  describe(position: ThreadPosition): Promise<DescribedRequest>;
}

export interface DescribedRequest {
  runFields: RunRequestFields;
  knownFields: KnownFields;
}
