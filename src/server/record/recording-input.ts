// Types of the data from which a recording is created.
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
  /**
   * Returns the fields of the request for the run's metadata. They depend on the position, because a field that equals
   * that of an earlier run is stored as a reference.
   */
  describe(position: ThreadPosition): Promise<DescribedRequest>;
}

export interface DescribedRequest {
  runFields: RunRequestFields;
  knownFields: KnownFields;
}
