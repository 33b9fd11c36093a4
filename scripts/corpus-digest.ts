// Prints one hash per conversion of the recorded corpus: each payload, each operation, each target dialect. Two versions
// of the code behave the same on the corpus if the outputs are equal. A refactoring is checked by comparing the output
// before it with the output after it; `--renames` maps deliberate changes of names in the older output.
//
// node --conditions=koine-source scripts/corpus-digest.ts [--renames file.json] [--output file] [--sentences file]
//      [--only text]
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Delta, Dialect, Encoded, Loss, Message } from "../src/index.ts";
import {
  assemble,
  AssemblyError,
  checkDeltas,
  detect,
  dialect,
  dialects,
  disassemble,
  KoineError,
  parseJson,
  stringifyJson,
  transcode,
} from "../src/index.ts";

type Table = Readonly<Record<string, string>>;

/** Old spelling → new spelling. */
interface Renames {
  lossCodes?: Table;
  lossActions?: Table;
  lossLevels?: Table;
  errorClasses?: Table;
  /** Codes of thrown errors, assembly rules included. */
  errorCodes?: Table;
  /** Values of `kind` in a delta. */
  deltaKinds?: Table;
  /** Keys directly inside a delta's `payload`. */
  deltaFields?: Table;
  /** Keys at any depth of decoded values, and the same keys in the paths of losses. */
  modelFields?: Table;
  /** Sentences that Koine writes into values and wires, such as the message of an error delta; parts of a string match. */
  texts?: Table;
  /** The dialects whose wire has the field names of the model; default: run and canonical. */
  koineWires?: readonly string[];
}

/** The fields of a manifest row that the digest needs. */
interface Row {
  path: string;
  dialect: string;
  kind: string;
  status?: number;
  model?: string;
}

interface Target {
  label: string;
  codec: Dialect;
}

const { values: flags } = parseArgs({
  options: {
    renames: { type: "string" },
    output: { type: "string" },
    sentences: { type: "string" },
    only: { type: "string", default: "" },
  },
});

const CORPUS = process.env["KOINE_CORPUS"] ?? fileURLToPath(new URL("../../shared/corpus", import.meta.url));
const renames: Renames =
  flags.renames === undefined ? {} : (JSON.parse(readFileSync(flags.renames, "utf8")) as Renames);
const koineWires = new Set(renames.koineWires ?? ["run", "canonical"]);

/** Vendors with different rules for Chat Completions: each selects other branches of the same encoder. */
const VENDORS = ["openai", "deepseek", "mistral", "openrouter", "vllm"];
const TARGETS: readonly Target[] = [
  ...dialects.map((id) => ({ label: id, codec: dialect(id) })),
  ...VENDORS.map((vendor) => ({ label: `openai-chat/${vendor}`, codec: dialect("openai-chat", { vendor }) })),
];
const NOW = "2026-01-02T03:04:05.678Z";
const RUN = { runId: "run-1", clock: () => NOW };
/** Field values of the wrong JSON type, for the errors that decoders throw. */
const WRONG_VALUES = [null, 42, "text", [], {}, [null]];
/** A longer stream repeats the same kinds of events. */
const MUTATED_EVENTS = 12;
/** A chunk size that cuts characters, lines and frames at changing places. */
const CHUNK_BYTES = 97;

const lines: string[] = [];
const sentences = new Set<string>();

// --- Rename rules: applied to JSON text, because a text holds the exact digits of every number. ---

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Copies compact JSON text with the new names of the model; `parents` are the keys above a value, "#" for a list. */
function rewriteModelKeys(text: string): string {
  const parents: string[] = [];
  const isList: boolean[] = [];
  let key = "";
  let isKey = false;
  let result = "";
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") {
      parents.push(isList.at(-1) === true ? "#" : key);
      isList.push(token === "[");
      isKey = token === "{";
    } else if (token === "}" || token === "]") {
      parents.pop();
      isList.pop();
      isKey = false;
    } else if (token === ",") isKey = isList.at(-1) === false;
    else if (isKey && token !== ":") {
      key = JSON.parse(token) as string;
      result += JSON.stringify(modelKey(key, parents));
      isKey = false;
      continue;
    } else if (key === "kind" && token.startsWith('"') && isList.at(-1) === false && !parents.includes("payload")) {
      result += JSON.stringify(renamed(renames.deltaKinds, JSON.parse(token) as string));
      continue;
    }
    result += token;
  }
  return result;
}

