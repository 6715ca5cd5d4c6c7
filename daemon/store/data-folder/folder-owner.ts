import { type Disk, realDisk } from '../../../src/shared/util/disk.js';
import { chownToOwnerOf } from '../../../src/shared/util/give-to-owner.js';

/** The disk of this machine, on which new files belong to the user whose folder this is, whoever writes them. */
export function diskOfOwner(folder: string): Disk {
  return {
    ...realDisk,
    async create(path) {
      const file = await realDisk.create(path);
      await chownToOwnerOf(folder, path);
      return file;
    },
  };
}
