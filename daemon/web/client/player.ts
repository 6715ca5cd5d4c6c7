import { attempt, Reason, root, say } from './call.js';

interface HlsPlayer {
  loadSource(url: string): void;
  attachMedia(video: HTMLMediaElement): void;
  on(event: string, listener: (event: string, data: { fatal: boolean; details: string }) => void): void;
  destroy(): void;
}
interface HlsModule {
  new (options: { enableWorker: boolean }): HlsPlayer;
  isSupported(): boolean;
}

const cannotPlay = 'This browser cannot play the file. Download it instead.';

/** Shows a player of a file below the button of an event. The code for HLS is loaded only for a playlist. */
export function playIn(address: string, event: Event): void {
  const button = event.currentTarget as HTMLButtonElement;
  const player = button.closest('.links');
  if (player === null || player.querySelector('video') !== null) return;
  void attempt(() => play(new URL(address, location.href).href, player));
}

async function play(url: string, place: Element): Promise<void> {
  const video = document.createElement('video');
  video.controls = true;
  video.playsInline = true;
  video.onerror = () => say(cannotPlay);
  if (/\.m3u8$/.test(new URL(url).pathname) && video.canPlayType('application/vnd.apple.mpegurl') === '') {
    const Hls = await loadHls();
    if (!Hls.isSupported()) throw new Reason('This browser cannot play HLS. Download the file instead.');
    // A worker would be a blob, which the page's policy forbids.
    const hls = new Hls({ enableWorker: false });
    hls.on('hlsError', (_, { fatal, details }) => {
      if (fatal) say(`The stream cannot be played: ${details}.`);
    });
    hls.loadSource(url);
    hls.attachMedia(video);
  } else video.src = url;
  place.append(video);
  await video.play().catch(() => {
    // A video that waits for a click has no error.
    if (video.error !== null) throw new Reason(cannotPlay);
  });
}

/** Loads the code that plays HLS, once. Rejects if it cannot be loaded. */
function loadHls(): Promise<HlsModule> {
  const { Hls: loaded } = globalThis as { readonly Hls?: HlsModule };
  if (loaded !== undefined) return Promise.resolve(loaded);
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = root + document.body.dataset.player;
    script.onload = () => resolve((globalThis as unknown as { readonly Hls: HlsModule }).Hls);
    script.onerror = () => reject(new Error('The player could not be loaded.'));
    document.head.append(script);
  });
}
