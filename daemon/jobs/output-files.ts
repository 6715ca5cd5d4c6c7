import type { OutputSettings } from '../../src/shared/settings/index.js';
import { replaceExtensionInUrl, thumbnailFileSuffix } from '../../src/shared/text/url-text.js';
import type { Job, JobOutput, JobThumbnail } from './job.js';

/** Number of thumbnails of an output (`thumbnails.number`, section 4.1); 0 if none are requested. */
export function thumbnailCount({ thumbnails }: OutputSettings): number {
  return thumbnails === undefined ? 0 : (thumbnails.number ?? 1);
}

/** Number of thumbnails of all the given outputs. */
export function totalThumbnailCount(outputs: readonly Pick<JobOutput, 'settings'>[]): number {
  return outputs.reduce((sum, { settings }) => sum + thumbnailCount(settings), 0);
}

/**
 * The URL of a thumbnail, derived from the URL of its video: `_0000.png`, `_0001.png` and so on replace the extension
 * (contract, section 9).
 */
export function thumbnailUrl(videoUrl: string, index: number): string {
  return replaceExtensionInUrl(videoUrl, thumbnailFileSuffix(index));
}

/**
 * The thumbnails of an output, created when the output finishes. Their ids follow those of all outputs, in the order of the outputs;
 * they were reserved when the job was numbered.
 */
export function thumbnailsOf(job: Job, output: JobOutput, at: string): readonly JobThumbnail[] {
  const earlier = job.outputs.slice(0, job.outputs.indexOf(output));
  const firstId = job.id + 2 + job.outputs.length + totalThumbnailCount(earlier);
  return Array.from({ length: thumbnailCount(output.settings) }, (_, index) => ({
    id: firstId + index,
    url: thumbnailUrl(output.url, index),
    createdAt: at,
    updatedAt: at,
  }));
}

/** The URLs, `hosted://TOKEN/NAME`, of the outputs and thumbnails of a job that the daemon itself hosts. Some may no longer exist. */
export function hostedFilesOf({ outputs }: Job): readonly string[] {
  return outputs
    .filter(({ destination }) => destination.startsWith('hosted:'))
    .flatMap(({ destination, thumbnails }) => [
      destination,
      ...thumbnails.map((_, index) => thumbnailUrl(destination, index)),
    ]);
}

/** What a grantee may do with a file (section 4.1 Access control). */
export type Permission = 'READ' | 'WRITE' | 'READ_ACP' | 'WRITE_ACP' | 'FULL_CONTROL';

/** The permissions of one grantee. */
export interface Grant {
  /** A canonical account id, an e-mail address or a group URI. */
  readonly grantee: string;
  readonly permissions: readonly Permission[];
}

/** The access control list of a delivered file. */
export interface FileAccess {
  /** Anybody may read the file (`public`). */
  readonly isPublic: boolean;
  readonly grants: readonly Grant[];
}

/** The access control list of the video of an output. */
export function videoAccess(settings: OutputSettings): FileAccess {
  return { isPublic: settings.public === true, grants: grantsOf(settings.access_control) };
}

/** The access control list of the thumbnails of an output. Settings that the thumbnails do not have default to those of the video. */
export function thumbnailAccess(settings: OutputSettings): FileAccess {
  const own = settings.thumbnails;
  return {
    isPublic: (own?.public ?? settings.public) === true,
    grants: grantsOf(own?.access_control ?? settings.access_control),
  };
}

/** A grant in the settings of a job. Jobs of older versions have one permission as a text, or several under the other name. */
interface StoredGrant {
  readonly grantee: string;
  readonly permission?: Permission | readonly Permission[];
  readonly permissions?: readonly Permission[];
}

function grantsOf(list: readonly StoredGrant[] = []): readonly Grant[] {
  return list.map(({ grantee, permissions = [], permission = permissions }) => ({
    grantee,
    permissions: [permission].flat(),
  }));
}
