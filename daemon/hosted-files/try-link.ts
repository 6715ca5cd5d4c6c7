import { link } from 'node:fs/promises';

/** Gives a file another name. Resolves to false if that is not possible, for example on another volume. */
export async function tryLink(path: string, toPath: string): Promise<boolean> {
  return link(path, toPath).then(
    () => true,
    // The path is taken or on another volume, or the file system has no hard links.
    () => false,
  );
}
