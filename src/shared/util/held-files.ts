import { resolve } from 'node:path';

/** The descriptors of held files, by the paths of the links to them. One table, because descriptors are the process's. */
const held = new Map<string, number>();

/**
 * Records that a link leads to an open file of this process, so that programs which read the link inherit the file. The
 * text of the link is no proof of that: a program may have replaced it. Returns what ends it.
 */
export function holdFile(link: string, descriptor: number): () => void {
  const path = resolve(link);
  held.set(path, descriptor);
  return () => {
    if (held.get(path) === descriptor) held.delete(path);
  };
}

/** The descriptor of the open file that a link leads to; null if it does not. */
export function heldDescriptor(link: string): number | null {
  return held.get(resolve(link)) ?? null;
}
