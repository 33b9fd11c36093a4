// Arguments that stream: values, each with its path (`$.places[0].name`), become JSON text as they come. A path that
// goes back to what has been closed is said again at the end, whole: of two fields of one name the last one counts.
import { setOwn } from "../../model/extra.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { stringifyJson } from "../../model/json.ts";
import { copyField, isObject, unknownFields } from "../kit/read.ts";

type Path = (string | number)[];

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;
/** More than any list of arguments has; a wild index must not cost memory. */
const MAX_INDEX = 1 << 16;

/** The steps of a path; undefined where it is none, or leads nowhere. */
function readPath(text: JsonValue | undefined): Path | undefined {
  if (typeof text !== "string" || !text.startsWith("$")) return undefined;
  const path: Path = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < text.length) {
    const found = STEP.exec(text);
    if (found === null) return undefined;
    const [, name, index, quoted = found[4]] = found;
    if (index === undefined) path.push(name ?? (quoted ?? "").replace(/\\(.)/g, "$1"));
    else if (Number(index) < MAX_INDEX) path.push(Number(index));
    else return undefined;
  }
  return typeof path[0] === "string" ? path : undefined;
}

/** A container that is being written, and what it holds so far. */
interface Level {
  /** Where it stands in the one before. */
  step: string | number;
  isList: boolean;
  /** How long the list is. */
  count: number;
  keys: Set<string | number>;
}

function level(step: string | number, isList: boolean): Level {
  return { step, isList, count: 0, keys: new Set() };
}

/** The value of an argument, in a container that keeps its digits; undefined where it says none. */
function readValue(arg: JsonObject): { value: JsonValue } | undefined {
  const box = { value: null };
  for (const field of ["stringValue", "numberValue", "boolValue"]) {
    if (arg[field] === undefined) continue;
    copyField(arg, field, box, "value");
    return box;
  }
  return arg["nullValue"] === undefined ? undefined : box;
}

/** The characters of a text, as they stand between quotes. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

const KNOWN: ReadonlySet<string> = new Set(
  "jsonPath willContinue stringValue numberValue boolValue nullValue".split(" "),
);

/** What an argument says that nobody knows, with its path; undefined where that is nothing. */
export function restOfArgument(arg: JsonValue): JsonValue | undefined {
  const rest = isObject(arg) ? unknownFields(arg, KNOWN) : undefined;
  return rest && isObject(arg) ? { jsonPath: arg["jsonPath"] ?? null, ...rest } : undefined;
}

export class PartialArguments {
  readonly #args: JsonObject = {};
  /** The containers that are open, the arguments themselves first. */
  readonly #levels: Level[] = [level("", false)];
  /** What is to be said before anything else. */
  #brace = "{";
  /** The path of the text that is open. */
  #open: JsonValue | undefined;
  /** The arguments of which something came too late. */
  #late: Set<string> | undefined;

  /** What one more value adds to the text; undefined where it cannot be read. */
  add(arg: JsonValue): string | undefined {
    if (!isObject(arg)) return undefined;
    const { jsonPath, willContinue } = arg;
    const path = readPath(jsonPath);
    const box = readValue(arg);
    if (path === undefined || box === undefined) return undefined;
    const { value } = box;
    const goesOn = typeof value === "string" && this.#open === jsonPath;
    if (!put(this.#args, path, box, goesOn)) return undefined;
    if (this.#late !== undefined) {
      this.#late.add(String(path[0]));
      this.#open = typeof value === "string" && willContinue === true ? jsonPath : undefined;
      return "";
    }
    if (typeof value !== "string") return this.#begin(path, () => stringifyJson(box).slice('{"value":'.length, -1));
    const said = goesOn ? quoted(value) : this.#begin(path, () => `"${quoted(value)}`);
    this.#open = jsonPath;
    return willContinue === true || this.#late !== undefined ? said : said + this.#closeText();
  }

  /** Whether nothing has come. */
  get isEmpty(): boolean {
    for (const _ in this.#args) return false;
    return true;
  }

  /** The end of the text. */
  end(): string {
    let said = this.#closeText() + this.#brace + this.#closeTo(1);
    let comma = this.#brace === "" ? "," : "";
    for (const name of this.#late ?? []) {
      const box: JsonObject = {};
      copyField(this.#args, name, box);
      said += comma + stringifyJson(box).slice(1, -1);
      comma = ",";
    }
    return `${said}}`;
  }

  /** Ends the text that is open, and goes to where the path leads. */
  #begin(path: Path, value: () => string): string {
    const before = this.#closeText();
    const way = this.#goTo(path);
    if (way !== undefined) return before + way + value();
    this.#late = new Set([String(path[0])]);
    return before;
  }

  /** What opens the way to a place; undefined where it leads back to what is closed. */
  #goTo(path: Path): string | undefined {
    const levels = this.#levels;
    let depth = 1;
    while (levels[depth] !== undefined && levels[depth]?.step === path[depth - 1]) depth++;
    const [at, step] = [levels[depth - 1], path[depth - 1]];
    if (at === undefined || step === undefined) return undefined;
    if (at.isList ? step !== at.count : at.keys.has(step)) return undefined;
    // A list begins at its beginning.
    if (path.some((each, index) => index >= depth && typeof each === "number" && each > 0)) return undefined;
    let said = this.#brace + this.#closeTo(depth);
    this.#brace = "";
    for (let index = depth - 1; index < path.length; index++) {
      const [within, name = ""] = [levels[index], path[index]];
      if (within === undefined) break;
      if (within.count++ > 0) said += ",";
      if (!within.isList) said += `${JSON.stringify(name)}:`;
      within.keys.add(name);
      const next = path[index + 1];
      if (next === undefined) break;
      const isList = typeof next === "number";
      levels.push(level(name, isList));
      said += isList ? "[" : "{";
    }
    return said;
  }

  #closeText(): string {
    if (this.#open === undefined) return "";
    this.#open = undefined;
    return '"';
  }

  #closeTo(depth: number): string {
    let said = "";
    while (this.#levels.length > depth) said += this.#levels.pop()?.isList === true ? "]" : "}";
    return said;
  }
}

/** Sets a value within the arguments; false where something else stands in the way. */
function put(args: JsonObject, path: Path, box: { value: JsonValue }, goesOn: boolean): boolean {
  let at: JsonObject | JsonValue[] = args;
  for (const [index, step] of path.entries()) {
    if (Array.isArray(at) !== (typeof step === "number")) return false;
    // Lists are read and written by their indexes, as objects by their keys.
    const holder = at as JsonObject;
    if (Array.isArray(at)) while (at.length < Number(step)) at.push(null);
    const there: JsonValue | undefined = Object.hasOwn(holder, step) ? holder[step] : undefined;
    if (index === path.length - 1) {
      if (typeof there === "object" && there !== null) return false;
      const { value } = box;
      if (goesOn && typeof there === "string" && typeof value === "string") setOwn(holder, String(step), there + value);
      else copyField(box, "value", holder, String(step));
      return true;
    }
    if (typeof there === "object" && there !== null) at = there;
    else if (there === undefined || there === null) {
      at = typeof path[index + 1] === "number" ? [] : {};
      setOwn(holder, String(step), at);
    } else return false;
  }
  return false;
}
