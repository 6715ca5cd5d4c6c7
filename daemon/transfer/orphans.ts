/** Something unfinished that lies at a server, and would lie there for good if this program were ended now. */
export interface Orphan {
  /** Where the whole file was to go; its scheme says who can take the rest away. May hold a password. */
  readonly url: string;
  /** What the transport knows it by there: a temporary path, the id of an upload in parts. */
  readonly name: string;
  /** Folders that were made for it there, the outermost first: taken away, too, where nothing else has come to lie in them. */
  readonly folders?: readonly string[];
}

/**
 * Remembers what lies unfinished at servers, so that what a killed daemon left there is taken away at the next start. A note is on disk
 * before the upload begins, and is deleted when the upload is complete or removed.
 */
export interface CleanupJournal {
  /** Adds an entry. Resolves, once the entry survives a crash, to a function that deletes it. */
  add(orphan: Orphan): Promise<() => Promise<void>>;
}

/** For a program that keeps nothing on disk: what it leaves when it is killed stays. */
export const noCleanupJournal: CleanupJournal = { add: async () => async () => {} };
