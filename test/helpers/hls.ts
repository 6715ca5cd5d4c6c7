/** A segment of a media playlist, as its lines say. */
export interface ListedSegment {
  readonly uri: string;
  readonly seconds: number;
  readonly range: { readonly offset: number; readonly size: number } | null;
  /** The attributes of the last `EXT-X-KEY` before it. */
  readonly key: Readonly<Record<string, string>> | null;
}

/** A playlist of HTTP Live Streaming. */
export interface ParsedPlaylist {
  /** Values of the tags that occur once, by name; those without a value are empty. */
  readonly tags: Readonly<Record<string, string>>;
  readonly segments: readonly ListedSegment[];
  readonly streams: readonly (Readonly<Record<string, string>> & { readonly uri: string })[];
  /** Attributes of the tags that name other playlists. */
  readonly media: readonly Readonly<Record<string, string>>[];
  readonly keyframeStreams: readonly Readonly<Record<string, string>>[];
}

/** Reads a playlist. Throws on a line that it does not know, so that a test finds every tag that venc writes. */
export function parsePlaylist(text: string): ParsedPlaylist {
  const lines = text.split('\n');
  if (lines.shift() !== '#EXTM3U' || lines.pop() !== '') throw new Error(`not a playlist: ${text}`);
  const tags: Record<string, string> = {};
  const segments: ListedSegment[] = [];
  const streams: (Record<string, string> & { uri: string })[] = [];
  const media: Readonly<Record<string, string>>[] = [];
  const keyframeStreams: Readonly<Record<string, string>>[] = [];
  let next: Partial<Record<string, string>> = {};
  let key: Readonly<Record<string, string>> | null = null;
  for (const line of lines) {
    const [, name, value = ''] = /^#(EXT[A-Z0-9-]*)(?::(.*))?$/.exec(line) ?? [];
    if (name === undefined) {
      if (line.startsWith('#') || line === '') throw new Error(`an unknown line: ${line}`);
      if (next['EXT-X-STREAM-INF'] !== undefined) {
        streams.push({ ...attributesOf(next['EXT-X-STREAM-INF']), uri: line });
      } else {
        const [, size, offset] = /^(\d+)@(\d+)$/.exec(next['EXT-X-BYTERANGE'] ?? '') ?? [];
        const range = size === undefined ? null : { size: Number(size), offset: Number(offset) };
        const [, seconds = ''] = /^(\d+(?:\.\d{6})?),$/.exec(next.EXTINF ?? '') ?? [];
        if (seconds === '') throw new Error(`a segment without a duration: ${line}`);
        segments.push({ uri: line, seconds: Number(seconds), range, key });
      }
      next = {};
    } else if (name === 'EXT-X-KEY') key = attributesOf(value);
    else if (name === 'EXT-X-MEDIA') media.push(attributesOf(value));
    else if (name === 'EXT-X-I-FRAME-STREAM-INF') keyframeStreams.push(attributesOf(value));
    else if (['EXTINF', 'EXT-X-BYTERANGE', 'EXT-X-STREAM-INF'].includes(name)) next[name] = value;
    else {
      if (tags[name] !== undefined) throw new Error(`${name} occurs twice`);
      tags[name] = value;
    }
  }
  return { tags, segments, streams, media, keyframeStreams };
}

/** The attributes of a tag, by name, without their quotes. */
export function attributesOf(list: string): Readonly<Record<string, string>> {
  const found = [...list.matchAll(/([A-Z0-9-]+)=("[^"]*"|[^,]*)(?:,|$)/g)];
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value.replaceAll('"', '')]));
}
