import { captionFormat, isCaptions } from '../../shared/settings/captions.js';
import { audioExtensions, videoExtensions } from '../../shared/settings/general.js';
import { playlistExtension } from '../../shared/settings/playlists.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { sanitizeFileName, truncateFileName } from '../../shared/text/file-names.js';
import { safeText } from '../../shared/text/safe-text.js';
import { decodeUrlPart, fileNameInUrl, parseUrl, withoutExtension } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';

/** An output whose file has no name yet. */
interface UnnamedOutput {
  readonly label: string | null;
  /** Including the dot. */
  readonly extension: string;
}

/** Parameters for naming the files of a job. */
interface NameParts {
  /** Name of the input without its extension. */
  readonly stem: string;
  /** The name of the input, which no output may get; null if there is none. */
  readonly reservedName: string | null;
  /** Names already used by other outputs, in lower case. */
  readonly usedNames: ReadonlySet<string>;
}

/** The outputs of a request; empty if the service sets the defaults. */
export function outputsIn(request: RequestFields): readonly RequestFields[] {
  return [request.outputs, request.output].flat().filter(isObject);
}

/** Whether the service hosts an output, because its settings name no other destination. */
export function isHosted({ url, base_url: base }: RequestFields): boolean {
  return typeof url !== 'string' && typeof base !== 'string';
}

/**
 * The request with `overwrite` for each output that is delivered to a `file:` URL and does not say itself whether it
 * replaces files (`--force`).
 */
export function withOverwrite<T extends RequestFields>(request: T): T {
  const marked = (output: unknown): unknown =>
    isWrittenToFile(output) && (output.overwrite ?? null) === null ? { ...output, overwrite: true } : output;
  const markedAll = (value: unknown) => (Array.isArray(value) ? value.map(marked) : marked(value));
  return {
    ...request,
    ...(request.outputs === undefined ? {} : { outputs: markedAll(request.outputs) }),
    ...(request.output === undefined ? {} : { output: markedAll(request.output) }),
  };
}

/** Whether any output of a request, or its thumbnails, are delivered to a `file:` URL. */
export function hasFileOutput(request: RequestFields): boolean {
  return outputsIn(request).some(isWrittenToFile);
}

function isWrittenToFile(output: unknown): output is Readonly<Record<string, unknown>> {
  if (!isObject(output)) return false;
  const sets = [output.thumbnails, output.thumbnail].flat().filter(isObject);
  const places = [output.url, output.base_url, output.secondary_url, ...sets.map(({ base_url }) => base_url)];
  return places.some((place) => typeof place === 'string' && /^file:/i.test(place));
}

/**
 * Names outputs without a name: `film-web.mp4` from the input and the label, `film.mp4` without a label, and
 * `film-2.mp4` with the number of the output if two names would be equal. An output that has a name is null in the
 * argument and in the result. Pure.
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

/** The base name for the outputs of a remote input; null if its URL has no usable name. */
export function stemFromUrl(url: string): string | null {
  if (parseUrl(url) === null) return null;
  const stem = withoutExtension(fileNameInUrl(url));
  return stem === '' || safeText(stem) !== stem || /[/\\]|^\.+$/.test(stem) ? null : stem;
}

/** The sanitized file name at the end of an HTTP URL; empty if it has none. */
export function fileNameFromUrl(url: string): string {
  return sanitizeFileName(decodeUrlPart(new URL(url).pathname.replace(/\/+$/, '').split('/').at(-1) ?? ''));
}

function captionExtension({ format }: Readonly<Record<string, unknown>>): string {
  const found = captionFormat(typeof format === 'string' ? { format: format.toLowerCase() } : {}, '');
  return 'extension' in found ? found.extension : '.vtt';
}

/** Whether the main file of an output is a playlist. */
export function hasPlaylist({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === 'segmented' || type === 'playlist';
}

/** The extension for an output, from its settings. That of a playlist may depend on its name. */
export function extensionFor(settings: Readonly<Record<string, unknown>>, name?: string): string {
  const arg = (value: unknown) => String(value).toLowerCase();
  if (hasPlaylist(settings)) return playlistExtension(settings, name);
  if (isCaptions(settings)) return captionExtension(settings);
  if (typeof settings.format === 'string') return `.${arg(settings.format)}`;
  const isAudio = /^(?:true|1)$/.test(arg(settings.skip_video));
  const [extensions, codec, fallback]: readonly [Readonly<Record<string, string>>, unknown, string] = isAudio
    ? [audioExtensions, settings.audio_codec, '.m4a']
    : [videoExtensions, settings.video_codec, '.mp4'];
  return extensions[arg(codec)] ?? fallback;
}
