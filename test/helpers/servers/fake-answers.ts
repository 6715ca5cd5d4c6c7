/*
 * Responses of a service written from the service document: numbers are strings, keys are missing or null, and some keys are
 * unknown.
 */

/** The URL of an input, or of an output file. The URL of an output is signed. */
function addressOf(isInput: boolean, id: number, store: string): string {
  return isInput ? `s3://bucket/${id}.mov` : `${store}/kept/${id}.mp4?Expires=1767323045&Signature=word`;
}

function failureOf(state: string) {
  return state === 'failed'
    ? { error_class: 'FileNotFoundError', error_message: 'There is no \u001b[31msuch\u001b[0m file.' }
    : { error_class: null, error_message: null };
}

/** A job (section 2.3) as details and lists contain it. */
export function jobAnswer(id: number, state: string, store: string): object {
  const file = { state, duration_in_ms: '5067', width: '640', frame_rate: null };
  return {
    job: {
      id: String(id),
      state,
      created_at: '2026-01-02T03:04:05Z',
      input_media_file: {
        ...file,
        ...failureOf(state),
        id: String(id + 10_000),
        url: addressOf(true, id, store),
        file_size_bytes: '862748',
      },
      output_media_files: [
        {
          ...file,
          id: String(id + 20_000),
          label: null,
          url: addressOf(false, id, store),
          file_size_bytes: null,
        },
      ],
      thumbnails: null,
      made_by: 'somebody else',
    },
  };
}

/** Details of an input or an output (sections 2.1 and 2.2). */
export function mediaAnswer(isInput: boolean, id: number, state: string, store: string): object {
  return {
    id: String(id + (isInput ? 10_000 : 20_000)),
    ...(isInput ? { job_id: String(id), privacy: 'false' } : { label: null }),
    ...failureOf(state),
    url: addressOf(isInput, id, store),
    state,
    format: 'MPEG-4',
    duration_in_ms: '5067',
    file_size_in_bytes: '862748',
    video_codec: 'H.264',
    width: '640',
    height: '360',
    frame_rate: '25.0',
    audio_codec: null,
    channels: 2,
  };
}

/** A progress record (section 2.4). */
export const progressAnswer = { state: 'processing', current_event: 'Transcoding', progress: '41.5' };

const vod = { encoded_minutes: '12.5', billable_minutes: '11' };
const live = {
  stream_hours: '0',
  billable_stream_hours: 0,
  encoded_hours: null,
  total_hours: '0.0',
  total_billable_hours: '0',
};

/** A report (sections 4.10 and 4.11) of all usage or of live streaming. */
export function reportAnswer(isAll: boolean): object {
  const day = { grouping: null, collected_on: '2026-01-02' };
  if (!isAll) return { total: live, statistics: [{ ...day, ...live }] };
  return {
    total: { live, vod },
    statistics: { live: [{ ...day, ...live }], vod: [{ ...day, ...vod }] },
  };
}
