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

/** A decoded payload. */
export type DecodedPayload =
  | { kind: "request"; value: ModelRequest }
  | { kind: "response"; value: ModelResponse }
  | { kind: "messages"; value: Message[] }
  | { kind: "error"; value: ProviderError }
  | { kind: "stream"; value: ModelResponse | AssembledRun; deltas: Delta[]; remarks: string[] };

/** Decodes a value; for a stream, the list of its events. Throws the error of the dialect. */
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

/** Reports the first structural issue of a canonical value. */
export class CanonicalError extends Error {
  override readonly name = "OwnError";
  readonly path: string;

  constructor({ path, message }: Issue) {
    super(`${message}${path === "" ? "" : ` (at "${path}")`}`);
    this.path = path;
  }
}

/** Issues that make a value unreadable; unknown names do not. */
const STRUCTURAL_ISSUES: ReadonlySet<Issue["code"]> = new Set(["wrong-type", "missing-field", "not-json", "too-deep"]);

function readCanonical(kind: SourceKind, value: unknown): DecodedPayload {
  const issue = listIssues(kind, value).find(({ code }) => STRUCTURAL_ISSUES.has(code));
  if (issue !== undefined) throw new CanonicalError(issue);
  // Validated above. Canonical streams are decoded by the `run` dialect, whose deltas are those of the model.
  if (kind === "stream") return decodeStream("run", value);
  return { kind, value } as DecodedPayload;
}

/** Lists all issues of a canonical value. */
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

/** Assembles the deltas; after a failure, returns the partial answer with a remark. */
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
