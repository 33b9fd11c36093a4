// Converts streamed arguments (values with a path such as `$.places[0].name`) to JSON text as they arrive. If a value
// belongs to a container whose JSON text is already closed, its top-level argument is written again at the end of the
// text, because a JSON parser uses the last of several equal keys.
import { setOwn } from "../../../model/merge-extra.ts";
import type { JsonObject, JsonValue } from "../../../model/json/index.ts";
import { stringifyJson } from "../../../model/json/index.ts";
import { copyField, isObject, unknownFields } from "../../kit/fields/read-wire.ts";

type ArgumentPath = (string | number)[];

const PATH_STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;
/**
 * Limit for the index in a path. No real list is so long; the limit bounds the memory that an invalid index can use.
 */
const MAX_INDEX = 1 << 16;

/** Parses a path into its steps; returns undefined if it is invalid. */
function parseArgumentPath(text: JsonValue | undefined): ArgumentPath | undefined {
  if (typeof text !== "string" || !text.startsWith("$")) return undefined;
  const path: ArgumentPath = [];
  PATH_STEP.lastIndex = 1;
  while (PATH_STEP.lastIndex < text.length) {
    const match = PATH_STEP.exec(text);
    if (match === null) return undefined;
    const [, name, index, quoted = match[4]] = match;
    if (index === undefined) path.push(name ?? (quoted ?? "").replace(/\\(.)/g, "$1"));
    else if (Number(index) < MAX_INDEX) path.push(Number(index));
    else return undefined;
  }
  return typeof path[0] === "string" ? path : undefined;
}

/** A list or object whose JSON text is not closed yet. */
interface OpenArgumentContainer {
  /** The key or index of this container in the container around it. */
  step: string | number;
  isList: boolean;
  /** Number of entries written so far. */
  length: number;
  keys: Set<string | number>;
}

function createContainer(step: string | number, isList: boolean): OpenArgumentContainer {
  return { step, isList, length: 0, keys: new Set() };
}

/**
 * Returns the value of an argument in an object, because copying a field preserves the exact digits of a number.
 * Undefined if the argument has no value.
 */
function readArgumentValue(arg: JsonObject): { value: JsonValue } | undefined {
  const holder = { value: null };
  for (const field of ["stringValue", "numberValue", "boolValue"]) {
    if (arg[field] === undefined) continue;
    copyField(arg, field, holder, "value");
    return holder;
  }
  return arg["nullValue"] === undefined ? undefined : holder;
}

/** Returns a text escaped for JSON, without quotes. */
function escapeJsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  "jsonPath willContinue stringValue numberValue boolValue nullValue".split(" "),
);

/** Returns the path and the unknown fields of an argument; undefined if it has no unknown fields. */
export function readUnknownArgument(arg: JsonValue): JsonValue | undefined {
  const rest = isObject(arg) ? unknownFields(arg, KNOWN_FIELDS) : undefined;
  return rest && isObject(arg) ? { jsonPath: arg["jsonPath"] ?? null, ...rest } : undefined;
}

export class PartialArguments {
  readonly #values: JsonObject = {};
  /** The containers that are not closed yet, beginning with the arguments object. */
  readonly #containers: OpenArgumentContainer[] = [createContainer("", false)];
  /** "{" until the opening brace has been written, then "". */
  #openingBrace = "{";
  /** The path of the string that is not closed yet; undefined if no string is open. */
  #openTextPath: JsonValue | undefined;
  /**
   * The names of the top-level arguments that must be written again at the end of the JSON text, because one of their
   * values arrived after its container was closed. Once this is set, no further value is written as it arrives.
   */
  #rewrittenNames: Set<string> | undefined;