function renamed(table: Table | undefined, name: string): string {
  return table !== undefined && Object.hasOwn(table, name) ? (table[name] ?? name) : name;
}

/** A field of a delta is a key directly inside the outermost `payload`; the values below may have keys of the same name. */
function modelKey(key: string, parents: readonly string[]): string {
  const isDeltaField = parents.indexOf("payload") === parents.length - 1 && parents.length > 0;
  return isDeltaField
    ? renamed({ ...renames.modelFields, ...renames.deltaFields }, key)
    : renamed(renames.modelFields, key);
}

const hasFieldRenames = (renames.deltaFields ?? renames.modelFields ?? renames.deltaKinds) !== undefined;
const jsonTexts = Object.entries(renames.texts ?? {}).map((pair) =>
  pair.map((text) => JSON.stringify(text).slice(1, -1)),
);

function renameTexts(json: string): string {
  return jsonTexts.reduce((text, [from = "", to = ""]) => text.replaceAll(from, to), json);
}

function modelText(value: unknown): string {
  const json = stringifyJson(value ?? null);
  return renameTexts(hasFieldRenames ? rewriteModelKeys(json) : json);
}

function wireText(value: unknown, codec: Dialect): string {
  return koineWires.has(codec.id) ? modelText(value) : renameTexts(stringifyJson(value ?? null));
}

