import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { languageCode, languageName } from '../../shared/text/languages.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Io } from '../terminal/io.js';

/** The subtitle files next to a film, as entries of `caption_url`. */
interface Sidecar {
  readonly url: string;
  readonly language: string;
  readonly label?: string;
  readonly forced?: true;
  readonly hearing_impaired?: true;
}

/** What follows the stem of the film in the name of a subtitle file. */
const sidecarPattern = /^(?:\.([a-z]{2,3}(?:-[a-z0-9]{1,8})*))??(?:\.(forced|sdh))?\.(?:srt|vtt|ass|ssa)$/i;

/**
 * Finds the subtitle files next to a film: `STEM[.LANG][.forced|.sdh].(srt|vtt|ass|ssa)`, in the order of their names.
 * Without a language it is `und`.
 */
async function findSidecars(film: string): Promise<readonly Sidecar[]> {
  const stem = basename(film, extname(film));
  const entries = await readdir(dirname(film), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ name }) => name)
    .toSorted()
    .flatMap((name) => (name.startsWith(`${stem}.`) ? sidecarOf(name, stem, dirname(film)) : []));
}

function sidecarOf(name: string, stem: string, folder: string): readonly Sidecar[] {
  const found = sidecarPattern.exec(name.slice(stem.length));
  if (found === null) return [];
  const [, language = 'und', kind = ''] = found;
  if (language.toLowerCase() !== 'und' && languageCode(language) === null) return [];
  const label = languageName(language) ?? 'Subtitles';
  return [
    {
      url: resolve(folder, name),
      language,
      ...(/^forced$/i.test(kind) ? { label: `${label} (forced)`, forced: true } : {}),
      ...(/^sdh$/i.test(kind) ? { label: `${label} (SDH)`, hearing_impaired: true } : {}),
    },
  ];
}

/**
 * The caption files that `--sidecar-subtitles` adds to the outputs of an input, and prints them. `path` is null if the
 * input is not a local media file: then it rejects with `UsageError`.
 */
export async function readSidecars(
  path: string | null,
  io: Pick<Io, 'writeStderr' | 'writeInfo'>,
): Promise<readonly RequestFields[]> {
  if (path === null) throw new VencError('UsageError', '--sidecar-subtitles needs a local media file.');
  const found = await findSidecars(path);
  const names = found.map(({ url, language, forced, hearing_impaired }) =>
    [
      `${safeText(basename(url))} (${language}`,
      ...(forced === true ? ['forced'] : []),
      ...(hearing_impaired === true ? ['SDH'] : []),
    ].join(', '),
  );
  const listed = names.map((name) => `${name})`).join(', ');
  if (found.length === 0)
    io.writeStderr(`venc: warning: there are no subtitle files next to ${safeText(path)}\n`);
  else io.writeInfo(`venc: subtitles for ${safeText(basename(path))}: ${listed}\n`);
  return found.map((file) => ({ ...file }));
}
