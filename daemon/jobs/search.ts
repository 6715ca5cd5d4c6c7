import { hasGeneratedName } from '../../src/shared/file-labels.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import type { Job } from './job.js';

/** What a job must have to be found. */
export interface JobTerms {
  /** A text that occurs in one of its searched texts, in upper or lower case. */
  readonly text?: string;
  /** The label of one of its outputs. */
  readonly label?: string;
}

/** A text in the form in which texts are compared: the case and the composition of characters do not count. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Returns whether a job has all terms. */
export function jobMatcher({ text, label }: JobTerms): (job: Job) => boolean {
  const wanted = text === undefined ? null : foldText(text);
  return (job) =>
    (label === undefined || job.outputs.some((output) => output.label === label)) &&
    (wanted === null || searchedTexts(job, wanted.length).some((found) => foldText(found).includes(wanted)));
}

/** The length of the shortest name that the daemon generates, without extension. */
const generatedLength = 32;

/**
 * The texts of a job that a search reads, as responses show them, so that nobody finds a job by a secret: its id, the
 * name and the URL of its input, the labels and file names of its outputs, and why they failed. Generated file names
 * only for a text as long as they are: they have most short numbers in them.
 */
function searchedTexts({ id, inputName = '', input, outputs }: Job, length: number): readonly string[] {
  const url = withoutPassword(input.url);
  const fileName = fileNameInUrl(url);
  return [
    String(id),
    withoutPassword(inputName),
    // The rest of the URL of an uploaded file is internal.
    ...(url.startsWith('upload:') ? [fileName] : [url, fileName]),
    input.failure?.message ?? '',
    ...outputs.flatMap((output) => [
      output.label ?? '',
      length < generatedLength && hasGeneratedName(output.url)
        ? ''
        : fileNameInUrl(withoutPassword(output.url)),
      output.failure?.message ?? '',
    ]),
  ];
}
