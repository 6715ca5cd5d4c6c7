import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jobTable, outputTable, type Setting, type SettingsTable } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { areEquivalent, input, limits, toRequestXml, type XmlStyle } from './xml-request.js';

const samples: Readonly<Record<Exclude<Setting['kind'], 'object' | 'list'>, (setting: Setting) => unknown>> =
  {
    integer: (setting) => ('min' in setting ? setting.min : 1),
    number: (setting) =>
      setting.kind !== 'number' ? 0 : setting.min < 0 ? -9.5 : Math.min(setting.min + 12.5, setting.max),
    boolean: () => true,
    text: (setting) => ('form' in setting ? '0123456789abcdef0123456789ABCDEF' : ' <a> & "b" '),
    url: () => 'http://user:pass%20word@example.com/a.mp4?b=1&c=2',
    choice: (setting) => ('choices' in setting ? setting.choices[0] : ''),
    'number-choice': (setting) => ('choices' in setting ? setting.choices[1] : 0),
    ratio: () => '8:9',
    size: () => '640x480',
    bytes: () => '10MB',
    time: () => '00:01:02.5',
    distance: (setting) => ('isSigned' in setting && setting.isSigned ? '-5%' : '5%'),
    unchecked: () => 'text',
    map: (setting) => mapSamples['of' in setting ? String(setting.of) : ''],
  };

const mapSamples: Readonly<Record<string, object>> = {
  headers: { Authorization: 'Bearer <x>', 'X-Own_Name': 'a' },
  tags: { Authorization: 'Bearer <x>', 'X-Own_Name': 'a' },
  channels: { FL: 2, FR: '1:2' },
  'service-types': { track_1: 'main', track_12: 'voice_over' },
};

function sampleOf(setting: Setting): unknown {
  // The labels of two sets of thumbnails must differ.
  if (setting.kind === 'list' && setting.isSentAlone) return [sampleOf(setting.of)];
  if (setting.kind === 'list') return [sampleOf(setting.of), sampleOf(setting.of)];
  return setting.kind === 'object' ? sampleOfTable(setting.fields) : samples[setting.kind](setting);
}

function sampleOfTable(table: SettingsTable): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table)
      // The file name of thumbnails is a template.
      .filter(([name]) => !(name === 'filename' && 'times' in table))
      .map(([name, setting]) => [name, sampleFor(name, setting)]),
  );
}

/** Texts of a certain form. */
const textSamples: Readonly<Record<string, string>> = {
  ...{ audio_language: 'fr', select_audio_language: 'fr', language: 'fr', encoding: 'utf-8' },
  keyframe_manifest_filename: 'a&b.m3u8',
};

function sampleFor(name: string, setting: Setting): unknown {
  if (setting.kind === 'text' && name in textSamples) return textSamples[name];
  if (name === 'audio_tracks' || name === 'subtitle_tracks') return ['eng', 2];
  if (name === 'output_audio_channels') return ['FL', 'fr'];
  // Only one caption file may be the default.
  return name === 'default' ? false : sampleOf(setting);
}

const styles: readonly XmlStyle[] = [true, false].flatMap((isTyped) =>
  [true, false].flatMap((isHyphened) =>
    [true, false].map((isIndented) => ({ isTyped, isHyphened, isIndented })),
  ),
);

test('every setting can be written in XML, in every style', () => {
  const body = {
    ...sampleOfTable(jobTable),
    outputs: [sampleOfTable(outputTable), sampleOfTable(outputTable)],
  };
  for (const style of styles) areEquivalent(toRequestXml(body, style, ['X-Own_Name']), body);
});

const hdr10 = { hdr_format: 'hdr10', max_content_light_level: 1000, max_frame_average_light_level: 400 };

test('every single setting can be written in XML, under each of its names', () => {
  for (const [name, setting] of Object.entries<Setting>(outputTable)) {
    for (const spelling of [name, ...(setting.spellings ?? [])]) {
      // A source is another output, only segments are encrypted, and only HDR10 has metadata.
      const outputs =
        name === 'source'
          ? [{ source: 'other' }, { label: 'other' }]
          : [
              {
                ...(name.startsWith('encryption_') ? { type: 'segmented' } : {}),
                ...(/^master_|_light_level$/.test(name) ? hdr10 : {}),
                [spelling]: sampleFor(name, setting),
              },
            ];
      const isRendition = name === 'dynamic_profile_rendition';
      const body = { input, ...(isRendition ? { generate_dynamic_profile: true } : {}), outputs };
      assert.ok(parseJobRequest(body, limits).ok, JSON.stringify(parseJobRequest(body, limits)));
      for (const style of styles) areEquivalent(toRequestXml(body, style, ['X-Own_Name']), body);
    }
  }
});

test.run();
