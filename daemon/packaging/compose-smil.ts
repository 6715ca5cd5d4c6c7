import type { StreamSettings } from '../../src/shared/settings/playlists.js';
import { isUrl } from '../../src/shared/text/url-text.js';
import { escapeXml } from '../../src/shared/to-xml.js';
import type { JobOutput } from '../jobs/job.js';
import { displaySize } from '../jobs/media.js';
import { relativeAddress } from '../jobs/playlists.js';
import { streamsOf } from './playlist-sources.js';

/**
 * Composes a playlist for servers of RTMP (SMIL 2.0): the files of several outputs of a job, which have all ended.
 * Throws `SkippedSourceError` if no stream is left or one is missing that must not be, and `SourceFailedError` if a
 * source failed.
 */
export function composeSmil(playlist: JobOutput, outputs: readonly JobOutput[]): string {
  const { smil_base_url: base } = playlist.settings;
  const videos = streamsOf(playlist, outputs).map(({ settings, source }) =>
    videoLine(settings, source, playlist),
  );
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<smil>',
    base === undefined ? '  <head/>' : `  <head><meta base="${attribute(base)}"/></head>`,
    '  <body>',
    '    <switch>',
    ...videos,
    '    </switch>',
    '  </body>',
    '</smil>',
  ];
  return `${lines.join('\n')}\n`;
}

function videoLine(stream: StreamSettings, source: JobOutput | null, playlist: JobOutput): string {
  const path = stream.path ?? relativeAddress(playlist.url, source?.url ?? '');
  const { width, height } = sizeOf(stream, source);
  const attributes = {
    src: isUrl(path) ? path : `mp4:${path}`,
    'system-bitrate': bitrateOf(stream, source),
    width,
    height,
  };
  const text = Object.entries(attributes).map(([name, value]) =>
    value === null ? '' : ` ${name}="${attribute(String(value))}"`,
  );
  return `      <video${text.join('')}/>`;
}

/** Bits per second. */
function bitrateOf({ bandwidth }: StreamSettings, source: JobOutput | null): number | null {
  if (bandwidth !== undefined) return Math.round(bandwidth * 1000);
  const kbps = source?.media?.totalBitrateKbps ?? null;
  return source?.rendition?.peakBitrate ?? (kbps === null ? null : Math.round(kbps * 1000));
}

function sizeOf(stream: StreamSettings, source: JobOutput | null) {
  const video = source?.media?.video ?? null;
  const measured = video === null ? null : displaySize(video);
  return {
    width: stream.width ?? stream.resolution?.width ?? measured?.width ?? null,
    height: stream.height ?? stream.resolution?.height ?? measured?.height ?? null,
  };
}

function attribute(text: string): string {
  return escapeXml(text).replaceAll('"', '&quot;');
}
