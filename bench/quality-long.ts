import { type Figure, spreadOf } from './measure.js';
import { makeLongFilm } from './quality-clips.js';
import { encodeClip } from './quality-files.js';

/** Measures how long a search and a check take, compared with the encode of a film of ten minutes. */
export async function measureLongSearch(folder: string): Promise<readonly Figure[]> {
  const film = await makeLongFilm(folder);
  const { output, seconds } = await encodeClip(film, folder, ['--quality-target', '92']);
  const { search_seconds: search, seconds: check, corrections = 0, probes } = output.quality ?? {};
  if (search === undefined || check === undefined) throw new Error(`no record: ${output.warnings?.join()}`);
  const encode = (seconds - search - check * (corrections + 1)) / (corrections + 1);
  const figure = (name: string, part: number, atMost: number): Figure => ({
    ...{ name: `${name} of a film of ten minutes, of its encode`, unit: '%', atMost },
    value: spreadOf([(part / encode) * 100]),
    basis: `${part.toFixed(0)} s to ${encode.toFixed(0)} s, ${probes?.length} probes, ${corrections} corrections`,
  });
  return [figure('search', search, 15), figure('check', check, 60)];
}
