import type {
  CreateJobRequest,
  JobProgress,
  OutputMediaFile,
  OutputSettings,
  Thumbnails as ThumbnailSet,
} from '../api-types/api-types.js';

/*
 * What `import 'venc'` offers, as the build publishes it in index.d.ts: only declarations, which need no other package.
 * index.ts implements them.
 */

/** A signal that cancels a call, such as that of an `AbortController`. */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A stream of the Web, such as the body of a response. */
export interface WebReadable {
  getReader(): {
    read(): Promise<{ done: boolean; value?: unknown }>;
    cancel(reason?: unknown): Promise<void>;
    releaseLock(): void;
  };
}

/** A stream of the Web that takes bytes. */
export interface WebWritable {
  getWriter(): {
    write(chunk: Uint8Array): Promise<void>;
    close(): Promise<void>;
    abort(reason?: unknown): Promise<void>;
    releaseLock(): void;
  };
}

/** A stream of Node.js that takes bytes, such as the response of a server. */
export interface NodeWritable {
  write(chunk: Uint8Array, callback: (error?: Error | null) => void): boolean;
  end(callback?: () => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * What is read: the path of a file, a URL (`file:`, `http:`, `https:`, `ftp:`, `sftp:`, `s3:` and others), or a stream of
 * bytes. A stream is stored in the temporary folder first.
 */
export type Input = string | { readonly href: string } | AsyncIterable<Uint8Array | string> | WebReadable;

/**
 * Where an output goes: the path of a file, a URL, or a stream. A stream needs `format`: `ts`, `mkv`, `webm`, `mp3`, `aac`,
 * `ogg` or `m4f`, which is MP4 in fragments. It is ended at the end, and destroyed if the encoding fails.
 */
export type Destination = string | { readonly href: string } | NodeWritable | WebWritable;

/** A name of the service (`video_bitrate`) in camel case (`videoBitrate`). */
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** Objects of the service whose names may also be in camel case, also those in them. */
export type EitherSpelling<T> = T extends readonly (infer Item)[]
  ? readonly EitherSpelling<Item>[]
  : T extends { readonly [name: string]: string }
    ? T
    : T extends object
      ? { readonly [Name in keyof T as Name | CamelCase<Name & string>]: EitherSpelling<T[Name]> }
      : T;

/** Settings that have no place here: `output` names the destination, and only a daemon sends notifications. */
export type SettingsOfDaemon = 'url' | 'base_url' | 'filename' | 'notifications';

/** The settings of an output, by the names of the service (`video_bitrate`) or in camel case (`videoBitrate`). */
export interface Settings extends EitherSpelling<Omit<OutputSettings, SettingsOfDaemon>> {}

/** The settings of a job, with the names of the service or in camel case. */
export interface JobSettings
  extends EitherSpelling<
    Omit<CreateJobRequest, Exclude<keyof OutputSettings, 'strict'> | 'input' | 'outputs' | 'mock' | 'api_key'>
  > {}

/** The settings of one of several outputs, and where it goes. */
export interface OutputOptions extends Settings {
  readonly output: Destination;
}

/** Options of every function that reads a file. */
export interface ReadOptions {
  /** Allows URLs in private networks. Addresses of metadata services are never allowed. False by default. */
  readonly allowPrivateNetwork?: boolean;
}

/** Options of `encode` for all outputs. */
export interface CommonOptions extends JobSettings, ReadOptions {
  /** Replaces existing files. False by default: then an existing file is an error. */
  readonly overwrite?: boolean;
  /** While this encode runs, at most so many run in this process. Only lower values than that of `configure` count. */
  readonly concurrency?: number;
}

/** No settings of an output: where there are several, each has its own. */
export type NoSettings = { readonly [Name in Exclude<keyof Settings, keyof CommonOptions>]?: undefined };

/** What `encode` makes: settings with one `output`, or several `outputs` with settings of their own. */
export type EncodeOptions =
  | (Settings & CommonOptions & { readonly output: Destination; readonly outputs?: undefined })
  | (NoSettings &
      CommonOptions & { readonly outputs: readonly OutputOptions[]; readonly output?: undefined });

/** The options of `plan`: those of `encode`, but `output` may be missing. */
export type PlanOptions =
  | EncodeOptions
  | (Settings & CommonOptions & { readonly output?: undefined; readonly outputs?: undefined });

/** Options of a call that are no settings. */
export interface CallOptions {
  /** Cancels the call: ffmpeg ends, nothing is left, and the call rejects with the reason of the signal. */
  readonly signal?: CancelSignal;
}

/** An output that was written. Without `path` and `url` it went to a stream. */
export interface EncodedFile {
  readonly path?: string;
  /** Without its password. */
  readonly url?: string;
  readonly label: string | null;
  /** The bytes of all its files. */
  readonly bytes: number;
}

/** What did not happen as it was asked for, and was no error. */
export interface Warning {
  /** The option that it is about, such as `outputs[0].width`. */
  readonly field: string;
  /** A sentence without the name of the option. */
  readonly message: string;
}

/** The measured quality of a video, with the names of the service. */
export type Quality = NonNullable<OutputMediaFile['quality']>;

/** What `encode` made. */
export interface EncodeResult {
  /** In the order of the outputs. Those that were skipped are not in it. */
  readonly files: readonly EncodedFile[];
  readonly warnings: readonly Warning[];
  /** That of the first output that was measured; null if none was. */
  readonly quality: Quality | null;
}

/** The progress of an encode, as the service reports it at `/progress`. */
export type Progress = JobProgress;

/**
 * A running encode: a promise of its result, and an iterable of its progress. Leaving the loop does not cancel it. A
 * failure reaches what is used, the promise or the loop.
 */
export interface EncodeJob extends AsyncIterable<Progress>, PromiseLike<EncodeResult> {
  catch<T = never>(onRejected?: ((reason: unknown) => T | PromiseLike<T>) | null): Promise<EncodeResult | T>;
  finally(onFinally?: (() => void) | null): Promise<EncodeResult>;
}

/** The plan of an encode. */
export interface Plan {
  /** The path of ffmpeg. */
  readonly program: string;
  readonly outputs: readonly PlannedOutput[];
  /** The runs of ffmpeg, and copies, in order. */
  readonly steps: readonly PlanStep[];
  readonly warnings: readonly Warning[];
}

/** One output of a plan. */
export interface PlannedOutput {
  /** From 1. */
  readonly number: number;
  readonly label: string | null;
  /** The size of its video; null if it has none or is not encoded. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** Why it cannot be made from this input; null if it can. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** Why it is skipped; null if it is not. */
  readonly skipped: string | null;
}

/** One step of a plan. */
export interface PlanStep {
  readonly does: 'encode' | 'thumbnails' | 'copy';
  /** The numbers of the outputs that it makes. */
  readonly outputs: readonly number[];
  readonly args: readonly string[];
}

/** What a media file is, with the names of the service. */
export interface MediaInfo {
  readonly format: string | null;
  readonly duration_in_ms: number | null;
  readonly file_size_in_bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  readonly frame_rate: number | null;
  readonly video_codec: string | null;
  readonly video_bitrate_in_kbps: number | null;
  readonly audio_codec: string | null;
  readonly audio_bitrate_in_kbps: number | null;
  readonly audio_sample_rate: number | null;
  readonly channels: string | null;
  readonly total_bitrate_in_kbps: number | null;
  readonly tracks: readonly { readonly [name: string]: unknown }[];
}

/** Options of a comparison. */
export interface CompareOptions extends ReadOptions {
  /** `vmaf-neg` does not count enhanced contrast as quality; `vmaf` by default. */
  readonly metric?: 'vmaf' | 'vmaf-neg';
}

/** Options of a call that measures. */
export interface CompareCallOptions extends CallOptions {
  /** Called with the percent that are done. */
  readonly onProgress?: (percent: number) => void;
}

/** What a comparison found. */
export interface Comparison {
  readonly quality: Quality;
  readonly warnings: readonly Warning[];
}

/** Which images `thumbnails` takes: those of a setting `thumbnails` of the service, in its names or in camel case. */
export type ThumbnailOptions = EitherSpelling<Omit<ThumbnailSet, 'base_url' | 'credentials' | 'headers'>> &
  ReadOptions & {
    /** The folder of the images, which is created. They are named `frame_0000.png` and so on. */
    readonly output: string;
    readonly overwrite?: boolean;
  };

/** The images that were written, in order. */
export interface Thumbnails {
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

/** What `configure` sets, for all later calls in this process. */
export interface Configuration {
  /** How many encodes run at the same time; the number of cores by default. */
  readonly concurrency?: number;
  /** Path of the ffmpeg to use; `VENC_FFMPEG` by default, else the best one that is found. */
  readonly ffmpeg?: string;
  /** Path of the ffprobe to use; `VENC_FFPROBE` by default, else the best one that is found. */
  readonly ffprobe?: string;
}

/**
 * Encodes a file in this process, as `venc run` does. It begins at once, or when one of the encodes that run ends.
 *
 *     const { files } = await encode('in.mov', { output: 'out.mp4', width: 1280 });
 */
export declare function encode(input: Input, options: EncodeOptions, call?: CallOptions): EncodeJob;

/** Plans what `encode` would do with an input, which is read. Nothing is written. */
export declare function plan(input: Input, options: PlanOptions, call?: CallOptions): Promise<Plan>;

/** Reads what a media file is. */
export declare function probe(input: Input, options?: ReadOptions, call?: CallOptions): Promise<MediaInfo>;

/** Measures how close a video comes to the one that it was encoded from. */
export declare function compare(
  input: Input,
  reference: Input,
  options?: CompareOptions,
  call?: CompareCallOptions,
): Promise<Comparison>;

/**
 * Takes images of a video.
 *
 *     await thumbnails('in.mp4', { number: 5, output: 'images/' });
 */
export declare function thumbnails(
  input: Input,
  options: ThumbnailOptions,
  call?: CallOptions,
): Promise<Thumbnails>;

/** Changes what all later calls in this process use. */
export declare function configure(configuration: Configuration): void;

/** The error of every function. There is a class for each kind. */
export declare class VencError extends Error {
  override readonly name: string;
  /** What happened: the `error_class` of a failed job, such as `NoMediaError`, or lower-case words. */
  readonly code: string;
  /** The option that it is about, such as `outputs[0].width`; null if it is about none. */
  readonly field: string | null;
  /** What to do; null if that is not known. */
  readonly hint: string | null;
}

/** An option is wrong. */
export declare class InvalidRequestError extends VencError {}

/** The input could not be read. */
export declare class InputError extends VencError {}

/** The encoding failed. */
export declare class EncodeError extends VencError {}

/** An output could not be written. */
export declare class OutputError extends VencError {}

/** There is no ffmpeg, or something else that is needed is missing on this machine. */
export declare class UnavailableError extends VencError {}
