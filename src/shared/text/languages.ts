/** The codes of ISO 639-1, each with that of ISO 639-2 for terminology. */
const shortCodes = `
aa aar ab abk ae ave af afr ak aka am amh an arg ar ara as asm av ava ay aym az aze ba bak be bel bg bul bi bis bm bam bn ben bo bod
br bre bs bos ca cat ce che ch cha co cos cr cre cs ces cu chu cv chv cy cym da dan de deu dv div dz dzo ee ewe el ell en eng eo epo
es spa et est eu eus fa fas ff ful fi fin fj fij fo fao fr fra fy fry ga gle gd gla gl glg gn grn gu guj gv glv ha hau he heb hi hin
ho hmo hr hrv ht hat hu hun hy hye hz her ia ina id ind ie ile ig ibo ii iii ik ipk io ido is isl it ita iu iku ja jpn jv jav ka kat
kg kon ki kik kj kua kk kaz kl kal km khm kn kan ko kor kr kau ks kas ku kur kv kom kw cor ky kir la lat lb ltz lg lug li lim ln lin
lo lao lt lit lu lub lv lav mg mlg mh mah mi mri mk mkd ml mal mn mon mr mar ms msa mt mlt my mya na nau nb nob nd nde ne nep ng ndo
nl nld nn nno no nor nr nbl nv nav ny nya oc oci oj oji om orm or ori os oss pa pan pi pli pl pol ps pus pt por qu que rm roh rn run
ro ron ru rus rw kin sa san sc srd sd snd se sme sg sag si sin sk slk sl slv sm smo sn sna so som sq sqi sr srp ss ssw st sot su sun
sv swe sw swa ta tam te tel tg tgk th tha ti tir tk tuk tl tgl tn tsn to ton tr tur ts tso tt tat tw twi ty tah ug uig uk ukr ur urd
uz uzb ve ven vi vie vo vol wa wln wo wol xh xho yi yid yo yor za zha zh zho zu zul`;

/** The codes of ISO 639-2 for bibliographies, each with that for terminology. */
const bibliographicCodes = `
alb sqi arm hye baq eus bur mya chi zho cze ces dut nld fre fra geo kat ger deu gre ell ice isl mac mkd mao mri may msa per fas
rum ron slo slk tib bod wel cym`;

const words = `${shortCodes} ${bibliographicCodes}`.trim().split(/\s+/);
const longCodes: ReadonlyMap<string, string> = new Map(
  words.flatMap((code, index) => (index % 2 === 0 ? [[code, words[index + 1] ?? '']] : [])),
);

/**
 * The code of three letters for a language, as files store it: `deu` for `de`, `ger` and `de-AT`. Null if the text is
 * not a language code, or says that the language is not known.
 */
export function languageCode(text: string): string | null {
  const code = /^([a-z]{2,3})(?:-|$)/.exec(text.toLowerCase())?.[1];
  if (code === undefined || code === 'und') return null;
  return longCodes.get(code) ?? (code.length === 3 ? code : null);
}

const shortTags: ReadonlyMap<string, string> = new Map(
  [...longCodes].flatMap(([code, long]) => (code.length === 2 ? [[long, code] as const] : [])),
);

/**
 * The shortest tag for a language (RFC 5646), as playlists name it: `de` for `deu` and `ger`. A region is kept:
 * `pt-BR`.
 */
export function languageTag(language: string): string {
  const [, first = '', rest = ''] = /^([A-Za-z]{2,3})(-.*)?$/.exec(language) ?? [];
  const short = shortTags.get(languageCode(first) ?? '');
  return short === undefined ? language : `${short}${rest}`;
}

/** The code of each language whose English name is known, by that name in lower case. Made when it is first needed. */
let codesByName: ReadonlyMap<string, string> | null = null;

/**
 * The language that a file declares in any form, as a code: `en-US` for `en_US`, `deu` for `German`. Null if it is no
 * language, or not known.
 */
export function parseLanguage(text: string): string | null {
  const code = text.trim().replaceAll('_', '-');
  if (code === '' || code === 'und') return null;
  if (languageCode(code) !== null) return code;
  // Twi has the name of Akan, which comes first.
  codesByName ??= new Map(
    [...shortTags].toReversed().map(([long, short]) => [(languageName(short) ?? '').toLowerCase(), long]),
  );
  return codesByName.get(code.toLowerCase()) ?? null;
}

let englishNames: Intl.DisplayNames | null = null;

/** The English name of a language; null if it is not known. */
export function languageName(language: string | null): string | null {
  if (language === null || languageCode(language) === null) return null;
  try {
    englishNames ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
    return englishNames.of(language) ?? null;
  } catch {
    return null;
  }
}
