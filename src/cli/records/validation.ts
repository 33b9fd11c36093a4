// What is wrong with one record: what its dialect cannot read, and what its canonical value should not say.
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
import { PAIRING } from "./call-trail.ts";
import type { EventTaker } from "./streams.ts";

export interface Finding {
  path: string;
  code: string;
  message: string;
  /** What the path points into, where that is not the record itself. */
  within?: "request" | "response" | "messages" | "stream";
}

export interface Validated {
  findings: Finding[];
  /** The messages, where the record is some. */
  messages: readonly unknown[];
}

/** Throws what the dialect throws for a record that it cannot read. */
export function validateRecord({ dialect, kind, value, envelope: beside, isSingleMessage: isOne }: ClassifiedRecord): Validated {
  if (dialect.id === "canonical") return validateStored(messagesOf(value), isOne);
  switch (kind) {
    case "request":
      return found("request", validateRequest(dialect.decodeRequest(value, beside)));
    case "response":
      return found("response", validateResponse(dialect.decodeResponse(value, beside)));
    case "messages": {
      const messages = dialect.decodeMessages(value);
      return { ...found("messages", withoutPairs(validateMessages(messages), isOne)), messages };
    }
    default:
      dialect.decodeError(value, beside.status);
      return { findings: [], messages: [] };
  }
}

function found(within: NonNullable<Finding["within"]>, issues: readonly Issue[]): Validated {
  return { findings: issues.map((issue) => Object.assign({ within }, issue)), messages: [] };
}

/** A message by itself has its calls and results in others; they are looked at together. */
function withoutPairs(issues: readonly Issue[], isOne: boolean): Issue[] {
  return isOne ? issues.filter(({ code }) => !PAIRING.has(code)) : [...issues];
}

function messagesOf(value: unknown): readonly unknown[] {
  const list: unknown = isObject(value) ? value["messages"] : value;
  return Array.isArray(list) ? list : [value];
}

function validateStored(list: readonly unknown[], isOne: boolean): Validated {
  const findings: Finding[] = [];
  // Older versions are lifted before they are judged; what cannot be lifted is judged as it is.
  const messages = list.map((message, index) => {
    try {
      return isVersioned(message) ? readMessage(message) : message;
    } catch (error) {
      if (!(error instanceof VersionError)) {
        if (error instanceof ValidationError) return message;
        throw error;
      }
      findings.push({ path: `/${index}${error.path}`, code: error.code, message: error.message });
      return message;
    }
  });
  // What is wrong with a version is said by then, also by the field that it is not in.
  const told = new Set(findings.flatMap(({ path }) => [path, path.slice(0, path.lastIndexOf("/"))]));
  const issues = withoutPairs(validateMessages(messages), isOne).filter(({ path }) => !told.has(path));
  const all = [...findings, ...issues];
  return {
    findings: isOne ? all.map((finding) => ({ ...finding, path: finding.path.replace(/^\/0/, "") })) : all,
    messages,
  };
}

/** What claims to be stored must have a version. */
function isVersioned(message: unknown): boolean {
  if (!isObject(message)) return false;
  const { metadata, parentMessageId, createdAt } = message;
  return (
    parentMessageId !== undefined || createdAt !== undefined || (isObject(metadata) && "schemaVersion" in metadata)
  );
}

export function validateStream(dialect: Dialect, add: (finding: Finding) => void): EventTaker {
  const decoder = dialect.streamDecoder();
  const deltas: Delta[] = [];
  const take = (more: readonly Delta[]): void => {
    for (const delta of more) deltas.push(delta);
  };
  return {
    push: (event) => take(decoder.push(event)),
    end() {
      take(decoder.end());
      for (const { rule, seq, message } of checkDeltas(deltas)) {
        add({ path: `/${seq}`, code: rule, message, within: "stream" });
      }
    },
  };
}
