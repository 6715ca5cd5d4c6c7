/** A storage location that jobs read from and write to by one scheme, together with the server's view of it. */
export interface StorageLocation {
  readonly scheme: string;
  /** The server program. */
  readonly against: string;
  /** Stores a file there. Resolves to the URL of an input. Null if inputs are not supported. */
  readonly offer: ((name: string, bytes: Buffer) => Promise<string>) | null;
  /** The URL of an output. Null if outputs are not supported. */
  readonly urlOf: ((name: string) => string) | null;
  /** The bytes of an output as stored by the server; null if it does not exist. */
  readonly read: (name: string) => Promise<Buffer | null>;
  /** Everything that is stored, including unfinished files. */
  readonly list: () => Promise<readonly string[]>;
  /** The passwords in its URLs, in plain text and percent-encoded. */
  readonly secrets: readonly string[];
  /** The settings of a daemon's configuration for it. */
  readonly env: Readonly<Record<string, string>>;
  readonly end: () => Promise<void>;
}

/** A path in a URL: every segment is percent-encoded, including "'". */
export function pathInUrl(path: string): string {
  return path.split('/').map(inUrl).join('/');
}

/** A text in a URL, with every special character percent-encoded. */
export function inUrl(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A password in plain text and percent-encoded, for searches. */
export function spellings(secret: string): readonly string[] {
  return [...new Set([secret, encodeURI(secret), encodeURIComponent(secret), inUrl(secret)])];
}
