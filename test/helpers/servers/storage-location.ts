/** Somewhere that the files of a job come from and go to, by one scheme, and the other side's own view of it. */
export interface StorageLocation {
  readonly scheme: string;
  /** The program that serves it. */
  readonly against: string;
  /** Puts a file there. Resolves to the URL of an input. Null where there are no inputs. */
  readonly offer: ((name: string, bytes: Buffer) => Promise<string>) | null;
  /** The URL of an output. Null where there are none. */
  readonly urlOf: ((name: string) => string) | null;
  /** The bytes under the name of an output, as the server has them; null where nothing is. */
  readonly read: (name: string) => Promise<Buffer | null>;
  /** Everything that is there, what is unfinished included. */
  readonly list: () => Promise<readonly string[]>;
  /** The passwords in its URLs, as they are and as URLs spell them. */
  readonly secrets: readonly string[];
  /** What the configuration of a daemon has to say of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly end: () => Promise<void>;
}

/** A path in a URL: every part percent-encoded, "'" and its like too. */
export function pathInUrl(path: string): string {
  return path.split('/').map(inUrl).join('/');
}

/** A text in a URL, with everything escaped that could mean anything there. */
export function inUrl(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A password as it is and as it is spelt, for searches. */
export function spellings(secret: string): readonly string[] {
  return [...new Set([secret, encodeURI(secret), encodeURIComponent(secret), inUrl(secret)])];
}
