// Encodes messages as stored messages of the current schema version, or of version 1 on request.
import type { Message } from "../../model/message.ts";
import { SCHEMA_VERSION } from "../../model/schema-version.ts";
import type { EncodeMessagesOptions } from "../dialect.ts";
import { DialectError } from "../errors.ts";
import { toStoredMessages } from "./stored-fields.ts";
import type { CanonicalEncodeContext } from "./losses.ts";
import { toVersion1 } from "./version-1.ts";

export function encodeMessages(
  messages: readonly Message[],
  context: CanonicalEncodeContext,
  options: EncodeMessagesOptions,
): unknown[] {
  const { version = SCHEMA_VERSION } = options;
  if (version !== SCHEMA_VERSION && version !== 1) {
    const message = `Version ${version} cannot be written; versions 1 and ${SCHEMA_VERSION} can.`;
    throw new DialectError(context.dialect, "", "version", message);
  }
  const stored = toStoredMessages(messages, context, options);
  return version === 1 ? toVersion1(stored, context) : stored;
}
