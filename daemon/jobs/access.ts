import type { OutputSettings } from '../../src/shared/settings/index.js';

/** What somebody may do with a file (section 4.1 Access control). */
export type Permission = 'READ' | 'WRITE' | 'FULL_CONTROL';

/** Somebody, and what they may do. */
export interface Grant {
  /** A canonical account id, an e-mail address or a group URI. */
  readonly grantee: string;
  readonly permissions: readonly Permission[];
}

/** Who may do what with a delivered file. */
export interface FileAccess {
  /** Everybody may read it (`public`). */
  readonly isPublic: boolean;
  readonly grants: readonly Grant[];
}

/** Who may do what with the video of an output. */
export function videoAccess(settings: OutputSettings): FileAccess {
  return { isPublic: settings.public === true, grants: grantsOf(settings.access_control) };
}

/** Who may do what with the thumbnails of an output: as with its video, as far as they have no settings of their own. */
export function thumbnailAccess(settings: OutputSettings): FileAccess {
  const own = settings.thumbnails;
  return {
    isPublic: (own?.public ?? settings.public) === true,
    grants: grantsOf(own?.access_control ?? settings.access_control),
  };
}

function grantsOf(list: OutputSettings['access_control'] = []): readonly Grant[] {
  return list.map(({ grantee, permission, permissions }) => ({
    grantee,
    permissions: permissions ?? (permission === undefined ? [] : [permission]),
  }));
}
