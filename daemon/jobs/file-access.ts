import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { ThumbnailSettings } from '../../src/shared/settings/thumbnails.js';

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

/** The access control list of a set of thumbnails. Settings that it does not have default to those of the output. */
export function thumbnailAccess(settings: OutputSettings, set: ThumbnailSettings): FileAccess {
  return {
    isPublic: (set.public ?? settings.public) === true,
    grants: grantsOf(set.access_control ?? settings.access_control),
  };
}

/**
 * A grant in the settings of a job. Jobs of older versions have one permission as a text, or several under the other
 * name.
 */
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
