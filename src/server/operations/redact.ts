// Hides secrets in log values: known secrets, and text that looks like a secret.

/** Matches the names of fields whose values are never logged. */
const SECRET_NAMES =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|secret|x-api-key|x-goog-api-key|api-?key|key|token)$/i;

/** Matches keys of common providers, Koine's tokens, JWTs, bearer headers, and keys and passwords in URLs. */
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
/**
 * Matches text that may contain a secret of `SECRET_TEXTS`. `SUSPECT` is tested before `SECRET_TEXTS`, because it is
 * faster.
 */
const SUSPECT = /[-_=@]\S|AIza|eyJ|bearer|basic/i;
const HIDDEN = "[hidden]";

export type Redact = (text: string, name?: string) => string;

/**
 * Returns a function that hides the known `secrets` and text that looks like a secret. Known secrets of fewer than six
 * characters are ignored, because they would hide plain words.
 */
export function createRedactor(secrets: Iterable<string>): Redact {
  // The longest secret is replaced first, because a secret may be the start of a longer secret.
  const known = [...new Set(secrets)].filter((each) => each.length >= 6).sort((a, b) => b.length - a.length);
  const names = new Map<string, boolean>();
  const isSecretName = (name: string): boolean => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const isSecret = SECRET_NAMES.test(name);
    // The size of the cache is limited, in case field names are created dynamically.
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
