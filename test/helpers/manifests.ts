import { createRequire } from 'node:module';

/** A segment, as the parser of a player reads it from a manifest. */
export interface ManifestSegment {
  readonly uri: string;
  /** Its address; the manifest is in the folder `http://manifest/`. */
  readonly resolvedUri: string;
  readonly duration: number;
  readonly map: { readonly uri: string };
}

/** A rendition in a manifest. */
export interface ManifestRendition {
  readonly attributes: {
    readonly BANDWIDTH: number;
    readonly CODECS: string;
    readonly RESOLUTION?: { readonly width: number; readonly height: number };
    readonly 'FRAME-RATE'?: number;
  };
  readonly segments: readonly ManifestSegment[];
  readonly sidx?: {
    readonly uri: string;
    readonly byterange: { readonly offset: number; readonly length: number };
  };
}

interface ParsedManifest {
  readonly duration: number;
  readonly playlists: readonly ManifestRendition[];
  readonly mediaGroups: Readonly<
    Record<
      string,
      Readonly<Record<string, Readonly<Record<string, { readonly playlists: readonly ManifestRendition[] }>>>>
    >
  >;
}

/** Reads a manifest of DASH with the parser of a player (mpd-parser), which has no types. */
export function parseManifest(text: string): ParsedManifest {
  const parser = createRequire(import.meta.url)('mpd-parser');
  return parser.parse(text, { manifestUri: 'http://manifest/a.mpd' });
}

/** A playlist of HTTP Live Streaming, as the parser of a player reads it. */
interface PlayerPlaylist {
  readonly segments: readonly { readonly uri: string; readonly duration: number }[];
  readonly playlists: readonly {
    readonly uri: string;
    readonly attributes: {
      readonly CODECS?: string;
      readonly RESOLUTION?: { readonly width: number; readonly height: number };
    };
  }[];
  readonly mediaGroups: Readonly<
    Record<string, Readonly<Record<string, Readonly<Record<string, { readonly language: string }>>>>>
  >;
}

/** Reads a playlist with the parser of a player (m3u8-parser), which has no types. Throws if the parser warns about it. */
export function parseAsPlayer(text: string): PlayerPlaylist {
  const { Parser } = createRequire(import.meta.url)('m3u8-parser');
  const parser = new Parser();
  parser.on('warn', ({ message }: { readonly message: string }) => {
    throw new Error(`${message}: ${text}`);
  });
  parser.push(text);
  parser.end();
  const { segments = [], playlists = [], mediaGroups = {} } = parser.manifest;
  return { segments, playlists, mediaGroups };
}
