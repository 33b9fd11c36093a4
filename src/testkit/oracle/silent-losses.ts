// Finds silent losses: every scalar of a canonical value must be in the output, or a reported loss must cover its path.
// This oracle has no knowledge of dialects, so that it also detects fields that an encoder does not mention at all.
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

/** The minimum length of strings that are searched in the output; shorter strings could occur there by chance. */
const MIN_SEARCHABLE_LENGTH = 6;
const YEAR = /^\d{4}(?=-\d{2}-\d{2}T)/;

/** Returns a different value of the same type, for example another time for a time and another count for a count. */
function changeScalar(value: JsonScalar, path: string): JsonScalar {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number" && isUsageCount(path)) return value + 1;
  // The sign is changed, because the addition of 1 would not change a number above 2^53.
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

/** True for the name of a provider's own tool, which need not be on the wire if the type of the tool implies it. */
export function isImpliedByWire(value: unknown, node: JsonNode): boolean {
  const { path } = node;
  if (isToolName(path)) return isSentPart(parentPath(path)) && readParent(value, node)["tool"] !== undefined;
  return /^\/tools\/\d+\/name$/.test(path) && readParent(value, node)["type"] === "provider";
}

/** Decides for each scalar of one value whether the encoder has written it. */
export class SilentLossOracle<T> {
  /**
   * The scalars that the output must contain: no loss covers them, they are not enumerated values, and the wire does
   * not imply them.
   */
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

  /** True for the call id and tool name of a result, which a wire need not repeat if it pairs results with calls. */
  #isImpliedByCall(node: JsonNode): boolean {
    return (
      (isToolName(node.path) || readLinkKind(node.path) === "id") &&
      readParent(this.#value, node)["type"] === "tool-result"
    );
  }

  #encodeWith({ keys }: JsonNode, scalar: JsonScalar): Encoded {
    return this.#encode(replaceAt(this.#value, keys, scalar) as T);
  }

  /**
   * True if the output contains a string as often as the value does, or the exact digits of an input text. Also true
   * for scalars that are not searched: other types, short strings and values with another notation.
   */
  isInOutput({ value: scalar, path }: JsonNode): boolean {
    if (isInputText(path)) return hasExactDigits(String(scalar), this.encoded);
    if (!isSearchable(scalar) || isReformatted(path)) return true;
    return countOccurrences(scalar, this.#text) >= Math.max(1, this.#expectedCounts.get(scalar) ?? 0);
  }

  /**
   * True if a different scalar at this node changes the output or is reported as a loss; always true for an input text,
   * which `isInOutput` checks.
   */
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
 * occur n times in the output. If the string at one node is changed, the output must contain the new string or a loss
 * must report it; an equal string elsewhere on the wire is therefore no proof. A changed boolean, number or short
 * string must change the output or the losses.
 */
export function silentLosses<T>(value: T, encode: (value: T) => Encoded): JsonNode[] {
  const oracle = new SilentLossOracle(value, encode);
  return oracle.unreported.filter((node) => !oracle.isInOutput(node) || !oracle.isChangeVisible(node));
}
