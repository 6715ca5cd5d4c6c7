import { languageCode } from '../../../src/shared/text/languages.js';
import { type SubtitleFacts, subtitleDispositions } from '../../jobs/media.js';
import { hasDisposition, numberAt, type ProbeObject, tagAt, textAt } from './probe-fields.js';

/** What programs name every track, instead of a title. */
const genericTitle = /^(?:subtitles?|.*handler)$/i;

/** The subtitle tracks of a file, in its order. */
export function readSubtitles(streams: readonly ProbeObject[]): readonly SubtitleFacts[] {
  return streams.filter((stream) => textAt(stream, 'codec_type') === 'subtitle').map(subtitleFacts);
}

function subtitleFacts(stream: ProbeObject): SubtitleFacts {
  const language = tagAt(stream, 'language');
  // MP4 has titles as names of handlers.
  const title = tagAt(stream, 'title') ?? tagAt(stream, 'handler_name');
  const dispositions = subtitleDispositions.filter((name) => hasDisposition(stream, name));
  return {
    streamIndex: numberAt(stream, 'index') ?? 0,
    codec: textAt(stream, 'codec_name') ?? 'unknown',
    ...(language === null || languageCode(language) === null ? {} : { language }),
    ...(title === null || genericTitle.test(title) ? {} : { title }),
    ...(dispositions.length === 0 ? {} : { dispositions }),
  };
}
