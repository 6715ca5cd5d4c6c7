/** The upload of a file that is not over: a browser that was closed can continue it. */
interface SavedUpload {
  readonly token: string;
  readonly path: string;
  /** When it began. */
  readonly at: number;
}

/** The daemon keeps what it has received for 24 hours. In milliseconds. */
const keptMs = 86_400_000;

/** The tokens of the uploads of an account that are not over, in the storage of the browser. */
export class SavedUploads {
  readonly #prefix: string;

  constructor(account: string) {
    this.#prefix = `venc upload ${JSON.stringify(account)} `;
  }

  /** The token for a file: that of an earlier upload of the same file, which is continued, or a new one. */
  tokenOf(path: string, file: File): { readonly token: string; readonly isContinued: boolean } {
    const known = readSaved(this.#nameOf(path, file));
    if (known !== null) return { token: known.token, isContinued: true };
    const token = newToken();
    try {
      const saved: SavedUpload = { token, path, at: Date.now() };
      localStorage.setItem(this.#nameOf(path, file), JSON.stringify(saved));
    } catch {
      // Without the storage, an upload goes on as long as the document is open.
    }
    return { token, isContinued: false };
  }

  /** Forgets the token of an upload that is over. */
  forget(path: string, file: File): void {
    try {
      localStorage.removeItem(this.#nameOf(path, file));
    } catch {
      // Nothing was saved.
    }
  }

  /** The paths of the files whose upload has begun. Forgets those that the daemon has removed by now. */
  paths(): readonly string[] {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(this.#prefix));
      return names.flatMap((name) => {
        const saved = readSaved(name);
        if (saved !== null) return [saved.path];
        localStorage.removeItem(name);
        return [];
      });
    } catch {
      return [];
    }
  }

  #nameOf(path: string, { size, lastModified }: File): string {
    return `${this.#prefix}${JSON.stringify([path, size, lastModified])}`;
  }
}

function readSaved(name: string): SavedUpload | null {
  try {
    const saved = JSON.parse(localStorage.getItem(name) ?? 'null') as SavedUpload | null;
    return saved !== null && Date.now() - saved.at < keptMs ? saved : null;
  } catch {
    return null;
  }
}

/** 32 hexadecimal digits that nobody can guess. `crypto.randomUUID` is missing on plain HTTP. */
export function newToken(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
