import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { JobFailure } from '../../jobs/job.js';
import type { MediaFacts, SubtitleFacts } from '../../jobs/media.js';
import type { PreparedCaptions } from '../plan-types.js';
import { applySelectors, firstOfLanguages, numberedLabel } from './select-tracks.js';

/** The subtitles of the input for an output, in its order, and sentences about selectors that name none. */
interface SelectedSubtitles {
  readonly subtitles: readonly SubtitleFacts[];
  readonly warnings: readonly string[];
}

/**
 * Selects the subtitles of the input that an output keeps or draws: those that `subtitle_tracks` names, or else all.
 * If nothing that is named exists, the default track, or a failure in strict mode. It is not drawn, because it would stay
 * in the video.
 */
export function selectSubtitles(
  { subtitle_tracks: given = ['all'], strict, subtitles: use }: OutputSettings,
  { subtitles: all = [] }: MediaFacts,
): SelectedSubtitles | { readonly failure: JobFailure } {
  if (given[0] === 'all') return { subtitles: all, warnings: [] };
  const full = all.filter((track) => !has('forced')(track));
  if (given[0] === 'languages') {
    const chosen = firstOfLanguages([...full, ...all.filter(has('forced'))]);
    return { subtitles: all.filter((track) => chosen.includes(track)), warnings: [] };
  }
  const first = all.find(has('default')) ?? full[0] ?? all[0];
  const ofDefault = first === undefined ? [] : [first];
  if (given[0] === 'default') return { subtitles: ofDefault, warnings: [] };
  const numbered = all.map((track, index) => ({ number: index + 1, track }));
  const { selected, unmatched } = applySelectors(given, numbered);
  const names = numbered.map(numberedLabel).join(', ');
  const what = all.length === 0 ? 'the input has none' : `the subtitles of the input are ${names}`;
  const message = `subtitle_tracks names ${unmatched.join(', ')}, but ${what}`;
  if (unmatched.length > 0 && strict === true)
    return { failure: { errorClass: 'NoMediaError', message: `${message}.` } };
  if (selected.length === 0 && ofDefault.length > 0 && use !== 'burn')
    return { subtitles: ofDefault, warnings: [`${message}, so the default track is used.`] };
  return { subtitles: withFirstDefault(selected), warnings: unmatched.length === 0 ? [] : [`${message}.`] };
}

const has = (name: 'default' | 'forced') => (track: SubtitleFacts) =>
  track.dispositions?.includes(name) === true;

/** If one of the tracks is the default in the input, the first of them is the default in the output. */
function withFirstDefault(tracks: readonly SubtitleFacts[]): readonly SubtitleFacts[] {
  if (!tracks.some(has('default'))) return tracks;
  return tracks.map(({ dispositions = [], ...track }, index) => ({
    ...track,
    dispositions: [
      ...(index === 0 ? (['default'] as const) : []),
      ...dispositions.filter((name) => name !== 'default'),
    ],
  }));
}

/** The captions of selected subtitles in their order and with their purposes, and then those of files. */
export function captionsOfSelected(
  prepared: readonly PreparedCaptions[],
  subtitles: readonly SubtitleFacts[],
): readonly PreparedCaptions[] {
  const ofInput = subtitles.flatMap(({ streamIndex, dispositions = [] }) =>
    prepared
      .filter((one) => one.streamIndex === streamIndex)
      .map((one): PreparedCaptions => ({ ...one, dispositions })),
  );
  return [...ofInput, ...prepared.filter(({ streamIndex }) => streamIndex === null)];
}