  /**
   * Adds one streamed value. Returns the JSON text to emit for it ("" if the value is written at the end), or undefined
   * if the value cannot be read.
   */
  add(arg: JsonValue): string | undefined {
    if (!isObject(arg)) return undefined;
    const { jsonPath, willContinue } = arg;
    const path = parseArgumentPath(jsonPath);
    const holder = readArgumentValue(arg);
    if (path === undefined || holder === undefined) return undefined;
    const { value } = holder;
    const continuesText = typeof value === "string" && this.#openTextPath === jsonPath;
    if (!setAtPath(this.#values, path, holder, continuesText)) return undefined;
    if (this.#rewrittenNames !== undefined) {
      this.#rewrittenNames.add(String(path[0]));
      this.#openTextPath = typeof value === "string" && willContinue === true ? jsonPath : undefined;
      return "";
    }
    if (typeof value !== "string")
      return this.#beginValue(path, () => stringifyJson(holder).slice('{"value":'.length, -1));
    const json = continuesText ? escapeJsonText(value) : this.#beginValue(path, () => `"${escapeJsonText(value)}`);
    this.#openTextPath = jsonPath;
    return willContinue === true || this.#rewrittenNames !== undefined ? json : json + this.#closeText();
  }

  /** True if no value has arrived. */
  get isEmpty(): boolean {
    for (const _ in this.#values) return false;
    return true;
  }

  /**
   * Returns the rest of the JSON text: it closes everything that is open, and writes the arguments in #rewrittenNames
   * again.
   */
  end(): string {
    let json = this.#closeText() + this.#openingBrace + this.#closeContainers(1);
    let comma = this.#openingBrace === "" ? "," : "";
    for (const name of this.#rewrittenNames ?? []) {
      const holder: JsonObject = {};
      copyField(this.#values, name, holder);
      json += comma + stringifyJson(holder).slice(1, -1);
      comma = ",";
    }
    return `${json}}`;
  }

  /**
   * Returns the text that closes the open string, opens the containers of the path and begins the value. If the
   * containers cannot be opened, returns only the closing text; the argument is then written at the end.
   */
  #beginValue(path: ArgumentPath, value: () => string): string {
    const before = this.#closeText();
    const opening = this.#openContainers(path);
    if (opening !== undefined) return before + opening + value();
    this.#rewrittenNames = new Set([String(path[0])]);
    return before;
  }

  /**
   * Returns the text that opens the containers of a path. Undefined if the value cannot be written at the current
   * position: its key was already written in the object, or its index is not the next one of the list.
   */
  #openContainers(path: ArgumentPath): string | undefined {
    const containers = this.#containers;
    let depth = 1;
    while (containers[depth] !== undefined && containers[depth]?.step === path[depth - 1]) depth++;
    const [at, step] = [containers[depth - 1], path[depth - 1]];
    if (at === undefined || step === undefined) return undefined;
    if (at.isList ? step !== at.length : at.keys.has(step)) return undefined;
    // A list that is opened here must begin with index 0, because the items of a list are written in order.
    if (path.some((each, index) => index >= depth && typeof each === "number" && each > 0)) return undefined;
    let json = this.#openingBrace + this.#closeContainers(depth);
    this.#openingBrace = "";
    for (let index = depth - 1; index < path.length; index++) {
      const [container, name = ""] = [containers[index], path[index]];
      if (container === undefined) break;
      if (container.length++ > 0) json += ",";
      if (!container.isList) json += `${JSON.stringify(name)}:`;
      container.keys.add(name);
      const next = path[index + 1];
      if (next === undefined) break;
      const isList = typeof next === "number";
      containers.push(createContainer(name, isList));
      json += isList ? "[" : "{";
    }
    return json;
  }

  #closeText(): string {
    if (this.#openTextPath === undefined) return "";
    this.#openTextPath = undefined;
    return '"';
  }

  #closeContainers(depth: number): string {
    let json = "";
    while (this.#containers.length > depth) json += this.#containers.pop()?.isList === true ? "]" : "}";
    return json;
  }
}

/**
 * Sets a value in the arguments object. Returns false if the path does not fit the values that are already set: it
 * leads through a plain value, has a key for a list or an index for an object, or ends at a container.
 */
function setAtPath(
  args: JsonObject,
  path: ArgumentPath,
  holder: { value: JsonValue },
  continuesText: boolean,
): boolean {
  let at: JsonObject | JsonValue[] = args;
  for (const [index, step] of path.entries()) {
    if (Array.isArray(at) !== (typeof step === "number")) return false;
    // The cast is safe, because lists and objects are accessed by key in the same way.
    const container = at as JsonObject;
    if (Array.isArray(at)) while (at.length < Number(step)) at.push(null);
    const existing: JsonValue | undefined = Object.hasOwn(container, step) ? container[step] : undefined;
    if (index === path.length - 1) {
      if (typeof existing === "object" && existing !== null) return false;
      const { value } = holder;
      if (continuesText && typeof existing === "string" && typeof value === "string")
        setOwn(container, String(step), existing + value);
      else copyField(holder, "value", container, String(step));
      return true;
    }
    if (typeof existing === "object" && existing !== null) at = existing;
    else if (existing === undefined || existing === null) {
      at = typeof path[index + 1] === "number" ? [] : {};
      setOwn(container, String(step), at);
    } else return false;
  }
  return false;
}
