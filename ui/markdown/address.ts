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

/** Longer ones say nothing to a reader, and a text may repeat one thousands of times. */
const MAX_ADDRESS = 2048;

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

/** Words that look like an address: a reader takes them for the place that they lead to. */
const LOOKS_LIKE_ADDRESS = /^\s*(?:[a-z][a-z\d+.-]*:\/\/\S+|(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?:[/:?#]\S*)?)\s*$/iu;

/** Whether the words of a link name another place than the one that it leads to. */
export function isDeceptive(words: string, { href, host }: Address): boolean {
  if (words.length > MAX_ADDRESS || !LOOKS_LIKE_ADDRESS.test(words)) return false;
  const told = URL.parse(words.includes("://") ? words : `https://${words.trim()}`);
  return told !== null && told.href !== href && told.host !== host && told.host !== host.replace(/^www\./, "");
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
