import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The players of the tests. */
export const playerNames = ['hls.js', 'dash.js', 'shaka-player'] as const;
/** A player. */
export type PlayerName = (typeof playerNames)[number];

/** The script that a page loads, and the adapter that gives each player the same functions. */
interface PlayerScript {
  /** The path of the script in node_modules. */
  readonly script: string;
  /**
   * Evaluates to an object with `attach(url)`, `levels()` (heights), `force(height)`, `languages()` of the audio,
   * `spoken()`, which is the current one, `speak(language)` and `subtitles()`. It pushes errors to `errors`.
   */
  readonly adapter: string;
}

const scripts: Readonly<Record<PlayerName, PlayerScript>> = {
  'hls.js': {
    script: 'hls.js/dist/hls.js',
    adapter: `(() => {
      const hls = new Hls();
      // The video of a transport stream begins a few frames after its first decoding time, which hls.js takes for 0.
      const isStart = ({ details }) => details === 'bufferSeekOverHole' && video.currentTime < 0.5;
      // With media ahead it is not the stream that stalls, but a busy machine: playback goes on, or the test ends with a timeout.
      const isBusy = ({ details, buffer }) => details === 'bufferStalledError' && buffer > 1;
      const isFailure = (data) => data.fatal || !(isStart(data) || isBusy(data));
      hls.on(Hls.Events.ERROR, (_, data) => { if (isFailure(data)) errors.push(data.details); });
      return {
        attach: async (url) => { hls.loadSource(url); hls.attachMedia(video); },
        levels: () => hls.levels.map(({ height }) => height ?? 0),
        force: (height) => { hls.currentLevel = hls.levels.findIndex((level) => level.height === height); },
        subtitles: () => hls.subtitleTracks.map(({ lang }) => lang),
        languages: () => hls.audioTracks.map(({ lang }) => lang),
        spoken: () => hls.audioTracks[hls.audioTrack]?.lang,
        speak: (lang) => { hls.audioTrack = hls.audioTracks.findIndex((track) => track.lang === lang); },
      };
    })()`,
  },
  'dash.js': {
    script: 'dashjs/dist/modern/umd/dash.all.debug.js',
    adapter: `(() => {
      const player = dashjs.MediaPlayer().create();
      player.initialize();
      player.updateSettings({ debug: { logLevel: 0 } });
      player.on('error', ({ error }) => errors.push(String(error.message ?? error)));
      const representations = () => player.getRepresentationsByType('video');
      return {
        attach: async (url) => { player.attachView(video); player.attachSource(url); },
        levels: () => representations().map(({ height }) => height),
        force: (height) => {
          player.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: false } } } });
          const index = representations().findIndex((one) => one.height === height);
          player.setRepresentationForTypeByIndex('video', index, true);
        },
        subtitles: () => player.getTracksFor('text').map(({ lang }) => lang),
        languages: () => player.getTracksFor('audio').map(({ lang }) => lang),
        spoken: () => player.getCurrentTrackFor('audio')?.lang,
        speak: (lang) => player.setCurrentTrack(player.getTracksFor('audio').find((track) => track.lang === lang)),
      };
    })()`,
  },
  'shaka-player': {
    script: 'shaka-player/dist/shaka-player.compiled.debug.js',
    adapter: `(() => {
      const player = new shaka.Player();
      player.addEventListener('error', ({ detail }) => errors.push('code ' + detail.code + ' ' + detail.data));
      return {
        attach: async (url) => { await player.attach(video); await player.load(url); },
        levels: () => player.getVariantTracks().map(({ height }) => height ?? 0),
        force: (height) => {
          player.configure({ abr: { enabled: false } });
          player.selectVariantTrack(player.getVariantTracks().find((track) => track.height === height), true);
        },
        subtitles: () => player.getTextTracks().map(({ language }) => language),
        languages: () => player.getAudioTracks().map(({ language }) => language),
        spoken: () => player.getAudioTracks().find(({ active }) => active)?.language,
        speak: (lang) => player.selectAudioTrack(player.getAudioTracks().find(({ language }) => language === lang)),
      };
    })()`,
  },
};

function pageOf(player: PlayerName): string {
  return `<!doctype html><title>${player}</title><style>body { margin: 0 } video { width: 640px }</style>
<video id="video" muted></video><pre id="state"></pre><script src="/${player}/script"></script><script>
const video = document.getElementById('video');
const errors = [];
addEventListener('error', ({ message }) => errors.push(message));
addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));
const adapter = ${scripts[player].adapter};
let analyser = null;
const listen = () => {
  const context = new AudioContext();
  analyser = new AnalyserNode(context, { fftSize: 8192, smoothingTimeConstant: 0 });
  context.createMediaElementSource(video).connect(analyser);
  video.muted = false;
};
const tone = () => {
  if (analyser === null) return null;
  const strengths = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(strengths);
  return (strengths.indexOf(Math.max(...strengths)) * analyser.context.sampleRate) / analyser.fftSize;
};
const ranges = (list) => Array.from({ length: list.length }, (_, index) => [list.start(index), list.end(index)]);
const state = () => {
  const quality = video.getVideoPlaybackQuality();
  return {
    currentTime: video.currentTime, duration: video.duration, buffered: ranges(video.buffered), height: video.videoHeight,
    frames: quality.totalVideoFrames, hasEnded: video.ended, levels: adapter.levels(), subtitles: adapter.subtitles(),
    languages: adapter.languages(), spoken: adapter.spoken() ?? null, tone: tone(), errors,
  };
};
const showState = () => {
  const { currentTime, buffered, height, levels, languages, spoken, tone, errors } = state();
  const shown = { currentTime, buffered, height, levels, languages, spoken, tone, errors };
  document.getElementById('state').textContent = JSON.stringify(shown, null, 1);
};
</script>`;
}

/** A server of pages with a player each, which load their media from elsewhere. */
export interface PlayerPages {
  /** The address of the page of a player. */
  readonly urlOf: (player: PlayerName) => string;
  readonly close: () => void;
}

/** Starts the server. Its origin is not that of the media, so that the players need the headers for other origins. */
export async function startPlayerPages(): Promise<PlayerPages> {
  const server = createServer(async (request, response) => {
    const [, player, file] = (request.url ?? '').split('/');
    const name = playerNames.find((one) => one === player);
    if (name === undefined) response.writeHead(404).end();
    else if (file === 'script') {
      const path = new URL(`../../${scripts[name].script}`, import.meta.resolve('uvu'));
      response.setHeader('Content-Type', 'text/javascript').end(await readFile(path));
    } else response.setHeader('Content-Type', 'text/html').end(pageOf(name));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (player) => `http://127.0.0.1:${port}/${player}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
