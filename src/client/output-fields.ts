import type { OutputMediaFile } from '../shared/records.js';
import { fieldsOf, itemsOf, readAmount, readText } from './coerce.js';

type Fields = Readonly<Record<string, unknown>>;

/** Normalises the fields of an output that was cut into segments: only those that the record has. */
export function segmentFields(fields: Fields) {
  const { fragment_duration_in_ms, segments, rfc_6381_video_codec, rfc_6381_audio_codec } = fields;
  const known = {
    dash_url: readText(fields.dash_url),
    peak_bitrate_in_kbps: readAmount(fields.peak_bitrate_in_kbps),
    average_bitrate_in_kbps: readAmount(fields.average_bitrate_in_kbps),
    fragment_duration_in_ms: readAmount(fragment_duration_in_ms),
    segments: readAmount(segments),
    rfc_6381_video_codec: readText(rfc_6381_video_codec),
    rfc_6381_audio_codec: readText(rfc_6381_audio_codec),
  };
  // Only those that the record has.
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)) as Partial<
    Pick<OutputMediaFile, keyof typeof known>
  >;
}

/** Normalises the caption files of an output; absent if it has none. */
export function captionFields(fields: Fields): Pick<OutputMediaFile, 'caption_files'> {
  const files = itemsOf(fields.caption_files)
    .map(fieldsOf)
    .map(({ url, language, label }) => ({
      url: readText(url) ?? '',
      language: readText(language),
      label: readText(label) ?? '',
    }))
    .filter(({ url }) => url !== '');
  return files.length === 0 ? {} : { caption_files: files };
}
