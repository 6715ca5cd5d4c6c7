import { unescapeXml } from '../../src/shared/to-xml.js';

/** A playlist or a manifest, and the name under which it is delivered. */
interface ListedDocument {
  readonly name: string;
  readonly text: string;
}

/**
 * Verifies that playlists and manifests name only files that are delivered next to them. Keys may be elsewhere, and so
 * are addresses with a scheme. Throws `RangeError` if a file is missing.
 */
export function verifyAddresses(
  documents: readonly ListedDocument[],
  deliveredNames: ReadonlySet<string>,
): void {
  for (const { name, text } of documents) {
    const addresses = text.startsWith('#EXTM3U') ? addressesInPlaylist(text) : addressesInManifest(text);
    const missing = addresses.find((address) => !deliveredNames.has(decodeURIComponent(address)));
    if (missing !== undefined)
      throw new RangeError(`${name === '' ? 'the playlist' : name} names ${missing}, which was not written`);
  }
}

/** The addresses of segments, headers and other playlists. */
function addressesInPlaylist(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#EXT-X-KEY')) return [];
    return line.startsWith('#') ? (/URI="([^"]+)"/.exec(line)?.[1] ?? []) : line;
  });
}

/** The addresses of the files and headers of representations, and of their first segments. */
function addressesInManifest(text: string): readonly string[] {
  const media = [...text.matchAll(/ media="([^"]+)"/g)].map(([, template = '']) =>
    template.replace('$Number%05d$', '00001'),
  );
  const others = text.matchAll(/<BaseURL>([^<]+)<|initialization="([^"]+)"/g);
  return [...media, ...[...others].map(([, base, header]) => base ?? header ?? '')].map(unescapeXml);
}
