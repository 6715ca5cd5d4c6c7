import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import type { SettingRecord } from '../../shared/records.js';
import { encryptionTable } from '../../shared/settings/encryption.js';
import { settingFlags } from '../../shared/settings/flags.js';
import { hdrTable } from '../../shared/settings/hdr.js';
import { jobTable, outputTable, type Setting, type SettingsTable } from '../../shared/settings/index.js';
import { exampleValue, nestedSettings, requiredExamples } from '../../shared/settings/kinds/groups.js';
import { playlistsTable } from '../../shared/settings/playlists.js';
import { segmentsTable } from '../../shared/settings/segments.js';
import { jsonText } from '../../shared/text/safe-text.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import type { Context } from '../context.js';
import { wrapText } from '../output/wrap-text.js';

interface ExplainOptions {
  readonly json?: boolean;
}

/** `venc explain NAME`: prints one setting with its value, default, rules and an example. */
export function define(command: Command, context: Context): void {
  command
    .argument('<name>', 'the name of a setting: video_bitrate, h264_profile, thumbnails.number')
    .option('--json', 'print an array of objects, like those of GET /v2/settings')
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
Explains how this version of venc handles the setting, without a service. A name that several objects have, such as width, is
explained for each. venc help settings lists all flags.

Examples:
  venc explain video_bitrate
  venc explain h264_profile
  venc explain thumbnails.number --json`;

async function run(arg: string, options: ExplainOptions, { io }: Context): Promise<void> {
  const { listSettings } = await import('../../shared/settings/support.js');
  const all = listSettings();
  const name = arg.replaceAll('-', '_');
  const found = all.filter((record) => isNamed(record, name));
  if (found.length === 0) throw unknownSetting(arg, name, all);
  if (options.json === true) await io.writeStdout(`${jsonText(found, 2)}\n`);
  else {
    const width = Number.isFinite(io.width) ? io.width : 80;
    await io.writeStdout(found.map((record) => wrapText(textOf(record), width)).join('\n'));
  }
}

/** Whether a name means this setting: its path, one of its spellings, or the last part of a nested name. */
function isNamed({ name, spellings }: SettingRecord, text: string): boolean {
  return name === text || spellings.includes(text) || name.endsWith(`.${text}`);
}

function unknownSetting(arg: string, name: string, all: readonly SettingRecord[]): VencError {
  const names = all.flatMap((record) => [record.name, ...record.spellings]);
  const suggestions = findSuggestions(name, names);
  const hint =
    suggestions.length === 0 ? 'venc help settings lists them' : `did you mean ${suggestions.join(', ')}?`;
  return new VencError('UsageError', `There is no setting "${arg}".`, { hint });
}

function textOf(record: SettingRecord): string {
  const { name, object, spellings, value, meaning, required } = record;
  const flag = settingFlags().find((one) => one.path === object && one.name === name);
  const rows: readonly (readonly [string, string | null])[] = [
    ['Meaning', meaning],
    ['Value', value],
    ['Default', required ? 'required' : record.default],
    [
      'Flag',
      flag === undefined ? null : [flag.flag, flag.argument].filter((word) => word !== null).join(' '),
    ],
    ['Other names', spellings.length === 0 ? null : spellings.join(', ')],
    ['Support', supportOf(record)],
    ['Example', exampleOf(record)],
  ];
  const lines = rows.flatMap(([title, text]) => (text === null ? [] : [`  ${title.padEnd(11)}  ${text}`]));
  return `${name} (setting of ${object === 'job' ? 'the job' : 'an output'})\n${lines.join('\n')}\n`;
}

function supportOf({ name, support, reason }: SettingRecord): string {
  if (reason === null) return support;
  if (support === 'supported') return `supported ${reason}`;
  return support === 'rejected' ? `rejected: ${name} ${reason}` : `${support}: ${reason}`;
}

/** A request with the setting; null if it is not applied. */
function exampleOf({ name, object, support }: SettingRecord): string | null {
  if (support === 'rejected') return null;
  const settings = exampleFor(object === 'job' ? jobTable : outputTable, name.split('.'));
  if (settings === undefined) return null;
  if (object === 'job') return JSON.stringify(settings);
  // A source is the label of another output.
  const others = name === 'source' ? [{ label: exampleValue(outputTable.source) }] : [];
  return JSON.stringify({ outputs: [withRequirements(name, settings), ...others] });
}

/** The settings with those that they need: of HDR, of segments, of their encryption, and of playlists. */
function withRequirements(name: string, settings: object): object {
  const [root = name] = name.split('.');
  if (Object.hasOwn(playlistsTable, root)) {
    const [given = {}] = 'streams' in settings && Array.isArray(settings.streams) ? settings.streams : [];
    return { type: 'playlist', ...settings, streams: [{ path: 'low/film.m3u8', bandwidth: 800, ...given }] };
  }
  if (Object.hasOwn(hdrTable, root)) return { video_codec: 'hevc', ...requiredByHdr[root], ...settings };
  if (root === 'language') return { type: 'captions', ...settings };
  if (root === 'segmented') return { type: 'captions', format: 'm3u8', ...settings };
  if (Object.hasOwn(encryptionTable, root))
    return { type: 'segmented', encryption_method: 'aes-128-cbc', ...settings };
  if (!Object.hasOwn(segmentsTable, root)) return settings;
  return { type: 'segmented', ...requiredBySegments[root], ...settings };
}

const bothLightLevels = { max_content_light_level: 1000, max_frame_average_light_level: 400 };

/** What settings of HDR need besides the codec. */
const requiredByHdr: Readonly<Record<string, object>> = {
  master_display: { hdr_format: 'hdr10' },
  max_content_light_level: { hdr_format: 'hdr10', ...bothLightLevels },
  max_frame_average_light_level: { hdr_format: 'hdr10', ...bothLightLevels },
};

/** What settings of segments need besides the type. */
const requiredBySegments: Readonly<Record<string, object>> = {
  keyframe_manifest_filename: { generate_keyframe_manifest: true },
  streaming_delivery_profile: { streaming_delivery_format: 'dash' },
};

function exampleFor(table: SettingsTable, [name = '', ...rest]: readonly string[]): object | undefined {
  const setting = table[name];
  if (setting === undefined || setting.kind === 'unchecked') return undefined;
  const value = rest.length === 0 ? exampleValue(setting) : nestedExample(setting, rest);
  return value === undefined ? undefined : { [name]: value };
}

function nestedExample(setting: Setting, rest: readonly string[]): unknown {
  const nested = exampleFor(nestedSettings(setting), rest);
  if (nested === undefined) return undefined;
  const object = setting.kind === 'list' ? setting.of : setting;
  const [name = ''] = rest;
  const required =
    object.kind === 'object' ? requiredExamples(object, !(object.oneOf ?? []).includes(name)) : {};
  const { size } = nestedSettings(setting);
  // It has no effect without a size.
  const companion = name === 'aspect_mode' && size !== undefined ? { size: exampleValue(size) } : {};
  const value = { ...required, ...companion, ...nested };
  return setting.kind === 'list' ? [value] : value;
}
