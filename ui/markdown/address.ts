// Addresses that stand in messages: which ones may be followed or loaded, and how one is shown so that it cannot pretend to
// be another. An address comes from a model, so it is never trusted.

export interface Address {
  /** As the browser would ask for it: nothing hidden in it, plain ASCII. */
  href: string;
  /** Whom it asks; of a mail address, the address. */
  host: string;
}

const FOLLOWED = new Set(["http:", "https:", "mailto:"]);
const LOADED = new Set(["http:", "https:"]);

/** What is signed may be long; longer ones than this no server takes, and a text may repeat one thousands of times. */
const MAX_ADDRESS = 8192;

function read(text: string, protocols: ReadonlySet<string>): Address | undefined {
  const url = text.length > MAX_ADDRESS ? null : URL.parse(text);
  if (url === null || !protocols.has(url.protocol)) return undefined;
  return { href: url.href, host: url.protocol === "mailto:" ? visible(url.pathname) : url.host };
}

/** An address that a reader may follow. Whatever is relative would mean this page, and is none. */
export function readLink(text: string): Address | undefined {
  return read(text, FOLLOWED);
}

/** An address that something can be loaded from. */
export function readRemote(text: string): Address | undefined {
  return read(text, LOADED);
}

/** Signs that take no room, turn the direction of others, or break a line. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u034F\u115F\u1160\u2800\u3164\uFFA0]/gu;

/** A name or an address on one line, with everything in it that one would not see written out. */
export function visible(text: string, max = 400): string {
  const shown = text.slice(0, max).replace(UNSEEN, (sign) => {
    return `\\u{${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
  });
  return text.length > max ? `${shown}… (${text.length - max} more characters)` : shown;
}

/** Names of servers in words, with what may stand before them; and signs that browsers read as dots in a name. */
const NAMES =
  /(?:([a-z][a-z\d+.-]*):\/\/)?(?:([^\s@/()<>"']+)@)?((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost(?=[:/]))/giu;
const DOTS = /[\u3002\uFF0E\uFF61\u2024]/g;
/** Endings of files which no server's name has. */
const FILES = /\.(?:[jt]sx?|json|html?|css|pdf|txt|png|jpe?g|gif|svg|csv|xml|ya?ml|toml|docx?|xlsx?)$/i;
const MAX_WORDS = 2048;

/**
 * Whether the words of a link name another place than the one that it leads to, as far as a reader can see: whatever is
 * invisible in them does not count, and neither does what stands around the name. An address with a name before its server's
 * is always meant to be taken for another.
 */
export function isDeceptive(words: string, { href }: Address): boolean {
  const url = URL.parse(href);
  if (url === null) return true;
  const isMail = url.protocol === "mailto:";
  if (!isMail && (url.username !== "" || url.password !== "")) return true;
  const seen = words.slice(0, MAX_WORDS).replace(UNSEEN, "").replace(DOTS, ".").normalize("NFKC");
  const mail = safeDecoded(url.pathname).toLowerCase();
  for (const [, scheme, user, name = ""] of seen.matchAll(NAMES)) {
    const isFile = scheme === undefined && user === undefined && FILES.test(name);
    if (isFile) continue;
    if (
      isMail && user !== undefined
        ? `${user}@${name}`.toLowerCase() !== mail
        : !isSameHost(name, isMail ? mail : url.hostname)
    )
      return true;
  }
  return false;
}

function isSameHost(told: string, real: string): boolean {
  return plainHost(told) === plainHost(real);
}

/** Of a mail address, the part behind its sign. */
function plainHost(host: string): string | undefined {
  return URL.parse(`https://${host.slice(host.lastIndexOf("@") + 1)}`)?.hostname.replace(/^www\./, "");
}

function safeDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Pictures that browsers draw without running anything; SVG among them, as long as it is an <img>. */
const PICTURES = /^image\/(?:png|jpe?g|gif|webp|avif|bmp|svg\+xml)$/i;
/** Characters of an inline picture that are still drawn. */
const MAX_PICTURE = 24_000_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

export function isPicture(mimeType: string): boolean {
  return PICTURES.test(mimeType);
}

/** Whether a text is base64 as browsers read it; they complain about any other. */
export function isBase64(data: string): boolean {
  return data.length % 4 !== 1 && BASE64.test(data);
}

/** A picture that stands in the text itself: its address, if it can be shown as it is. */
export function readDataPicture(text: string): string | undefined {
  const comma = text.indexOf(",");
  if (comma < 0 || comma > 200 || text.length > MAX_PICTURE) return undefined;
  const [type = "", ...parameters] = text.slice(0, comma).split(";");
  if (!/^data:/i.test(type) || !isPicture(type.slice(5).trim())) return undefined;
  const encoded = parameters.at(-1)?.trim().toLowerCase() === "base64";
  return !encoded || isBase64(text.slice(comma + 1)) ? text : undefined;
}
