import { isDash, isSegmented } from './segments.js';
import type { RequestWarning, SettingsTable } from './setting.js';

const section = 'Encryption';
const addressForm = {
  pattern: '[^\\s"]+',
  rule: 'must be a URI, without spaces and quotes',
  example: 'https://example.com/keys/1',
} as const;

const aesOnly = 'must be aes-128-cbc or none';

/** Settings of encrypted segments: `METHOD=AES-128` of RFC 8216, section 5.2. */
export const encryptionTable = {
  encryption_method: {
    rejectedValues: {
      'aes-128-ctr': aesOnly,
      'aes-256-cbc': aesOnly,
      'aes-256-ctr': aesOnly,
      cbcs: aesOnly,
      'sample-aes': aesOnly,
    },
    kind: 'choice',
    choices: [
      ...(['aes-128-cbc', 'aes-128', 'none'] as const),
      ...(['aes-128-ctr', 'aes-256-cbc', 'aes-256-ctr', 'cbcs', 'sample-aes'] as const),
    ],
    section,
    help: 'encryption of the segments',
    defaultText: 'aes-128-cbc if a key, its URL or a rotation is given',
  },
  encryption_key: {
    kind: 'text',
    maxLength: 34,
    form: {
      pattern: '(?:0[xX])?[0-9A-Fa-f]{32}',
      rule: 'must be 32 hexadecimal digits',
      example: '5d41402abc4b2a76b9719d911017c592',
    },
    section,
    help: 'key of 16 bytes',
    defaultText: 'random',
  },
  encryption_key_url: {
    kind: 'text',
    maxLength: 2048,
    form: addressForm,
    section,
    help: 'address of the key, written as given; without encryption_key, the key is downloaded from it',
  },
  encryption_key_rotation_period: {
    kind: 'integer',
    min: 1,
    max: 1_000_000,
    unit: 'segments',
    section,
    help: 'number of segments after which a new random key follows',
  },
  encryption_key_url_prefix: {
    kind: 'text',
    maxLength: 2048,
    form: addressForm,
    section,
    help: 'what precedes the name of a key file in the playlist',
  },
  encryption_iv: {
    kind: 'text',
    maxLength: 34,
    form: {
      pattern: '(?:0[xX])?[0-9A-Fa-f]{32}',
      rule: 'must be 32 hexadecimal digits',
      example: '000102030405060708090a0b0c0d0e0f',
    },
    section,
    help: 'initialization vector of all segments',
    defaultText: 'the number of the segment',
  },
} as const satisfies SettingsTable;

/** The settings that the rules compare. */
interface EncryptionSettings {
  readonly type?: string;
  readonly streaming_delivery_format?: 'hls' | 'dash';
  readonly packaging?: 'cmaf';
  readonly encryption_method?: string;
  readonly encryption_key?: string;
  readonly encryption_key_url?: string;
  readonly encryption_key_rotation_period?: number;
  readonly encryption_key_url_prefix?: string;
  readonly encryption_iv?: string;
  readonly generate_keyframe_manifest?: boolean;
}

const names = Object.keys(encryptionTable) as readonly (keyof typeof encryptionTable)[];

/** Whether the segments of an output are encrypted. */
export function isEncrypted(settings: EncryptionSettings): boolean {
  const { encryption_method: method, encryption_key, encryption_key_url } = settings;
  if (!isSegmented(settings) || method === 'none') return false;
  const hasKey = encryption_key !== undefined || encryption_key_url !== undefined;
  return method !== undefined || hasKey || settings.encryption_key_rotation_period !== undefined;
}

/** Validation errors of the settings of encryption. */
export function validateEncryption(settings: EncryptionSettings, path: string): readonly string[] {
  const given = names.filter((name) => settings[name] !== undefined && settings[name] !== 'none');
  if (!isSegmented(settings)) {
    // A playlist has a warning about everything that it does not use.
    if (settings.type === 'playlist') return [];
    return given.map((name) => `${path}.${name} is supported only for segmented outputs`);
  }
  if (!isEncrypted(settings)) return [];
  const rotated =
    settings.encryption_key_rotation_period === undefined
      ? []
      : (['encryption_key', 'encryption_key_url'] as const).filter((name) => settings[name] !== undefined);
  const hasDash = settings.packaging !== undefined || isDash(settings);
  return [
    ...(hasDash
      ? given.map((name) => `${path}.${name} must be omitted: segments of dash and cmaf are not encrypted`)
      : []),
    ...rotated.map((name) => `${path}.${name} must not be given with encryption_key_rotation_period`),
    ...(settings.generate_keyframe_manifest === true
      ? [`${path}.generate_keyframe_manifest is not available for encrypted segments`]
      : []),
  ];
}

/** Warnings about settings of encryption that have no effect. */
export function ineffectiveEncryptionSettings(
  settings: EncryptionSettings,
  path: string,
): readonly RequestWarning[] {
  if (!isSegmented(settings)) return [];
  const warn = (name: string, message: string) => ({ field: `${path}.${name}`, message });
  if (!isEncrypted(settings)) {
    const reason =
      settings.encryption_method === 'none' ? 'with encryption_method none' : 'without encryption_method';
    return names
      .filter((name) => name !== 'encryption_method' && settings[name] !== undefined)
      .map((name) => warn(name, `has no effect ${reason}`));
  }
  return settings.encryption_key_url_prefix !== undefined && settings.encryption_key_url !== undefined
    ? [warn('encryption_key_url_prefix', 'has no effect with encryption_key_url')]
    : [];
}