/** The output of a stream encoder. Binary frames have checksums, so their texts stay unchanged. */
function outputText(output: Output, codec: Dialect): string {
  if (typeof output !== "string") return Buffer.from(output).toString("latin1");
  if (!koineWires.has(codec.id) || !hasFieldRenames) return renameTexts(output);
  return output.replaceAll(/^data: (\{.*)$/gm, (_, json: string) => {
    return `data: ${renameTexts(rewriteModelKeys(json))}`;
  });
}

// --- Hashes: one line for each outcome, be it a value or a thrown error. ---

function sha(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  // An engine error message may differ between Node versions.
  if (!(error instanceof KoineError)) return `thrown ${error.name}`;
  sentences.add(`error ${error.code} ${error.message}`);
  const { path } = error as { path?: unknown };
  return `thrown ${renamed(renames.errorClasses, error.name)} ${renamed(renames.errorCodes, error.code)} ${String(path)}`;
}

function lossText({ code, level, action, path, message }: Loss): string {
  sentences.add(`loss ${code} ${message}`);
  const steps = path.split("/").map((step) => renamed(renames.modelFields, step));
  const names = [renamed(renames.lossCodes, code), renamed(renames.lossLevels, level)];
  return [...names, renamed(renames.lossActions, action), steps.join("/")].join(" ");
}

/** Writes the lines of one payload. */
class Digest {
  readonly #row: Row;

  constructor(row: Row) {
    this.#row = row;
  }

  line(operation: string, target: string, text: string): void {
    lines.push(`${sha(text)} ${this.#row.path} ${this.#row.kind} ${operation} ${target}`);
  }

  /** Runs a step and writes its result or its error; the result is undefined after an error. */
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

  encoded(operation: string, { label, codec }: Target, step: () => Encoded): Encoded | undefined {
    const encoded = this.step(operation, label, step, ({ wire }) => wireText(wire, codec));
    if (encoded === undefined) return undefined;
    const { address, names, losses } = encoded;
    this.losses(operation, label, losses);
    if ((address ?? names) !== undefined) this.line(`${operation}.envelope`, label, modelText([address, names]));
    return encoded;
  }

  /** An empty report has no line, which halves the output; a report that becomes empty removes its line. */
  losses(operation: string, target: string, losses: readonly Loss[]): void {
    if (losses.length > 0) this.line(`${operation}.losses`, target, losses.map(lossText).join("\n"));
  }

  /** One hash for many small outcomes of the same operation. */
  many(operation: string, outcomes: readonly (() => unknown)[]): void {
    const texts = outcomes.map((step) => {
      try {
        return modelText(step());
      } catch (error) {
        return errorText(error);
      }
    });
    this.line(operation, "-", texts.join("\n"));
  }
}

// --- Bodies: requests, responses, errors, messages. ---

/** Values pass through JSON text between two dialects, as over HTTP. */
function overHttp(wire: unknown): unknown {
  return parseJson(stringifyJson(wire));
}

function digestMessages(digest: Digest, messages: readonly Message[]): void {
  for (const target of TARGETS) {
    const { label, codec } = target;
    let count = 0;
    const options = { ...RUN, newId: () => `id-${++count}` };
    const encoded = digest.encoded("encode-messages", target, () => codec.encodeMessages(messages, options));
    digest.encoded("encode-messages-plain", target, () => codec.encodeMessages(messages));
    if (encoded === undefined) continue;
    digest.step("decode-messages-again", label, () => codec.decodeMessages(overHttp(encoded.wire)));
  }
}

function digestRequest(digest: Digest, source: Dialect, wire: unknown, { model }: Row): void {
  const isModelInUrl = source.id === "gemini" && model !== undefined && !Object.hasOwn(Object(wire), "model");
  const options = isModelInUrl ? { address: { model } } : {};
  const request = digest.step("decode-request", "-", () => source.decodeRequest(wire, options));
  digest.step("decode-messages", "-", () => source.decodeMessages(wire));
  digest.many(
    "decode-mutants",
    mutantsOf(wire, (mutant) => source.decodeRequest(mutant, options)),
  );
  if (request === undefined) return;
  for (const target of TARGETS) {
    const { label, codec } = target;
    const encoded = digest.encoded("encode-request", target, () => codec.encodeRequest(request));
    digest.encoded("encode-request-unrepaired", target, () => codec.encodeRequest(request, { repair: false }));
    if (encoded === undefined) continue;
    const { address } = encoded;
    const again = address === undefined ? {} : { address };
    digest.step("decode-request-again", label, () => codec.decodeRequest(overHttp(encoded.wire), again));
  }
  digestMessages(digest, request.messages);
}

function digestResponse(digest: Digest, source: Dialect, wire: unknown): void {
  const response = digest.step("decode-response", "-", () => source.decodeResponse(wire));
  digest.many(
    "decode-mutants",
    mutantsOf(wire, (mutant) => source.decodeResponse(mutant)),
  );
  if (response === undefined) return;
  const deltas = digest.step("disassemble", "-", () => disassemble(response));
  for (const target of TARGETS) {
    const { label, codec } = target;
    const encoded = digest.encoded("encode-response", target, () => codec.encodeResponse(response));
    digest.encoded("encode-response-unrepaired", target, () => codec.encodeResponse(response, { repair: false }));
    if (deltas !== undefined) digestEncoding(digest, "encode-disassembled", target, deltas);
    if (encoded === undefined) continue;
    const { names } = encoded;
    digest.step("decode-response-again", label, () => codec.decodeResponse(overHttp(encoded.wire), { names }));
  }
  digestMessages(digest, [response.message]);
}

function digestError(digest: Digest, source: Dialect, wire: unknown, { status }: Row): void {
  digest.many(
    "decode-mutants",
    mutantsOf(wire, (mutant) => source.decodeError(mutant, status)),
  );
  const error = digest.step("decode-error", "-", () => source.decodeError(wire, status));
  if (error === undefined) return;
  for (const { label, codec } of TARGETS) {
    const toText = (value: unknown): string => wireText(value, codec);
    const encoded = digest.step("encode-error", label, () => codec.encodeError(error), toText);
    if (encoded === undefined) continue;
    digest.step("decode-error-again", label, () => codec.decodeError(overHttp(encoded.wire), encoded.status));
  }
}

/** One step for each field of the value, replaced by each wrong value, and one for each field left out. */
function mutantsOf(wire: unknown, decode: (mutant: unknown) => unknown): (() => unknown)[] {
  const fields = Object.entries(Object(wire) as object);
  return fields.flatMap(([key]) => {
    const { [key]: _, ...others } = wire as Record<string, unknown>;
    return [others, ...WRONG_VALUES.map((value) => ({ ...others, [key]: value }))].map(
      (mutant) => () => decode(mutant),
    );
  });
}

// --- Streams. ---

function decodeEvents(codec: Dialect, events: readonly unknown[]): Delta[] {
  const decoder = codec.streamDecoder();
  return [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

/** The answers of a stream as hashes need them: whole ones, and the rest of failed ones. */
function assembleAnswers(deltas: readonly Delta[]): unknown[] {
  const ends = deltas.flatMap(({ kind }, at) => (kind === "done" || kind === "error" ? [at + 1] : []));
  const starts = [0, ...ends].filter((at) => at < deltas.length);
  return starts.map((start, at) => {
    try {
      return assemble(deltas.slice(start, ends[at]));
    } catch (error) {
      if (!(error instanceof AssemblyError)) throw error;
      return [errorText(error), error.response ?? null];
    }
  });
}

function violationsText(deltas: readonly Delta[]): string {
  return checkDeltas(deltas)
    .map(({ rule, seq }) => `${renamed(renames.errorCodes, rule)} ${seq}`)
    .join("\n");
}

type Output = string | Uint8Array;

interface StreamOutput {
  outputs: Output[];
  losses: Loss[];
}

/** Hashes the output of a stream encoder or a transcoder with the boundaries between its pieces, and its losses. */
function digestOutput(
  digest: Digest,
  operation: string,
  { label, codec }: Target,
  run: () => StreamOutput,
): Output[] | undefined {
  const toText = ({ outputs }: StreamOutput): string => outputs.map((output) => outputText(output, codec)).join("|");
  const result = digest.step(operation, label, run, toText);
  digest.losses(operation, label, result?.losses ?? []);
  return result?.outputs;
}

/** Encodes with and without options; the dialect must decode its own bytes to the same deltas as before. */
function digestEncoding(digest: Digest, operation: string, target: Target, deltas: readonly Delta[]): void {
  const { label, codec } = target;
  const encode = (options: object): StreamOutput => {
    const encoder = codec.streamEncoder(options);
    const events = [...deltas.flatMap((delta) => encoder.push(delta)), ...encoder.end()];
    return { outputs: events.map((event) => codec.formatEvent(event)), losses: encoder.losses };
  };
  digestOutput(digest, operation, target, () => encode({}));
  const outputs = digestOutput(digest, `${operation}.run`, target, () => encode({ ...RUN, includeUsage: true }));
  if (outputs !== undefined) digest.step(`${operation}.again`, label, () => decodeEvents(codec, outputs));
}

type Chunking = readonly [name: string, chunks: readonly Output[]];

function chunkingsOf(frames: readonly Output[]): Chunking[] {
  const bytes = Buffer.concat(frames.map((frame) => Buffer.from(frame as string)));
  const cut = (size: number): Uint8Array[] =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
  return [
    ["whole", [bytes]],
    ["frames", frames],
    [`${CHUNK_BYTES}-bytes`, cut(CHUNK_BYTES)],
  ];
}

function digestStream(digest: Digest, source: Dialect, events: readonly unknown[]): void {
  const chunkings = chunkingsOf(events.map((event) => source.formatEvent({ data: event as object })));
  const cutEvents = events.slice(0, Math.ceil(events.length / 2));
  for (const [operation, input] of [
    ["whole", events],
    ["cut", cutEvents],
  ] as const) {
    const deltas = digest.step(`decode-stream.${operation}`, "-", () => decodeEvents(source, input));
    if (deltas === undefined) continue;
    digest.step(`assemble.${operation}`, "-", () => assembleAnswers(deltas));
    digest.step(`check-deltas.${operation}`, "-", () => deltas, violationsText);
    for (const target of TARGETS) digestEncoding(digest, `encode-stream.${operation}`, target, deltas);
  }
  for (const [name, chunks] of chunkings) {
    for (const target of TARGETS) {
      digestOutput(digest, `transcode.${name}`, target, () => {
        const transcoder = transcode(source, target.codec, RUN);
        const outputs = [...chunks.map((chunk) => transcoder.push(chunk)), transcoder.end()];
        return { outputs, losses: transcoder.losses };
      });
    }
  }
  for (const [at, event] of events.slice(0, MUTATED_EVENTS).entries()) {
    const decoder = source.streamDecoder();
    for (const earlier of events.slice(0, at)) decoder.push(earlier);
    digest.many(
      `decode-mutants.${at}`,
      mutantsOf(event, (mutant) => decoder.push(mutant)),
    );
  }
}

// --- The corpus. ---

function isMessage(value: unknown): boolean {
  return typeof value === "object" && value !== null && "role" in value && "content" in value;
}

/** The message lists of a trace, at any depth. */
function messageListsIn(value: unknown): unknown[][] {
  if (typeof value !== "object" || value === null) return [];
  const list: unknown[] = Array.isArray(value) ? value : [];
  const own = list.length > 0 && list.every(isMessage) ? [list] : [];
  return [...own, ...Object.values(value).flatMap(messageListsIn)];
}

function digestRow(row: Row): void {
  const source = dialect(row.dialect === "ai-sdk" ? "ai-sdk-model" : row.dialect.replace(/-compat$/, ""));
  const digest = new Digest(row);
  const text = readFileSync(`${CORPUS}/${row.path}`, "utf8");
  const values = row.kind === "streams" ? text.split("\n").filter((line) => line !== "") : [text];
  const wires = values.map((value) => parseJson(value));
  digest.step("detect", "-", () => wires.map((wire) => detect(wire) ?? null));
  if (row.kind === "streams") digestStream(digest, source, wires);
  for (const wire of row.kind === "streams" ? [] : wires) {
    if (row.kind === "requests") digestRequest(digest, source, wire, row);
    else if (row.kind === "responses") digestResponse(digest, source, wire);
    else if (row.kind === "errors") digestError(digest, source, wire, row);
    else
      for (const list of messageListsIn(wire)) {
        const messages = digest.step("decode-messages", "-", () => source.decodeMessages(list));
        if (messages !== undefined) digestMessages(digest, messages);
      }
  }
}

function readRows(): Row[] {
  const rows = JSON.parse(readFileSync(`${CORPUS}/manifest.json`, "utf8")) as Row[];
  const files = globSync("*/*/*.{json,jsonl}", { cwd: CORPUS }).sort();
  const sorted = rows.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (files.join() !== sorted.map(({ path }) => path).join()) throw new Error("The manifest does not list every file.");
  return sorted.filter(({ path }) => path.includes(flags.only));
}

const startedAt = performance.now();
const rows = readRows();
for (const row of rows) digestRow(row);
lines.push(`${sha(lines.join("\n"))} total ${rows.length} payloads ${lines.length} lines`);
if (flags.output === undefined) console.log(lines.join("\n"));
else writeFileSync(flags.output, `${lines.join("\n")}\n`);
if (flags.sentences !== undefined) writeFileSync(flags.sentences, `${[...sentences].sort().join("\n")}\n`);
console.error(`${lines.at(-1)}; ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
