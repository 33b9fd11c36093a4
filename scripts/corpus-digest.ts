// Prints one hash per conversion of the recorded corpus: each payload, each operation, each target dialect. Two
// versions of the code behave the same on the corpus if the outputs are equal. A refactoring is checked by comparing
// the output before it with the output after it; `--renames` maps deliberate changes of names in the older output.
//
// node --conditions=koine-source scripts/corpus-digest.ts [--renames json] [--output file] [--sentences file] [--only path]
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Delta, Dialect, Encoded, Loss, Message } from "../src/index.ts";
import { AssemblyError, dialect, dialects, KoineError, parseJson, stringifyJson, transcode } from "../src/index.ts";
import { assemble, checkDeltas, detectDialect, disassemble } from "../src/index.ts";

type Table = Readonly<Record<string, string>>;

/** The renamed names and texts: each table maps the old spelling to the new spelling. */
interface Renames {
  lossCodes?: Table;
  errorClasses?: Table;
  /** Codes of thrown errors, including assembly rules. */
  errorCodes?: Table;
  /** Keys directly inside a delta's `payload`. */
  deltaFields?: Table;
  /** Keys at any depth of decoded values, and the same keys in the paths of losses and errors. */
  modelFields?: Table;
  /**
   * Sentences that Koine writes into values and wires, such as the message of an error delta; parts of a string match.
   */
  texts?: Table;
  /** The dialects whose wire has the field names of the model; default: run and canonical. */
  koineWires?: readonly string[];
}

/** The fields of a manifest row that the digest needs. */
interface Row {
  path: string;
  dialect: string;
  kind: "streams" | keyof typeof BODIES;
  status?: number;
  model?: string;
}

type Target = readonly [label: string, codec: Dialect];

const { values: flags } = parseArgs({
  options: {
    renames: { type: "string" },
    output: { type: "string" },
    sentences: { type: "string" },
    only: { type: "string", default: "" },
  },
});
const CORPUS = process.env["KOINE_CORPUS"] ?? fileURLToPath(new URL("../../shared/corpus", import.meta.url));
const renames = JSON.parse(flags.renames === undefined ? "{}" : readFileSync(flags.renames, "utf8")) as Renames;
const koineWires = new Set(renames.koineWires ?? ["run", "canonical"]);

/** Vendors with different rules for Chat Completions; each vendor selects other branches of the same encoder. */
const VENDORS = ["openai", "deepseek", "mistral", "openrouter", "vllm"];
const TARGETS: readonly Target[] = [
  ...dialects.map((id): Target => [id, dialect(id)]),
  ...VENDORS.map((vendor): Target => [`openai-chat/${vendor}`, dialect("openai-chat", { vendor })]),
];
const RUN = { runId: "run-1", clock: () => "2026-01-02T03:04:05.678Z" };
/** Field values of the wrong JSON type, for the errors that decoders throw. */
const WRONG_VALUES = [null, 42, "text", [], {}, [null]];
/** The number of events of a stream that are mutated; later events repeat the same kinds. */
const MUTATED_EVENTS = 12;
/** The chunk size, which cuts characters, lines and frames at changing positions. */
const CHUNK_BYTES = 97;

const lines: string[] = [];
const sentences = new Set<string>();

function renamed(table: Table | undefined, name: string): string {
  return table !== undefined && Object.hasOwn(table, name) ? (table[name] ?? name) : name;
}

/** Returns the new name of a key. A delta field is a key directly inside the outermost `payload`, but not deeper. */
function modelKey(key: string, parents: readonly string[]): string {
  const isDeltaField = parents.length > 0 && parents.indexOf("payload") === parents.length - 1;
  return renamed(isDeltaField ? { ...renames.modelFields, ...renames.deltaFields } : renames.modelFields, key);
}

// These functions are part of ECMAScript, but not of the library typings in use.
const exactJson = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** Returns the JSON text with the new names of the model; every number has the same digits as before. */
function rewriteModelKeys(text: string): string {
  const copy = (value: unknown, parents: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => copy(item, [...parents, "#"]));
    if (typeof value !== "object" || value === null || exactJson.isRawJSON(value)) return value;
    const entries = Object.entries(value).map(([key, item]) => [modelKey(key, parents), copy(item, [...parents, key])]);
    return Object.fromEntries(entries) as unknown;
  };
  const digits = (_: string, value: unknown, { source }: { source: string }): unknown =>
    typeof value === "number" ? exactJson.rawJSON(source) : value;
  return JSON.stringify(copy(exactJson.parse(text, digits), []));
}

const hasFieldRenames = (renames.deltaFields ?? renames.modelFields) !== undefined;
const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1);

