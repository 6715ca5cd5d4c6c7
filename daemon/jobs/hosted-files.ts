import type { Job } from './job.js';
import { thumbnailUrl } from './thumbnails.js';

/** The addresses, `hosted://TOKEN/NAME`, at which the daemon itself keeps the outputs of a job and their thumbnails. Some may be gone. */
export function hostedFilesOf({ outputs }: Job): readonly string[] {
  return outputs
    .filter(({ destination }) => destination.startsWith('hosted:'))
    .flatMap(({ destination, thumbnails }) => [
      destination,
      ...thumbnails.map((_, index) => thumbnailUrl(destination, index)),
    ]);
}
