// From a wire value to the canonical one, for every kind of payload and every speaker.
import type { AssembledRun, Delta, Message, ProviderError, ModelRequest, Response } from "koine";
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
import type { Kind, Speaker } from "../types.ts";

/** What was said, in the model's own words. */
export type Canonical =
  | { kind: "request"; value: ModelRequest }
  | { kind: "response"; value: Response }
  | { kind: "messages"; value: Message[] }
  | { kind: "error"; value: ProviderError }
  | { kind: "stream"; value: Response | AssembledRun; deltas: Delta[]; remarks: string[] };

/** Decodes a value; of a stream, the list of its events. Throws what the dialect says of it. */
export function decode(from: Speaker, kind: Kind, value: unknown): Canonical {
  if (from === "koine") return readOwn(kind, value);
  const speaker = dialect(from);
  switch (kind) {
    case "request":
      return { kind, value: speaker.decodeRequest(value) };
    case "response":
      return { kind, value: speaker.decodeResponse(value) };
    case "messages":
      return { kind, value: speaker.decodeMessages(value) };
    case "error":
      return { kind, value: speaker.decodeError(value) };
    case "stream":
      return decodeStream(from, value);
  }
}

/** What is wrong with a value that should be canonical already. */
export class OwnError extends Error {
  override readonly name = "OwnError";
  readonly path: string;

  constructor({ path, message }: Issue) {
    super(`${message}${path === "" ? "" : ` (at "${path}")`}`);
    this.path = path;
  }
}

/** Nothing that a reader could not live with: unknown words survive. */
const STRUCTURAL: ReadonlySet<Issue["code"]> = new Set(["wrong-type", "missing-field", "not-json", "too-deep"]);

function readOwn(kind: Kind, value: unknown): Canonical {
  const issue = issuesOf(kind, value).find(({ code }) => STRUCTURAL.has(code));
  if (issue !== undefined) throw new OwnError(issue);
  // Checked above; streams are read as the run shape, whose deltas are the model's.
  if (kind === "stream") return decodeStream("run", value);
  return { kind, value } as Canonical;
}

/** Everything that is wrong with a value as a canonical one. */
export function issuesOf(kind: Kind, value: unknown): Issue[] {
  if (kind === "request") return validateRequest(value);
  if (kind === "response") return validateResponse(value);
  if (kind === "messages") {
    if (!Array.isArray(value)) return [{ path: "", code: "wrong-type", message: "Expected a list of messages." }];
    return value.flatMap((each, at) =>
      validate(each).map(({ path, code, message }) => ({ path: `/${at}${path}`, code, message })),
    );
  }
  if (kind === "error") {
    const known = isObject(value) && (PROVIDER_ERROR_KINDS as readonly unknown[]).includes(value["kind"]);
    return known ? [] : [{ path: "/kind", code: "wrong-type", message: "Expected a kind of error." }];
  }
  return [];
}

function decodeStream(from: Exclude<Speaker, "koine">, value: unknown): Canonical {
  const decoder = dialect(from).streamDecoder();
  const pieces: readonly unknown[] = Array.isArray(value) ? value : [value];
  const deltas = pieces.flatMap((piece) => decoder.push(piece));
  deltas.push(...decoder.end());
  return { kind: "stream", deltas, ...assembled(deltas) };
}

/** The answer that deltas make; of one that failed, what had come. */
function assembled(deltas: readonly Delta[]): { value: Response | AssembledRun; remarks: string[] } {
  const assembler = new RunAssembler();
  try {
    for (const delta of deltas) assembler.push(delta);
    const run = assembler.finish();
    const [only] = run.responses;
    return { value: only !== undefined && run.messages.length === 1 ? only : run, remarks: [] };
  } catch (error) {
    if (!(error instanceof AssemblyError)) throw error;
    const message = error.partial ?? { role: "assistant", parts: [] };
    const response: Response = error.response ?? { id: "", model: "", message, finishReason: { unified: "error" } };
    const why = error.error?.message ?? error.error?.errorCode ?? error.message;
    return { value: response, remarks: [`The stream does not end well: ${why} What had come is shown.`] };
  }
}
