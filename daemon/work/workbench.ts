import type { Ffmpeg } from '../ffmpeg/ffmpeg-types.js';
import type { TransportRegistry } from '../transports/registry.js';
import type { ScratchRoom } from './scratch.js';

/** What a run needs beside its job. */
export interface Workbench {
  readonly ffmpeg: Ffmpeg;
  readonly transports: TransportRegistry;
  readonly scratch: ScratchRoom;
  readonly log: (level: 'info' | 'warn' | 'error', message: string) => void;
}
