// Defines the data from which a `CallRecording` is created.
import type { ReservedKey } from "./idempotency-keys.ts";
import type { ThreadPosition } from "./thread-position.ts";
import type { RunRequestFields, KnownFields } from "./request-facts.ts";
import type { RecordedCall } from "./types.ts";

export interface RecordingInput {
  call: RecordedCall;
  position: ThreadPosition;
  runId: string;
  key: ReservedKey | undefined;
  /** True if the run must be written before the first attempt, so that other instances of the server see it. */
  mustBeVisible: boolean;
  /**
   * Returns the fields of the request for the run's metadata. The result depends on the position, because a field with
   * the same value as in an earlier run on the path is stored as a reference.
   */
  describe(position: ThreadPosition): Promise<DescribedRequest>;
}

export interface DescribedRequest {
  runFields: RunRequestFields;
  knownFields: KnownFields;
}
