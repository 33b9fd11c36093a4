// Takes secrets out of whatever is about to be logged: those that are known, and whatever looks like one.

/** Names of fields whose values are never shown. */
const SECRET_NAMES =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|secret|x-api-key|x-goog-api-key|api-?key|key|token)$/i;

/** Keys of the usual providers, tokens of Koine's own, web tokens, bearer headers, and keys and passwords in URLs. */
const SECRET_TEXTS = new RegExp(
  [
    /\b(?:sk|pk|rk|gsk|xai|hf|koine)[-_][\w-]{12,}/,
    /\bAIza[\w-]{20,}/,
    /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/,
    /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}/,
    /(?<=[?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/,
    /(?<=:\/\/)[^/@\s"']+(?=@)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gi",
);
/** Only what has one of these can have a secret of those. */
const SUSPECT = /[-_=@]\S|AIza|eyJ|bearer|basic/i;
const HIDDEN = "[hidden]";

export type Redact = (text: string, name?: string) => string;

/** `secrets`: texts that must not be shown, wherever they stand. Very short ones would hide words instead. */
export function redactor(secrets: Iterable<string>): Redact {
  // The longest first: one secret may be the beginning of another.
  const known = [...new Set(secrets)].filter((each) => each.length >= 6).sort((a, b) => b.length - a.length);
  const names = new Map<string, boolean>();
  const isSecretName = (name: string): boolean => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const isSecret = SECRET_NAMES.test(name);
    // Names of fields are few; others are not kept.
    if (names.size < 500) names.set(name, isSecret);
    return isSecret;
  };
  return (text, name) => {
    if (name !== undefined && isSecretName(name)) return HIDDEN;
    let shown = text;
    for (const secret of known) if (shown.includes(secret)) shown = shown.replaceAll(secret, HIDDEN);
    return SUSPECT.test(shown) ? shown.replace(SECRET_TEXTS, HIDDEN) : shown;
  };
}
