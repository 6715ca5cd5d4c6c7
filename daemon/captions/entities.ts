/** The named characters of Latin-1, from U+00A0 on. */
const latin1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'.split(
    ' ',
  );
const named: ReadonlyMap<string, string> = new Map([
  ...latin1.map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...[['amp', '&'] as const, ['lt', '<'] as const, ['gt', '>'] as const, ['quot', '"'] as const],
  ...[['apos', "'"] as const, ['lrm', '\u200E'] as const, ['rlm', '\u200F'] as const],
]);

/**
 * A text in which the entities of HTML, such as `&eacute;` and `&#39;`, are replaced by their characters. Others stay
 * as they are.
 */
export function withoutEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,16}));?/gi,
    (entity, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return named.get(name) ?? named.get(name.toLowerCase()) ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : entity;
    },
  );
}
