// Takes secrets out of whatever is about to be logged: those that are known, and whatever looks like one.

/** Names of fields whose values are never shown. */
const SECRET_NAMES =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|secret|x-api-key|x-goog-api-key|api-?key|key|token)$/i;

/** Keys of the usual providers, tokens of Koine's own, bearer headers, passwords and keys in URLs. */
const SECRET_TEXTS = [
  /\b(?:sk|pk|rk|gsk|xai|hf|koine)[-_][\w-]{12,}/g,
  /\bAIza[\w-]{20,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}/gi,
  /(?<=[?&](?:key|api[-_]?key|token|access_token)=)[^&\s"']+/gi,
  /(?<=:\/\/)[^/@\s"']+(?=@)/g,
];
const HIDDEN = "[hidden]";

export type Redact = (text: string, name?: string) => string;

/** `secrets`: texts that must not be shown, wherever they stand. Very short ones would hide words instead. */
export function redactor(secrets: Iterable<string>): Redact {
  // The longest first: one secret may be the beginning of another.
  const known = [...new Set(secrets)].filter((each) => each.length >= 6).sort((a, b) => b.length - a.length);
  return (text, name) => {
    if (name !== undefined && SECRET_NAMES.test(name)) return HIDDEN;
    let shown = text;
    for (const secret of known) if (shown.includes(secret)) shown = shown.replaceAll(secret, HIDDEN);
    for (const pattern of SECRET_TEXTS) shown = shown.replace(pattern, HIDDEN);
    return shown;
  };
}
