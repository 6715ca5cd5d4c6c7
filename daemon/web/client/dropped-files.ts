import { isMediaName, isNeverInput, passedOverText } from '../../../src/shared/settings/input-files.js';

/** A file that was chosen. */
export interface ChosenFile {
  readonly file: File;
  /** Its path, which begins with the folder that was chosen, or its name. */
  readonly path: string;
}

/** What was dropped or chosen. */
export interface ChosenFiles {
  readonly files: readonly ChosenFile[];
  /** What was passed over, as sentences. */
  readonly notes: readonly string[];
}

/**
 * The inputs among files that were dropped or chosen, as `venc submit` finds them in a folder: media files by their
 * extension, without hidden files, sorted by path. One file alone is an input whatever its extension.
 */
export function chooseInputs(files: readonly ChosenFile[], unreadable = 0): ChosenFiles {
  const isAlone = files.length === 1 && files[0]?.path.includes('/') === false;
  const visible = files.filter(
    ({ path }) => isAlone || !path.split('/').some((part) => part.startsWith('.')),
  );
  const isInput = ({ path }: ChosenFile) => !isNeverInput(path) && (isAlone || isMediaName(path));
  const passedOver = visible.filter((one) => !isInput(one)).map(({ path }) => path);
  return {
    files: visible
      .filter(isInput)
      .toSorted((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0)),
    notes: [
      ...(passedOver.length === 0 ? [] : [`Passed over ${passedOverText(passedOver)}.`]),
      ...(unreadable === 0
        ? []
        : [`${unreadable} ${unreadable === 1 ? 'file or folder' : 'files or folders'} could not be read.`]),
    ],
  };
}

/** The inputs of a field. A field for a folder has paths. */
export function filesOfField({ files }: HTMLInputElement): ChosenFiles {
  return chooseInputs(
    [...(files ?? [])].map((file) => ({
      file,
      path: file.webkitRelativePath === '' ? file.name : file.webkitRelativePath,
    })),
  );
}

/** The inputs that were dropped, also those in folders. To be called while the event is handled. */
export async function filesOfDrop({ items }: DataTransfer): Promise<ChosenFiles> {
  // The items are gone after the event.
  const dropped = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found: ChosenFile[] = [];
  let unreadable = 0;
  const read = async (entry: FileSystemEntry): Promise<void> => {
    if (entry.name.startsWith('.') && entry.fullPath.lastIndexOf('/') > 0) return;
    try {
      if (entry.isFile)
        found.push({
          file: await fileOf(entry as FileSystemFileEntry),
          path: entry.fullPath.replace(/^\//, ''),
        });
      else for (const inner of await entriesOf(entry as FileSystemDirectoryEntry)) await read(inner);
    } catch {
      unreadable += 1;
    }
  };
  for (const { entry, file } of dropped) {
    if (entry !== null) await read(entry);
    else if (file !== null) found.push({ file, path: file.name });
  }
  return chooseInputs(found, unreadable);
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** What is in a folder: a reader has some at a time, and none at the end. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}
