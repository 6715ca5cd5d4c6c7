import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Other names of the input: what prepares one, and its name below the folder. */
export const otherNames: readonly (readonly [string, (folder: string) => void, string])[] = [
  ['the input itself', () => {}, 'me.mp4'],
  ['its path with other segments', (folder) => mkdirSync(join(folder, 'a')), 'a/../me.mp4'],
  ['a hard link', (folder) => linkSync(join(folder, 'me.mp4'), join(folder, 'hard.mp4')), 'hard.mp4'],
  ['a symbolic link', (folder) => symlinkSync('me.mp4', join(folder, 'soft.mp4')), 'soft.mp4'],
  ['a link to its folder', (folder) => symlinkSync('.', join(folder, 'folder')), 'folder/me.mp4'],
];
