// Decodes stored messages of any schema version. The wire format is the canonical model itself, so unknown fields stay
// in place and there is no residue of this dialect.
import { ValidationError, VersionError } from "../../model/errors.ts";
import type { Message } from "../../model/message.ts";
import { readMessage } from "../../model/schema-version.ts";
import type { DecodeContext } from "../dialect.ts";
import type { DialectErrorCode } from "../errors.ts";
import { DialectError } from "../errors.ts";
import { readMessageList } from "../kit/fields/read-wire.ts";

export function decodeMessages(wire: unknown, context: DecodeContext): Message[] {
  const { list, key } = readMessageList(wire, context);
  return context.pathTracker.each(key, list, (each) => {
    try {
      return readMessage(each);
    } catch (error) {
      if (!(error instanceof VersionError) && !(error instanceof ValidationError)) throw error;
      const path = context.pathTracker.path() + error.path;
      throw new DialectError(context.dialect, path, toErrorCode(error), error.message, { cause: error });
    }
  });
}

function toErrorCode(error: VersionError | ValidationError): DialectErrorCode {
  if (error instanceof VersionError) return "version";
  const code = error.issues[0]?.code;
  return code === "missing-field" || code === "too-deep" ? code : "wrong-type";
}
