// The silent-loss oracle: every scalar of a canonical value is in the output, or a reported loss covers its path. The
// oracle has no knowledge of dialects, so that it also detects fields that an encoder does not mention at all.
import type { Encoded } from "../../dialects/dialect.ts";
import { createCoverageTest, isCoveredByLoss } from "./loss-coverage.ts";
import { countOccurrences, fingerprint, hasExactDigits, toSearchText } from "./encoded-text.ts";
import type { JsonNode, JsonScalar } from "../json/json-nodes.ts";
import { parentPath, listScalars, readAt, replaceAt } from "../json/json-nodes.ts";
import {
  isUsageCount,
  isInputText,
  isReformatted,
  isSentPart,
  isCitationSource,
  isToolName,
  isVocabulary,
  readLinkKind,
} from "./model-paths.ts";

/** Shorter strings are not searched in the output: they could occur by chance. */
const MIN_SEARCHABLE_LENGTH = 6;
const YEAR = /^\d{4}(?=-\d{2}-\d{2}T)/;

/** Returns another value of the same kind: another time for a time, one more for a count. */
function changeScalar(value: JsonScalar, path: string): JsonScalar {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number" && isUsageCount(path)) return value + 1;
  // Adding one would not change a number beyond 2^53.
  if (typeof value === "number") return value === 0 ? 1 : -value;
  if (value === null) return 0;
  return YEAR.test(value) ? value.replace(YEAR, (year) => (year === "2001" ? "2002" : "2001")) : `${value}q`;
}

function isSearchable(scalar: unknown): scalar is string {
  return typeof scalar === "string" && scalar.length >= MIN_SEARCHABLE_LENGTH;
}

function readParent(value: unknown, { keys }: JsonNode): Readonly<Record<string, unknown>> {
  return (readAt(value, keys.slice(0, -1)) ?? {}) as Record<string, unknown>;
}

/** True for the name of a provider's own tool: the wire's type of the tool implies it. */
export function isImpliedByWire(value: unknown, node: JsonNode): boolean {
  const { path } = node;
  if (isToolName(path)) return isSentPart(parentPath(path)) && readParent(value, node)["tool"] !== undefined;
  return /^\/tools\/\d+\/name$/.test(path) && readParent(value, node)["type"] === "provider";
}

/** Judges each scalar of one value by the value's encoding. */
export class SilentLossOracle<T> {
  /** Scalars that no loss covers and that are not vocabulary of the model. */
  readonly unreported: readonly JsonNode[];
  readonly encoded: Encoded;
  readonly #value: T;
  readonly #encode: (value: T) => Encoded;
  readonly #fingerprint: string;
  readonly #text: string;
  readonly #expectedCounts = new Map<unknown, number>();

  constructor(value: T, encode: (value: T) => Encoded) {
    this.#value = value;
    this.#encode = encode;
    this.encoded = encode(value);
    this.#fingerprint = fingerprint(this.encoded);
    this.#text = toSearchText(this.encoded);
    const isLost = createCoverageTest(this.encoded);
    this.unreported = listScalars(value).filter(
      (node) => !isVocabulary(node.path) && !isLost(node.path) && !isImpliedByWire(value, node),
    );
    for (const node of this.unreported) {
      const { value: scalar, path } = node;
      if (isInputText(path) || isReformatted(path) || isCitationSource(path) || this.#isImpliedByCall(node)) continue;
      this.#expectedCounts.set(scalar, (this.#expectedCounts.get(scalar) ?? 0) + 1);
    }
  }

  /** True for the call id and tool name of a result: a wire that pairs results with calls need not repeat them. */
  #isImpliedByCall(node: JsonNode): boolean {
    return (
      (isToolName(node.path) || readLinkKind(node.path) === "id") &&
      readParent(this.#value, node)["type"] === "tool-result"
    );
  }

  #encodeWith({ keys }: JsonNode, scalar: JsonScalar): Encoded {
    return this.#encode(replaceAt(this.#value, keys, scalar) as T);
  }

  /** True if the output has a string as often as the value; also true for scalars that are not searched. */
  isInOutput({ value: scalar, path }: JsonNode): boolean {
    if (isInputText(path)) return hasExactDigits(String(scalar), this.encoded);
    if (!isSearchable(scalar) || isReformatted(path)) return true;
    return countOccurrences(scalar, this.#text) >= Math.max(1, this.#expectedCounts.get(scalar) ?? 0);
  }

  /** True if another scalar at this node changes the output or is reported. */
  isChangeVisible(node: JsonNode): boolean {
    const { value: scalar, path } = node;
    if (isInputText(path)) return true;
    if (!isSearchable(scalar) || isReformatted(path)) {
      return fingerprint(this.#encodeWith(node, changeScalar(scalar as JsonScalar, path))) !== this.#fingerprint;
    }
    const replacement = `${scalar}-changed-here`;
    const encoded = this.#encodeWith(node, replacement);
    return countOccurrences(replacement, toSearchText(encoded)) > 0 || isCoveredByLoss(encoded, path);
  }
}

/**
 * Returns the nodes of a value that an encoding lost without a report. A string that occurs n times in the value must
 * occur n times in the output. A changed string must arrive or be reported at each node, so that an equal string
 * elsewhere on the wire does not count for it. A changed boolean, number or short string must change the output or the
 * losses.
 */
export function silentLosses<T>(value: T, encode: (value: T) => Encoded): JsonNode[] {
  const oracle = new SilentLossOracle(value, encode);
  return oracle.unreported.filter((node) => !oracle.isInOutput(node) || !oracle.isChangeVisible(node));
}
