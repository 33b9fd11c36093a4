// Checks URLs in messages, which come from models and are never trusted: whether a URL may be opened or loaded, and how
// it is displayed so that it cannot imitate another URL.

export interface SafeUrl {
  /** URL as the browser's parser normalizes it; ASCII only. */
  href: string;
  /** Host with its port; for a mailto URL, the mail address. */
  host: string;
}

const LINK_PROTOCOLS = new Set(["http:", "https:", "mailto:"]);
const MEDIA_PROTOCOLS = new Set(["http:", "https:"]);

/** Maximum length of a URL. Signed URLs may be long, but servers reject URLs that are longer than this. */
const MAX_URL_LENGTH = 8192;

function parseUrl(text: string, protocols: ReadonlySet<string>): SafeUrl | undefined {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text);
  if (url === null || !protocols.has(url.protocol)) return undefined;
  return { href: url.href, host: url.protocol === "mailto:" ? escapeInvisible(url.pathname) : url.host };
}

/**
 * Returns the URL if the user may open it; undefined otherwise. Relative URLs are rejected, because they would refer to
 * this server.
 */
export function parseLinkUrl(text: string): SafeUrl | undefined {
  return parseUrl(text, LINK_PROTOCOLS);
}

/** Returns the URL if media can be loaded from it; undefined otherwise. */
export function parseMediaUrl(text: string): SafeUrl | undefined {
  return parseUrl(text, MEDIA_PROTOCOLS);
}

/** Matches characters that have no width, change the text direction, or break lines. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u034F\u115F\u1160\u2800\u3164\uFFA0]/gu;

/** Returns the text on one line, with invisible characters escaped and at most `max` characters of it. */
export function escapeInvisible(text: string, max = 400): string {
  const shown = text.slice(0, max).replace(INVISIBLE_CHARACTERS, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
  });
  return text.length > max ? `${shown}… (${text.length - max} more characters)` : shown;
}

/** Matches host names in a text, with their scheme and user if they have them. */
const HOST_NAMES =
  /(?:([a-z][a-z\d+.-]*):\/\/)?(?:([^\s@/()<>"']+)@)?((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost(?=[:/]))/giu;
/** Matches characters that browsers treat as dots in host names. */
const DOT_LIKE_CHARACTERS = /[\u3002\uFF0E\uFF61\u2024]/g;
/** Matches file names such as "main.ts", whose extension is in practice not a top-level domain. */
const FILE_NAMES = /\.(?:[jt]sx?|json|html?|css|pdf|txt|png|jpe?g|gif|svg|csv|xml|ya?ml|toml|docx?|xlsx?)$/i;
const MAX_LINK_TEXT = 2048;

/**
 * True if the text of a link shows another host than the link's URL has, or if the URL has a user name or password.
 * Invisible characters in the text are ignored.
 */
export function isDeceptive(linkText: string, { href }: SafeUrl): boolean {
  const url = URL.parse(href);
  if (url === null) return true;
  const isMail = url.protocol === "mailto:";
  if (!isMail && (url.username !== "" || url.password !== "")) return true;
  const visibleText = linkText
    .slice(0, MAX_LINK_TEXT)
    .replace(INVISIBLE_CHARACTERS, "")
    .replace(DOT_LIKE_CHARACTERS, ".")
    .normalize("NFKC");
  const mailAddress = decodeUriSafely(url.pathname).toLowerCase();
  for (const [, scheme, user, name = ""] of visibleText.matchAll(HOST_NAMES)) {
    const isFile = scheme === undefined && user === undefined && FILE_NAMES.test(name);
    if (isFile) continue;
    if (
      isMail && user !== undefined
        ? `${user}@${name}`.toLowerCase() !== mailAddress
        : !areSameHosts(name, isMail ? mailAddress : url.hostname)
    )
      return true;
  }
  return false;
}

function areSameHosts(shownHost: string, realHost: string): boolean {
  return normalizeHost(shownHost) === normalizeHost(realHost);
}

/** Returns the normalized host name, without "www."; for a mail address, the host is the part after the @. */
function normalizeHost(host: string): string | undefined {
  return URL.parse(`https://${host.slice(host.lastIndexOf("@") + 1)}`)?.hostname.replace(/^www\./, "");
}

function decodeUriSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Matches the MIME types of images that browsers display without running scripts. An SVG image inside <img> runs no
 * scripts.
 */
const IMAGE_TYPES = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i;
/** Maximum length of a data URL; longer inline images are not displayed. */
const MAX_DATA_URL_LENGTH = 24_000_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function isDisplayableImage(mimeType: string): boolean {
  return IMAGE_TYPES.test(mimeType);
}

/** True if browsers accept the text as base64. */
export function isBase64(data: string): boolean {
  return data.length % 4 !== 1 && BASE64.test(data);
}

/** Returns the text if it is the data URL of an image that can be displayed; undefined otherwise. */
export function parseImageDataUrl(text: string): string | undefined {
  const comma = text.indexOf(",");
  if (comma < 0 || comma > 200 || text.length > MAX_DATA_URL_LENGTH) return undefined;
  const [type = "", ...parameters] = text.slice(0, comma).split(";");
  if (!/^data:/i.test(type) || !isDisplayableImage(type.slice(5).trim())) return undefined;
  const encoded = parameters.at(-1)?.trim().toLowerCase() === "base64";
  return !encoded || isBase64(text.slice(comma + 1)) ? text : undefined;
}
