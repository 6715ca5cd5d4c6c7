import { stat } from 'node:fs/promises';
import { inputTrackRecords } from '../jobs/tracks.js';
import { mediaFields } from '../jobs/view.js';
import { type LocalPrograms, openLocalFfmpeg } from './local-files.js';

/**
 * Reads what a local media file is, with the fields of an input in the details of a job. Rejects as a probe does, and with
 * `UnavailableError` if there is no ffmpeg.
 */
export async function readMedia(path: string, programs: LocalPrograms, signal: AbortSignal) {
  const ffmpeg = await openLocalFfmpeg(programs);
  const media = await ffmpeg.probe(path, signal);
  const { size } = await stat(path);
  return { ...mediaFields(media), file_size_in_bytes: size, tracks: inputTrackRecords(media) };
}
