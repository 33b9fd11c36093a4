// Decodes character references in Markdown without the browser's HTML parser: all numeric references and the common
// names. Unknown names stay as written.

const NAMED_ENTITIES =
  "amp& lt< gt> quot\" apos' nbsp\u00A0 copy© reg® trade™ hellip… mdash— ndash– lsquo‘ rsquo’ ldquo“ rdquo” sbquo‚ bdquo„ " +
  "laquo« raquo» bull• middot· times× divide÷ deg° plusmn± micro\u00B5 para¶ sect§ cent¢ pound£ yen¥ euro€ larr← uarr↑ rarr→ " +
  "darr↓ harr↔ rArr⇒ lArr⇐ hArr⇔ le≤ ge≥ ne≠ equiv≡ asymp≈ infin∞ sum∑ prod∏ radic√ int∫ part∂ nabla∇ isin∈ notin∉ cap∩ " +
  "cup∪ sub⊂ sup⊃ empty∅ forall∀ exist∃ and∧ or∨ not¬ frac12½ frac14¼ frac34¾ sup2² sup3³ alpha\u03B1 beta\u03B2 gamma\u03B3 " +
  "delta\u03B4 epsilon\u03B5 theta\u03B8 lambda\u03BB mu\u03BC pi\u03C0 sigma\u03C3 tau\u03C4 phi\u03C6 omega\u03C9 Delta\u0394 Omega\u03A9 " +
  "Sigma\u03A3 dagger† permil‰ prime′ iexcl¡ iquest¿ auml\u00E4 ouml\u00F6 uuml\u00FC Auml\u00C4 Ouml\u00D6 Uuml\u00DC szlig\u00DF " +
  "eacute\u00E9 egrave\u00E8 ecirc\u00EA agrave\u00E0 aacute\u00E1 acirc\u00E2 ccedil\u00E7 ntilde\u00F1 oacute\u00F3 uacute\u00FA iacute\u00ED " +
  "check✓ cross✗ star☆ hearts♥ ensp\u2002 emsp\u2003 thinsp\u2009 lbrace{ rbrace} lbrack[ rbrack] lpar( rpar) vert| ast* num# dollar$ " +
  "lowbar_ grave` bsol\\ sol/ colon: semi; comma, period. excl! quest? equals= plus+ percnt% commat@ Tab\t NewLine\n";

let table: ReadonlyMap<string, string> | undefined;

function findNamedEntity(name: string): string | undefined {
  table ??= new Map(
    NAMED_ENTITIES.split(" ").map((entry) => {
      const at = entry.length - 1;
      return [entry.slice(0, at), entry.slice(at)];
    }),
  );
  return table.get(name);
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z][a-zA-Z\d]{1,31}));/g;
const REPLACEMENT = "\uFFFD";

/** Returns the text with its character references decoded. The results are not decoded again. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return findNamedEntity(name) ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(decimal, 10);
    const isCharacter = point > 0 && point <= 0x10_ff_ff && (point < 0xd8_00 || point > 0xdf_ff);
    return isCharacter ? String.fromCodePoint(point) : REPLACEMENT;
  });
}
