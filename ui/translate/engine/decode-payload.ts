// Decodes a wire value to the canonical model, for every kind of payload and every dialect.
import type { AssembledRun, Delta, Message, ProviderError, ModelRequest, ModelResponse } from "koine";
import {
  AssemblyError,
  dialect,
  isObject,
  PROVIDER_ERROR_KINDS,
  RunAssembler,
  validate,
  validateRequest,
  validateResponse,
} from "koine";
import type { Issue } from "koine";
import type { SourceKind, SourceDialect } from "../types.ts";

/**
 * A decoded payload, with one variant for each kind. The `remarks` of a stream state why its answer is incomplete; the
 * list is empty if the answer is complete.
 */
export type DecodedPayload =
  | { kind: "request"; value: ModelRequest }
  | { kind: "response"; value: ModelResponse }
  | { kind: "messages"; value: Message[] }
  | { kind: "error"; value: ProviderError }
  | { kind: "stream"; value: ModelResponse | AssembledRun; deltas: Delta[]; remarks: string[] };

/**
 * Decodes a value; for a stream, the value is the list of its events. Throws the dialect's error if the value cannot be
 * decoded.
 */
export function decodePayload(from: SourceDialect, kind: SourceKind, value: unknown): DecodedPayload {
  if (from === "koine") return readCanonical(kind, value);
  const sourceDialect = dialect(from);
  switch (kind) {
    case "request":
      return { kind, value: sourceDialect.decodeRequest(value) };
    case "response":
      return { kind, value: sourceDialect.decodeResponse(value) };
    case "messages":
      return { kind, value: sourceDialect.decodeMessages(value) };
    case "error":
      return { kind, value: sourceDialect.decodeError(value) };
    case "stream":
      return decodeStream(from, value);
  }
}

/** Thrown for a canonical value with a structural issue; the message describes the first issue. */
export class CanonicalError extends Error {
  override readonly name = "CanonicalError";
  readonly path: string;

  constructor({ path, message }: Issue) {
    super(`${message}${path === "" ? "" : ` (at "${path}")`}`);
    this.path = path;
  }
}

/** Codes of issues that make a canonical value unreadable; values with other issues can still be shown. */
const STRUCTURAL_ISSUES: ReadonlySet<Issue["code"]> = new Set(["wrong-type", "missing-field", "not-json", "too-deep"]);

function readCanonical(kind: SourceKind, value: unknown): DecodedPayload {
  const issue = listIssues(kind, value).find(({ code }) => STRUCTURAL_ISSUES.has(code));
  if (issue !== undefined) throw new CanonicalError(issue);
  // A canonical stream is a list of deltas, which the `run` dialect decodes. For the other kinds the cast is safe,
  // because `listIssues` has found no structural issue in the value.
  if (kind === "stream") return decodeStream("run", value);
  return { kind, value } as DecodedPayload;
}

/** Returns all issues of a canonical value. */
export function listIssues(kind: SourceKind, value: unknown): Issue[] {
  if (kind === "request") return validateRequest(value);
  if (kind === "response") return validateResponse(value);
  if (kind === "messages") {
    if (!Array.isArray(value)) return [{ path: "", code: "wrong-type", message: "Expected a list of messages." }];
    return value.flatMap((each, at) =>
      validate(each).map(({ path, code, message }) => ({ path: `/${at}${path}`, code, message })),
    );
  }
  if (kind === "error") {
    const isKnownKind = isObject(value) && (PROVIDER_ERROR_KINDS as readonly unknown[]).includes(value["kind"]);
    return isKnownKind ? [] : [{ path: "/kind", code: "wrong-type", message: "Expected a known error kind." }];
  }
  return [];
}

function decodeStream(from: Exclude<SourceDialect, "koine">, value: unknown): DecodedPayload {
  const decoder = dialect(from).streamDecoder();
  const chunks: readonly unknown[] = Array.isArray(value) ? value : [value];
  const deltas = chunks.flatMap((chunk) => decoder.push(chunk));
  deltas.push(...decoder.end());
  return { kind: "stream", deltas, ...assembleDeltas(deltas) };
}

/**
 * Assembles the deltas to a response or a run. If the stream is incomplete, returns the partial answer with a remark.
 */
function assembleDeltas(deltas: readonly Delta[]): { value: ModelResponse | AssembledRun; remarks: string[] } {
  const assembler = new RunAssembler();
  try {
    for (const delta of deltas) assembler.push(delta);
    const run = assembler.finish();
    const [only] = run.responses;
    return { value: only !== undefined && run.messages.length === 1 ? only : run, remarks: [] };
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    const message = error.partial ?? { role: "assistant", parts: [] };
    const response: ModelResponse = error.response ?? {
      id: "",
      model: "",
      message,
      finishReason: { unified: "error" },
    };
    const reason = error.error?.message ?? error.error?.errorCode ?? error.message;
    return { value: response, remarks: [`The stream is incomplete: ${reason} The partial answer is shown.`] };
  }
}
