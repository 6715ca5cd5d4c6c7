import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { Combination } from '../plan/check-combination.js';

/** An output that is encoded, with its codecs and its path in the request. */
export interface CodecsOfOutput {
  readonly settings: OutputSettings;
  readonly combination: Combination;
  readonly path: string;
}

/**
 * Validation errors of copied streams whose codec is known already, because their source is an output that encodes them. Other copies are
 * checked when the input is known.
 */
export function copyValidationErrors(outputs: readonly CodecsOfOutput[]): readonly string[] {
  return outputs.flatMap(({ settings, combination, path }) => {
    const source = outputs.find(
      (other) => settings.source !== undefined && other.settings.label === settings.source,
    );
    if (source === undefined) return [];
    const { extension, container } = combination;
    const video =
      settings.copy_video === true && source.settings.copy_video !== true && combination.video !== null
        ? source.combination.video?.codec
        : undefined;
    const audio =
      settings.copy_audio === true && source.settings.copy_audio !== true && combination.audio !== null
        ? source.combination.audio?.codec
        : undefined;
    const supportedAudio = [
      ...Object.values(container.codecPairs),
      container.audioOnlyCodecs,
      container.copiedAudioCodecs ?? [],
    ].flat();
    return [
      ...(video === undefined || container.codecPairs[video] !== undefined
        ? []
        : [`${path}.copy_video ${cannotCopy(extension, video)}`]),
      ...(audio === undefined || supportedAudio.includes(audio)
        ? []
        : [`${path}.copy_audio ${cannotCopy(extension, audio)}`]),
    ];
  });
}

function cannotCopy(extension: string, codec: string): string {
  return `cannot be copied into ${extension}, which does not support ${codec}`;
}
