// Hides secrets in log values: known ones, and texts that look like one.

/** Field names whose values are never shown. */
const SECRET_NAMES =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|secret|x-api-key|x-goog-api-key|api-?key|key|token)$/i;

/** Keys of common providers, Koine's tokens, JWTs, bearer headers, and keys and passwords in URLs. */
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
/** A cheap test that a text may contain one of them. */
const SUSPECT = /[-_=@]\S|AIza|eyJ|bearer|basic/i;
const HIDDEN = "[hidden]";

export type Redact = (text: string, name?: string) => string;

/** `secrets` are hidden wherever they occur. Very short ones are ignored, because they would hide plain words. */
export function createRedactor(secrets: Iterable<string>): Redact {
  // Longest first, because one secret may be the start of another.
  const known = [...new Set(secrets)].filter((each) => each.length >= 6).sort((a, b) => b.length - a.length);
  const names = new Map<string, boolean>();
  const isSecretName = (name: string): boolean => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const isSecret = SECRET_NAMES.test(name);
    // Field names are few; the limit protects against dynamic names.
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
