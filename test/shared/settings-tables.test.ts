import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { accessControlTable } from '../../src/shared/settings/delivery.js';
import {
  defaultOutput,
  jobTable,
  outputTable,
  type Setting,
  type SettingsTable,
} from '../../src/shared/settings/index.js';
import { parseValue } from '../../src/shared/settings/kinds/groups.js';
import { notificationTable } from '../../src/shared/settings/notifications.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { thumbnailsTable } from '../../src/shared/settings/thumbnails.js';
import { watermarkTable } from '../../src/shared/settings/video.js';

const tables: Readonly<Record<string, SettingsTable>> = {
  job: jobTable,
  output: outputTable,
  watermark: watermarkTable,
  thumbnails: thumbnailsTable,
  access_control: accessControlTable,
  notifications: notificationTable,
};
const rows = Object.entries(tables).flatMap(([table, settings]) =>
  Object.entries(settings).map(([name, setting]): readonly [string, Setting] => [
    `${table}.${name}`,
    setting,
  ]),
);

test('every setting of the service document, section 4.1, has a row', () => {
  const documented = {
    job: ['input', 'test', 'download_connections', 'region'],
    output: [
      ...['label', 'url', 'base_url', 'filename', 'video_codec', 'speed', 'public', 'access_control'],
      ...['thumbnails', 'watermark', 'width', 'height', 'size', 'upscale', 'aspect_mode', 'quality'],
      ...['video_bitrate', 'bitrate_cap', 'buffer_size', 'onepass', 'audio_codec', 'audio_quality'],
      ...['audio_bitrate', 'audio_sample_rate', 'audio_channels', 'skip_audio', 'skip_video'],
      ...['deinterlace', 'max_frame_rate', 'frame_rate', 'decimate', 'keyframe_interval', 'rotate'],
      ...['start_clip', 'clip_length'],
    ],
    watermark: ['url', 'x', 'y', 'width', 'height'],
    thumbnails: ['number', 'public', 'access_control'],
    access_control: ['grantee', 'permission', 'permissions'],
  };
  for (const [table, names] of Object.entries(documented)) {
    const known = Object.entries(tables[table] ?? {}).flatMap(([name, { spellings = [] }]) => [
      name,
      ...spellings,
    ]);
    for (const name of names) assert.ok(known.includes(name), `${table}.${name}`);
  }
});

test('help is a phrase for one line, without a full stop, and names its section', () => {
  for (const [name, { help, section }] of rows) {
    assert.match(help, /^[\p{L}\d][^\n]{2,110}[^.\s]$/u, name);
    assert.match(section, /^((4\.1 )?[A-Z][A-Za-z\d]+([ -][A-Za-z]+)*|addition)$/, name);
  }
});

test('every default is a valid value of its setting', () => {
  for (const [name, setting] of rows) {
    if (!('default' in setting)) continue;
    assert.equal(parseValue(setting, setting.default, name).validationErrors, []);
  }
});

test('no name and no other spelling belongs to two settings', () => {
  for (const [name, table] of Object.entries(tables)) {
    const all = Object.entries(table).flatMap(([key, { spellings = [] }]) => [key, ...spellings]);
    assert.is(new Set(all).size, all.length, name);
    for (const key of all) assert.match(key, /^[a-z][a-z\d]*(_[a-z\d]+)*$/);
  }
});

test('the default output is a valid request', () => {
  const parseRequest = parseJobRequest({ input: 'http://x/a', outputs: [defaultOutput] }, { maxOutputs: 1 });
  assert.ok(parseRequest.ok);
  assert.equal(parseRequest.request.outputs, [defaultOutput]);
});

test.run();
