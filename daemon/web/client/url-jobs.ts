import { withoutPassword } from '../../../src/shared/redact.js';
import type { RequestFields } from '../../../src/shared/settings/setting.js';
import { UploadError } from './upload-file.js';
import { createJob, RejectedError } from './upload-queue.js';

/** Requests for the job of a URL: one whose answer was lost is sent again. */
const attempts = 3;

/** What was created from URLs, and what is wrong with the others. */
export interface UrlOutcome {
  readonly errors: readonly string[];
  readonly jobIds: readonly number[];
}

/** The URLs of a text area, one for each line, each once. */
export function urlsOf({ value }: HTMLTextAreaElement): readonly string[] {
  return [...new Set(linesOf(value).filter((line) => line !== ''))];
}

/**
 * Creates a job for each URL of a text area, and removes it from there: what is typed meanwhile stays. URLs that are
 * rejected stay as well. Ends at the first failure that concerns all URLs, such as a daemon that does not answer.
 * `report` gets the number of URLs that are done, and of all.
 */
export async function createUrlJobs(
  field: HTMLTextAreaElement,
  request: RequestFields,
  report: (done: number, count: number) => void,
): Promise<UrlOutcome> {
  const urls = urlsOf(field);
  const jobIds: number[] = [];
  const errors: string[] = [];
  for (const [index, input] of urls.entries()) {
    try {
      jobIds.push(await createJob({ ...request, input }, new AbortController().signal, attempts));
      field.value = linesOf(field.value)
        .filter((line) => line !== input)
        .join('\n')
        .trimStart();
    } catch (error) {
      if (error instanceof UploadError) {
        const left = urls.length - index;
        const others = left < 2 ? '' : ` ${left} URLs are left in the form.`;
        errors.push(`${error.message}${others}`);
        break;
      }
      if (!(error instanceof RejectedError)) throw error;
      const prefix = urls.length === 1 ? '' : `${withoutPassword(input)}: `;
      errors.push(...error.messages.map((message) => `${prefix}${message}`));
    }
    report(index + 1, urls.length);
  }
  return { errors: [...new Set(errors)], jobIds };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim());
}
