import { accessControlSetting } from './access-control.js';
import { notificationsSetting } from './notifications.js';
import type { SettingsTable } from './setting.js';

const section = '4.1 General';

/** Names, destination and codec of an output. */
export const generalTable = {
  label: {
    kind: 'text',
    maxLength: 255,
    section,
    help: 'a nickname to tell outputs apart; unique within a job',
  },
  url: { kind: 'url', section, help: 'where the file goes; wins over base_url and filename' },
  base_url: {
    kind: 'url',
    section,
    help: 'the folder the file goes to; its name is filename, or a random one',
  },
  filename: {
    kind: 'text',
    maxLength: 2048,
    isPath: true,
    section,
    help: 'name of the file; its extension decides the container',
    defaultText: 'a random name',
  },
  video_codec: {
    kind: 'choice',
    choices: ['h264', 'theora', 'vp6', 'vp8', 'hevc', 'vp9', 'av1'],
    isCaseInsensitive: true,
    synonyms: {
      avc: 'h264',
      x264: 'h264',
      libx264: 'h264',
      'h.264': 'h264',
      h265: 'hevc',
      x265: 'hevc',
      libx265: 'hevc',
      'h.265': 'hevc',
    },
    section,
    help: 'codec of the picture',
    defaultText: 'what the file name asks for, else h264',
  },
  speed: {
    kind: 'integer',
    min: 1,
    max: 5,
    default: 3,
    section,
    help: 'speed of encoding; slower gives better compression, and only h264 has all five levels',
  },
  public: {
    kind: 'boolean',
    isSentAsInteger: true,
    default: false,
    section,
    help: 'let everybody read the delivered file, where the destination knows grants',
  },
  access_control: {
    ...accessControlSetting,
    help: 'grants on the delivered file, where the destination knows them',
  },
  notifications: {
    ...notificationsSetting,
    help: 'a URL that is told when the output has come to its end',
  },
} as const satisfies SettingsTable;
