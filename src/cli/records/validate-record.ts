// Validates one record: its dialect must be able to decode it, and its canonical value must be valid.
import { checkDeltas } from "../../assembly/index.ts";
import type { Dialect } from "../../dialects/index.ts";
import { isObject } from "../../model/index.ts";
import type { Delta, Issue } from "../../model/index.ts";
import {
  readMessage,
  validateMessages,
  validateRequest,
  validateResponse,
  ValidationError,
  VersionError,
} from "../../model/index.ts";
import type { ClassifiedRecord } from "../read/classify-record.ts";
import { PAIRING_ISSUE_CODES } from "./tool-call-pairing.ts";
import type { StreamEventConsumer } from "./stream-input.ts";

export interface RecordIssue {
  path: string;
  code: string;
  message: string;
  /** The canonical value that the path points into; undefined if the path points into the record itself. */
  within?: "request" | "response" | "messages" | "stream";
}

export interface ValidatedRecord {
  issues: RecordIssue[];
  /** The messages of a record that is a message list; otherwise empty. */
  messages: readonly unknown[];
}

/** Returns the issues of a record. Throws the dialect's error if the record cannot be decoded. */
export function validateRecord({ dialect, kind, value, envelope, isSingleMessage }: ClassifiedRecord): ValidatedRecord {
  if (dialect.id === "canonical") return validateCanonicalMessages(readMessageList(value), isSingleMessage);
  switch (kind) {
    case "request":
      return toValidatedRecord("request", validateRequest(dialect.decodeRequest(value, envelope)));
    case "response":
      return toValidatedRecord("response", validateResponse(dialect.decodeResponse(value, envelope)));
    case "messages": {
      const messages = dialect.decodeMessages(value);
      return {
        ...toValidatedRecord("messages", withoutPairingIssues(validateMessages(messages), isSingleMessage)),
        messages,
      };
    }
    default:
      dialect.decodeError(value, envelope.status);
      return { issues: [], messages: [] };
  }
}

function toValidatedRecord(within: NonNullable<RecordIssue["within"]>, issues: readonly Issue[]): ValidatedRecord {
  return { issues: issues.map((issue) => Object.assign({ within }, issue)), messages: [] };
}

/**
 * If the record is a single message, removes the issues about pairs of calls and results, because ToolCallPairing
 * checks the pairs across records.
 */
function withoutPairingIssues(issues: readonly Issue[], isSingleMessage: boolean): Issue[] {
  return isSingleMessage ? issues.filter(({ code }) => !PAIRING_ISSUE_CODES.has(code)) : [...issues];
}

function readMessageList(value: unknown): readonly unknown[] {
  const list: unknown = isObject(value) ? value["messages"] : value;
  return Array.isArray(list) ? list : [value];
}

function validateCanonicalMessages(list: readonly unknown[], isSingleMessage: boolean): ValidatedRecord {
  const versionIssues: RecordIssue[] = [];
  // Stored messages of older schema versions are upgraded first; a message that cannot be upgraded is validated
  // unchanged.
  const messages = list.map((message, index) => {
    try {
      return isStoredMessage(message) ? readMessage(message) : message;
    } catch (error) {
      if (!(error instanceof VersionError)) {
        if (error instanceof ValidationError) return message;
        throw error;
      }
      versionIssues.push({ path: `/${index}${error.path}`, code: error.code, message: error.message });
      return message;
    }
  });
  // A version issue (from `readMessage`) replaces the validation issues at its path and at the parent of its path,
  // which would report the same fault.
  const versionPaths = new Set(versionIssues.flatMap(({ path }) => [path, path.slice(0, path.lastIndexOf("/"))]));
  const issues = withoutPairingIssues(validateMessages(messages), isSingleMessage).filter(
    ({ path }) => !versionPaths.has(path),
  );
  const allIssues = [...versionIssues, ...issues];
  return {
    issues: isSingleMessage
      ? allIssues.map((issue) => ({ ...issue, path: issue.path.replace(/^\/0/, "") }))
      : allIssues,
    messages,
  };
}

/** True if the message has a field that only stored messages have; a stored message must have a version. */
function isStoredMessage(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { metadata, parentMessageId, createdAt } = message;
  return (
    parentMessageId !== undefined || createdAt !== undefined || (isObject(metadata) && "schemaVersion" in metadata)
  );
}

export function validateStream(dialect: Dialect, addIssue: (issue: RecordIssue) => void): StreamEventConsumer {
  const decoder = dialect.streamDecoder();
  const deltas: Delta[] = [];
  const addDeltas = (more: readonly Delta[]): void => {
    for (const delta of more) deltas.push(delta);
  };
  return {
    push: (event) => addDeltas(decoder.push(event)),
    end() {
      addDeltas(decoder.end());
      for (const { rule, seq, message } of checkDeltas(deltas)) {
        addIssue({ path: `/${seq}`, code: rule, message, within: "stream" });
      }
    },
  };
}