function renameTexts(json: string): string {
  const pairs = Object.entries(renames.texts ?? {});
  return pairs.reduce((text, [from, to]) => text.replaceAll(jsonText(from), jsonText(to)), json);
}

function modelText(value: unknown): string {
  const json = stringifyJson(value ?? null);
  return renameTexts(hasFieldRenames ? rewriteModelKeys(json) : json);
}

function wireText(value: unknown, codec: Dialect): string {
  return koineWires.has(codec.id) ? modelText(value) : renameTexts(stringifyJson(value ?? null));
}

type Output = string | Uint8Array;

/** Returns the output of a stream encoder as text. Binary frames have checksums, so `texts` cannot apply to them. */
function outputText(output: Output, codec: Dialect): string {
  if (typeof output !== "string") return Buffer.from(output).toString("latin1");
  if (!koineWires.has(codec.id) || !hasFieldRenames) return renameTexts(output);
  return output.replaceAll(/^data: (\{.*)$/gm, (_, json: string) => `data: ${renameTexts(rewriteModelKeys(json))}`);
}

function sha(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function renamedPath(path: unknown): string {
  return String(path).replaceAll(/[^/]+/g, (step) => renamed(renames.modelFields, step));
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  // The message of an engine error is left out, because it may differ between Node versions.
  if (!(error instanceof KoineError)) return `thrown ${error.name}`;
  sentences.add(`error ${error.code} ${error.message}`);
  const names = [renamed(renames.errorClasses, error.name), renamed(renames.errorCodes, error.code)];
  return ["thrown", ...names, "path" in error ? renamedPath(error.path) : ""].join(" ");
}

function lossText({ code, level, action, path, message }: Loss): string {
  sentences.add(`loss ${code} ${message}`);
  return [renamed(renames.lossCodes, code), level, action, renamedPath(path)].join(" ");
}

/** Writes the lines of the digest for one payload. */
class Digest {
  readonly #payload: string;

  constructor(payload: string) {
    this.#payload = payload;
  }

  line(operation: string, target: string, text: string): void {
    lines.push(`${sha(text)} ${this.#payload} ${operation} ${target}`);
  }

  /** Runs a step and writes its result or its error. Returns the result; undefined after an error. */
  step<T>(operation: string, target: string, step: () => T, toText: (value: T) => string = modelText): T | undefined {
    try {
      const value = step();
      this.line(operation, target, toText(value));
      return value;
    } catch (error) {
      this.line(operation, target, errorText(error));
      return undefined;
    }
  }

  encoded(operation: string, [label, codec]: Target, step: () => Reply): Reply | undefined {
    const encoded = this.step(operation, label, step, ({ wire }) => wireText(wire, codec));
    const { address, names, status, losses = [] } = encoded ?? {};
    this.losses(operation, label, losses);
    const hasEnvelope = (address ?? names ?? status) !== undefined;
    if (hasEnvelope) this.line(`${operation}.envelope`, label, modelText([address, names, status]));
    return encoded;
  }

  /** Writes the line of a loss report. An empty report has no line, which halves the output. */
  losses(operation: string, target: string, losses: readonly Loss[]): void {
    if (losses.length > 0) this.line(`${operation}.losses`, target, losses.map(lossText).join("\n"));
  }

  /** Writes one hash of the outcomes of all mutants: each field is replaced with each wrong value, or left out. */
  mutants(operation: string, wire: unknown, decode: (mutant: unknown) => unknown): void {
    const texts = Object.keys(Object(wire) as object).flatMap((key) => {
      const { [key]: _, ...others } = wire as Record<string, unknown>;
      return [others, ...WRONG_VALUES.map((value) => ({ ...others, [key]: value }))].map((mutant) => {
        try {
          return modelText(decode(mutant));
        } catch (error) {
          return errorText(error);
        }
      });
    });
    this.line(operation, "-", texts.join("\n"));
  }
}

/** An encoded body, with the HTTP status of an error. */
type Reply = Encoded & { status?: number };

/** The data outside a body: the model in Gemini's URL, the status of an error, the renamed tools of a response. */
type Beside = Partial<Pick<Reply, "address" | "names" | "status">>;

interface Body {
  source: Dialect;
  wire: unknown;
  beside: Beside;
}
type Decode<T> = (codec: Dialect, wire: unknown, beside: Beside) => T;
type Encode<T> = (codec: Dialect, value: T, options: { repair?: boolean }) => Reply;

/** Copies a wire value by JSON text, as HTTP does between two dialects. */
const overHttp = (wire: unknown): unknown => parseJson(stringifyJson(wire));

/** Writes the digest of a request, a response or an error; `noun` is part of the operation's name. */
function digestBody<T>(digest: Digest, noun: string, body: Body, decode: Decode<T>, encode: Encode<T>): T | undefined {
  const { source, wire, beside } = body;
  digest.mutants("decode-mutants", wire, (mutant) => decode(source, mutant, beside));
  const value = digest.step(`decode-${noun}`, "-", () => decode(source, wire, beside));
  if (value === undefined) return undefined;
  for (const target of TARGETS) {
    const [label, codec] = target;
    const encoded = digest.encoded(`encode-${noun}`, target, () => encode(codec, value, {}));
    digest.encoded(`encode-${noun}-unrepaired`, target, () => encode(codec, value, { repair: false }));
    if (encoded === undefined) continue;
    digest.step(`decode-${noun}-again`, label, () => decode(codec, overHttp(encoded.wire), encoded));
  }
  return value;
}

function digestMessages(digest: Digest, messages: readonly Message[]): void {
  for (const target of TARGETS) {
    const [label, codec] = target;
    let count = 0;
    const options = { ...RUN, newId: () => `id-${++count}` };
    const encoded = digest.encoded("encode-messages", target, () => codec.encodeMessages(messages, options));
    digest.encoded("encode-messages-plain", target, () => codec.encodeMessages(messages));
    if (encoded === undefined) continue;
    digest.step("decode-messages-again", label, () => codec.decodeMessages(overHttp(encoded.wire)));
  }
}

function decodeEvents(codec: Dialect, events: readonly unknown[]): Delta[] {
  const decoder = codec.streamDecoder();
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

/** Returns the assembled responses of deltas; for a failed answer, the error and the response up to the failure. */
function assembleAnswers(deltas: readonly Delta[]): unknown[] {
  const ends = deltas.flatMap(({ kind }, at) => (kind === "done" || kind === "error" ? [at + 1] : []));
  const starts = [0, ...ends].filter((at) => at < deltas.length);
  return starts.map((start, at) => {
    try {
      return assemble(deltas.slice(start, ends[at]));
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      return [errorText(error), error.response];
    }
  });
}

type StreamOutput = readonly [outputs: Output[], losses: Loss[]];

/** Writes the hashes of the output of a stream encoder or transcoder, including chunk boundaries, and its losses. */
function digestOutput(digest: Digest, operation: string, [label, codec]: Target, run: () => StreamOutput): Output[] {
  const toText = ([outputs]: StreamOutput): string => outputs.map((output) => outputText(output, codec)).join("|");
  const [outputs, losses] = digest.step(operation, label, run, toText) ?? [[], []];
  digest.losses(operation, label, losses);
  return outputs;
}

function digestEncoding(digest: Digest, operation: string, target: Target, deltas: readonly Delta[]): void {
  const [label, codec] = target;
  const encode = (options: object): StreamOutput => {
    const encoder = codec.streamEncoder(options);
    const events = [...deltas.flatMap((delta) => encoder.push(delta)), ...encoder.end()];
    return [events.map((event) => codec.formatEvent(event)), encoder.losses];
  };
  digestOutput(digest, operation, target, () => encode({}));
  const outputs = digestOutput(digest, `${operation}.run`, target, () => encode({ ...RUN, includeUsage: true }));
  if (outputs.length > 0) digest.step(`${operation}.again`, label, () => decodeEvents(codec, outputs));
}

function digestTranscoding(digest: Digest, source: Dialect, frames: readonly Output[]): void {
  const bytes = Buffer.concat(frames.map((frame) => (typeof frame === "string" ? Buffer.from(frame) : frame)));
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  const cut = Array.from({ length: count }, (_, at) => bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES));
  for (const [name, chunks] of Object.entries({ whole: [bytes], frames, cut })) {
    for (const target of TARGETS) {
      digestOutput(digest, `transcode.${name}`, target, () => {
        const transcoder = transcode(source, target[1], RUN);
        const outputs = [...chunks.map((chunk) => transcoder.push(chunk)), transcoder.end()];
        return [outputs, transcoder.losses];
      });
    }
  }
}

function digestStream(digest: Digest, source: Dialect, events: readonly unknown[]): void {
  const half = events.slice(0, Math.ceil(events.length / 2));
  for (const [name, input] of Object.entries({ whole: events, half })) {
    const deltas = digest.step(`decode-stream.${name}`, "-", () => decodeEvents(source, input)) ?? [];
    digest.step(`assemble.${name}`, "-", () => assembleAnswers(deltas));
    const violations = checkDeltas(deltas).map(({ rule, seq }) => `${renamed(renames.errorCodes, rule)} ${seq}`);
    digest.line(`check-deltas.${name}`, "-", violations.join("\n"));
    for (const target of TARGETS) digestEncoding(digest, `encode-stream.${name}`, target, deltas);
  }
  // The cast is safe: a recorded event is an object, and the type has no other requirement.
  const frames = events.map((event) => source.formatEvent({ data: event as object }));
  digestTranscoding(digest, source, frames);
  for (const [at, event] of events.slice(0, MUTATED_EVENTS).entries()) {
    const decoder = source.streamDecoder();
    for (const earlier of events.slice(0, at)) decoder.push(earlier);
    digest.mutants(`decode-mutants.${at}`, event, (mutant) => decoder.push(mutant));
  }
}

/** Returns the message lists of a trace, at any depth. */
function messageListsIn(value: unknown): unknown[][] {
  if (typeof value !== "object" || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [];
  const isMessage = (item: unknown): boolean => Object.hasOwn(Object(item) as object, "role");
  const own = list.length > 0 && list.every(isMessage) ? [list] : [];
  return [...own, ...Object.values(value).flatMap(messageListsIn)];
}

function digestRequest(digest: Digest, body: Body): void {
  const decode: Decode<ReturnType<Dialect["decodeRequest"]>> = (codec, wire, beside) =>
    codec.decodeRequest(wire, beside);
  const encode: Encode<ReturnType<typeof decode>> = (codec, value, options) => codec.encodeRequest(value, options);
  const request = digestBody(digest, "request", body, decode, encode);
  digest.step("decode-messages", "-", () => body.source.decodeMessages(body.wire));
  digestMessages(digest, request?.messages ?? []);
}

function digestResponse(digest: Digest, body: Body): void {
  const decode: Decode<ReturnType<Dialect["decodeResponse"]>> = (codec, wire, beside) =>
    codec.decodeResponse(wire, beside);
  const encode: Encode<ReturnType<typeof decode>> = (codec, value, options) => codec.encodeResponse(value, options);
  const response = digestBody(digest, "response", body, decode, encode);
  if (response === undefined) return;
  const deltas = digest.step("disassemble", "-", () => disassemble(response)) ?? [];
  for (const target of TARGETS) digestEncoding(digest, "encode-disassembled", target, deltas);
  digestMessages(digest, [response.message]);
}

function digestError(digest: Digest, body: Body): void {
  const decode: Decode<ReturnType<Dialect["decodeError"]>> = (codec, wire, { status }) =>
    codec.decodeError(wire, status);
  const encode: Encode<ReturnType<typeof decode>> = (codec, error) => ({ ...codec.encodeError(error), losses: [] });
  digestBody(digest, "error", body, decode, encode);
}

function digestTrace(digest: Digest, { source, wire }: Body): void {
  for (const list of messageListsIn(wire)) {
    digestMessages(digest, digest.step("decode-messages", "-", () => source.decodeMessages(list)) ?? []);
  }
}

const BODIES = { requests: digestRequest, responses: digestResponse, errors: digestError, spans: digestTrace };

function digestRow({ path, kind, model, status, ...row }: Row): void {
  const source = dialect(row.dialect === "ai-sdk" ? "ai-sdk-model" : row.dialect.replace(/-compat$/, ""));
  const digest = new Digest(`${path} ${kind}`);
  const text = readFileSync(`${CORPUS}/${path}`, "utf8");
  const texts = kind === "streams" ? text.split("\n").filter((line) => line !== "") : [text];
  const wires = texts.map((json) => parseJson(json));
  digest.step("detect", "-", () => wires.map((wire) => detectDialect(wire) ?? null));
  if (kind === "streams") return digestStream(digest, source, wires);
  const [wire] = wires;
  const beside: Beside = {};
  const isModelInUrl = source.id === "gemini" && !Object.hasOwn(Object(wire) as object, "model");
  if (isModelInUrl && model !== undefined) beside.address = { model };
  if (status !== undefined) beside.status = status;
  BODIES[kind](digest, { source, wire, beside });
}

function readRows(): Row[] {
  const rows = JSON.parse(readFileSync(`${CORPUS}/manifest.json`, "utf8")) as Row[];
  const files = globSync("*/*/*.{json,jsonl}", { cwd: CORPUS }).sort();
  const sorted = rows.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (files.join() !== sorted.map(({ path }) => path).join()) throw new Error("The manifest does not list every file.");
  return sorted.filter(({ path }) => path.includes(flags.only));
}

const rows = readRows();
for (const row of rows) digestRow(row);
lines.push(`${sha(lines.join("\n"))} total ${rows.length} payloads ${lines.length} lines`);
if (flags.output === undefined) console.log(lines.join("\n"));
else writeFileSync(flags.output, `${lines.join("\n")}\n`);
if (flags.sentences !== undefined) writeFileSync(flags.sentences, `${[...sentences].sort().join("\n")}\n`);
console.error(`${lines.at(-1)}; ${(performance.now() / 1000).toFixed(1)} s`);
