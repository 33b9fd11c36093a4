// The silent-loss oracle: for every scalar of a canonical value, either it is in the output or a reported loss covers
// its place. It knows nothing of any dialect, so a forgotten field cannot hide from it.
import type { Encoded } from "../dialects/dialect.ts";
import type { Loss } from "../model/loss.ts";
import type { Place, Scalar } from "./places.ts";
import { isScalar, places, withPlace } from "./places.ts";

/** Strings from this length on are looked for in the output; shorter ones could be there by chance. */
const LOOKED_FOR = 6;

/** Vocabulary that a table maps to another word, or that a field of the wire implies; the words are no content. */
const VOCABULARY = /\/(type|role|unified|seals\/\d+\/(dialect|kind))$/;

function covers(loss: Loss, path: string): boolean {
  return path === loss.path || path.startsWith(`${loss.path}/`) || loss.path === "";
}

/** `inputText` is the spelling of `input`; where the input arrives, its spelling need not. */
function isExempt(path: string): boolean {
  return VOCABULARY.test(path) || path.endsWith("/inputText");
}

/** All strings that went out, as one text; base64 and JSON within JSON are searched as they are. */
function outgoing({ wire, address }: Encoded): string {
  const strings: string[] = [];
  for (const { value, keys } of places({ wire, address })) {
    if (typeof value === "string") strings.push(value);
    strings.push(String(keys.at(-1) ?? ""));
  }
  return strings.join("\u0000");
}

/** A text may stand in a JSON text within the wire, escaped once. */
function hasArrived(text: string, out: string): boolean {
  return out.includes(text) || out.includes(JSON.stringify(text).slice(1, -1));
}

/** Another value of the same kind. */
function changed(value: Scalar): Scalar {
  if (typeof value === "boolean") return !value;
  // Adding one would not change a number beyond 2^53.
  if (typeof value === "number") return value === 0 ? 1 : -value;
  return value === null ? 0 : `${value}q`;
}

function fingerprint({ wire, losses, address }: Encoded): string {
  return JSON.stringify([wire, address, losses.map(({ path, code, message }) => [path, code, message])]);
}

/**
 * The places whose value was lost without a word. Long strings are looked for in the output; booleans, numbers and
 * short strings are changed, and the output or the losses must change with them.
 */
export function silentLosses<T>(value: T, encode: (value: T) => Encoded): Place[] {
  const encoded = encode(value);
  const before = fingerprint(encoded);
  const out = outgoing(encoded);
  const reported = (path: string): boolean => encoded.losses.some((loss) => covers(loss, path));
  const arrives = ({ value: scalar, keys }: Place): boolean => {
    if (typeof scalar === "string" && scalar.length >= LOOKED_FOR) return hasArrived(scalar, out);
    // The value differs from T in one scalar of the same kind.
    return fingerprint(encode(withPlace(value, keys, changed(scalar as Scalar)) as T)) !== before;
  };
  return [...places(value)].filter(
    (place) => isScalar(place.value) && !isExempt(place.path) && !reported(place.path) && !arrives(place),
  );
}
