import type { RequestFields } from '../../shared/settings/flag-values.js';
import { safeText } from '../../shared/text/safe-text.js';
import { decodeUrlPart, fileNameInUrl, withoutExtension } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';

/** An output whose file has no name of its own yet. */
export interface UnnamedOutput {
  readonly label: string | null;
  /** With its dot. */
  readonly extension: string;
}

/** What the names of a job's files are made of. */
export interface NameParts {
  /** Name of the input without its extension. */
  readonly stem: string;
  /** Name that no output may get, because the input has it; null if there is none. */
  readonly reservedName: string | null;
  /** Names that other outputs have already, in lower case. */
  readonly usedNames: ReadonlySet<string>;
}

/** The outputs that a request names; none if it leaves them to the service. */
export function outputsIn(request: RequestFields): readonly RequestFields[] {
  return [request.outputs, request.output].flat().filter(isObject);
}

/** Whether the service keeps an output, which goes to no place of the client's own. */
export function isHosted({ url, base_url: base }: RequestFields): boolean {
  return typeof url !== 'string' && typeof base !== 'string';
}

/** Most bytes that a name may have: `.part` and the number of an output are added to it. */
const maxNameBytes = 230;

/**
 * The names of outputs that have none: `film-web.mp4` of the input and the label, `film.mp4` without a label, and `film-2.mp4` with the
 * number of the output where two would be equal. null stands for an output that has a name, and gets null. Pure.
 */
export function nameOutputs(
  outputs: readonly (UnnamedOutput | null)[],
  { stem, reservedName, usedNames }: NameParts,
): readonly (string | null)[] {
  const stems = outputs.map((output) => {
    const label = sanitizeFileName(output?.label ?? '');
    return label === '' ? stem : `${stem}-${label}`;
  });
  const nameOf = (index: number, suffix = '') =>
    truncateFileName(`${stems[index] ?? stem}${suffix}${outputs[index]?.extension ?? ''}`);
  const counts = new Map([...usedNames].map((name) => [name, 1]));
  for (const [index, output] of outputs.entries()) {
    const name = nameOf(index).toLowerCase();
    if (output !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return outputs.map((output, index) => {
    if (output === null) return null;
    const name = nameOf(index);
    if ((counts.get(name.toLowerCase()) ?? 0) > 1) return nameOf(index, `-${index + 1}`);
    return name.toLowerCase() === reservedName?.toLowerCase() ? nameOf(index, '-venc') : name;
  });
}

/** The stem that the outputs of a remote input are named after; null if its address holds no usable name. */
export function stemFromUrl(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const stem = withoutExtension(fileNameInUrl(url));
  return stem === '' || safeText(stem) !== stem || /[/\\]|^\.+$/.test(stem) ? null : stem;
}

/** The name that a web address ends in, as `plainName` has it; empty if it has none. */
export function fileNameFromUrl(url: string): string {
  return sanitizeFileName(decodeUrlPart(new URL(url).pathname.replace(/\/+$/, '').split('/').at(-1) ?? ''));
}

/** A text as a file name: without what leads out of a folder, hides, or moves a cursor. Empty if nothing is left. */
export function sanitizeFileName(text: string): string {
  const plain = text.replace(/[/\\\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '_').trim();
  return /^\.+$/.test(plain) ? '' : plain;
}

/** A name that leaves room for a file system's limit; its extension is kept. */
export function truncateFileName(name: string): string {
  const base = withoutExtension(name);
  const extension = name.slice(base.length);
  let letters = [...base];
  while (letters.length > 1 && Buffer.byteLength(letters.join('') + extension) > maxNameBytes)
    letters = letters.slice(0, -1);
  return letters.join('') + extension;
}

/** Extensions by codec, where `.mp4` will not do. */
const videoExtensions: Readonly<Record<string, string>> = {
  vp8: '.webm',
  vp9: '.webm',
  theora: '.ogv',
  vp6: '.flv',
};
const audioExtensions: Readonly<Record<string, string>> = { mp3: '.mp3', vorbis: '.oga', opus: '.webm' };

/** The extension for an output without a file name, by its settings. */
export function extensionFor(settings: Readonly<Record<string, unknown>>): string {
  const arg = (value: unknown) => String(value).toLowerCase();
  if (/^(?:true|1)$/.test(arg(settings.skip_video)))
    return audioExtensions[arg(settings.audio_codec)] ?? '.m4a';
  return videoExtensions[arg(settings.video_codec)] ?? '.mp4';
}
