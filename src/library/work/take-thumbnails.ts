import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { invalidRequest, VencError } from '../../shared/errors.js';
import { outputTable } from '../../shared/settings/index.js';
import { parseValue } from '../../shared/settings/kinds/groups.js';
import { type ThumbnailSettings, thumbnailsTable } from '../../shared/settings/thumbnails.js';
import { namedImage, thumbnailUrl } from '../../shared/thumbnail-names.js';
import {
  foldersToCreate,
  removeEmptyFolders,
  requireAbsent,
  requireWritable,
} from '../../shared/util/check-destinations.js';
import { withRunFolder } from '../../shared/util/run-folder.js';
import { diskReason, isDiskFull, systemCode } from '../../shared/util/system-code.js';
import type { Input, Thumbnails } from '../declarations.js';
import type { CallContext } from '../process-state.js';
import { withLocalInput } from './inputs.js';
import { asGiven, outputErrorOf, withField } from './pipeline-errors.js';
import { optionError, readBoolean, readSettings } from './read-options.js';

/** Takes images of a video, and writes them into a folder. They are named as those of a set with a `base_url`. */
export async function takeThumbnails(
  input: Input,
  options: unknown,
  { signal, turns, programs, cwd }: CallContext,
): Promise<Thumbnails> {
  const names = ['output', 'overwrite', 'allow_private_network'];
  const { own, settings, fieldOf } = readSettings(options, thumbnailsTable, names);
  const { output } = own;
  if (typeof output !== 'string' || output === '')
    throw optionError('output', 'must be the path of a folder');
  const overwrite = readBoolean(own.overwrite, 'overwrite');
  const set = parseSet(settings, fieldOf);
  const folder = resolve(cwd, output);
  const baseSet = { ...set, base_url: pathToFileURL(folder).href };
  const { takeThumbnails: takeImages } = await import('../../../daemon/app/still-images.js');
  return withRunFolder((scratch) =>
    withLocalInput(input, { folder: scratch, signal, cwd, field: 'input', options }, (path) =>
      turns.runExclusive(async () => {
        const images = await takeImages(path, set, { ...programs, scratch, signal, isEmbedded: true }).catch(
          (error: unknown) => {
            throw withField(asGiven(error, fieldOf), 'input');
          },
        );
        const paths = images.map((_, index) => {
          const image = namedImage(index, { width: set.width ?? '', height: set.height ?? '' });
          return fileURLToPath(
            thumbnailUrl([baseSet], baseSet, { url: baseSet.base_url, isHosted: false }, image),
          );
        });
        return save(images, paths, { overwrite, signal });
      }, signal),
    ),
  );
}

function parseSet(
  settings: Readonly<Record<string, unknown>>,
  fieldOf: (field: string) => string,
): ThumbnailSettings {
  const parsed = parseValue(outputTable.thumbnails, settings, 'thumbnails');
  if (!('value' in parsed)) {
    const messages = 'validationErrors' in parsed ? (parsed.validationErrors as readonly string[]) : [];
    throw asGiven(
      invalidRequest(messages.map((message) => message.replace(/^thumbnails(?:\[0\])?\.?/, ''))),
      fieldOf,
    );
  }
  // The parser returns values of the types of the table.
  const [set = {}] = parsed.value as readonly ThumbnailSettings[];
  return set;
}

/** Writes all images, or none. */
async function save(
  images: readonly string[],
  paths: readonly string[],
  { overwrite, signal }: { readonly overwrite: boolean; readonly signal: AbortSignal },
): Promise<Thumbnails> {
  try {
    await requireWritable(paths, 'another folder');
    if (!overwrite) await requireAbsent(paths, 'another output');
  } catch (error) {
    throw outputErrorOf(error, 'output');
  }
  const created = await foldersToCreate(paths);
  const written: string[] = [];
  try {
    for (const [index, path] of paths.entries()) {
      signal.throwIfAborted();
      await mkdir(join(path, '..'), { recursive: true });
      written.push(path);
      await copyFile(images[index] ?? '', path);
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    await removeEmptyFolders(created);
    throw writeError(error);
  }
  const sizes = await Promise.all(paths.map((path) => stat(path).then(({ size }) => size)));
  return { files: paths.map((path, index) => ({ path, bytes: sizes[index] ?? 0 })) };
}

/** The error of images that could not be written. Errors that are not of the disk stay unchanged. */
function writeError(error: unknown): unknown {
  if (systemCode(error) === null) return error;
  const message = `The images could not be written: ${diskReason(error, 'write')}.`;
  return new VencError(isDiskFull(error) ? 'OutOfSpaceError' : 'UploadFailureError', message, {
    ...{ field: 'output', cause: error },
  });
}
