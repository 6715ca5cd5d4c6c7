import type { AttachmentFacts, CoverFacts } from '../../jobs/media.js';
import { isCover, numberAt, type ProbeObject, tagAt, textAt } from './probe-fields.js';
import { plainText } from './read-tags.js';

/** Longer lists are cut: a film has up to a few hundred fonts. */
const maxItems = 500;
const maxLength = 255;

/** The images that a file shows for itself, and the files in it, as members of `MediaFacts`. */
export function readAttached(streams: readonly ProbeObject[]): {
  readonly covers?: readonly CoverFacts[];
  readonly attachments?: readonly AttachmentFacts[];
} {
  const covers = streams.filter(isCover).map(coverFacts).slice(0, maxItems);
  const attachments = streams
    .filter((stream) => textAt(stream, 'codec_type') === 'attachment')
    .map(attachmentFacts)
    .slice(0, maxItems);
  return {
    ...(covers.length === 0 ? {} : { covers }),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

function coverFacts(stream: ProbeObject): CoverFacts {
  const hasSize = (numberAt(stream, 'width') ?? 0) > 0 && (numberAt(stream, 'height') ?? 0) > 0;
  return {
    ...streamFacts(stream),
    ...named('fileName', stream, 'filename'),
    ...named('title', stream, 'title'),
    ...named('shows', stream, 'comment'),
    ...(hasSize ? {} : { hasNoSize: true }),
  };
}

function attachmentFacts(stream: ProbeObject): AttachmentFacts {
  return {
    ...streamFacts(stream),
    ...named('fileName', stream, 'filename'),
    ...named('mimeType', stream, 'mimetype'),
  };
}

function streamFacts(stream: ProbeObject): Pick<CoverFacts, 'streamIndex' | 'codec'> {
  return { streamIndex: numberAt(stream, 'index') ?? 0, codec: textAt(stream, 'codec_name') ?? 'unknown' };
}

/** A member with the text of a tag, on one line; none if there is no text. */
function named<Name extends string>(
  name: Name,
  stream: ProbeObject,
  tag: string,
): { readonly [N in Name]?: string } {
  const text = plainText(tagAt(stream, tag) ?? '')
    .replaceAll('\n', ' ')
    .slice(0, maxLength);
  return text === '' ? {} : ({ [name]: text } as { readonly [N in Name]: string });
}
