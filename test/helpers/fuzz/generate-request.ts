import { jobTable, outputTable } from '../../../src/shared/settings/index.js';
import type { Setting, SettingsTable } from '../../../src/shared/settings/setting.js';
import type { Choices } from './choices.js';
import { valueFor } from './valid-values.js';

/** A JSON object of a request. */
export type Fields = Record<string, unknown>;

const input = 'http://127.0.0.1:9/in.mp4';

/** Settings of a kind of output, without which most of the others are ignored or rejected. */
const kinds: readonly Fields[] = [
  ...[
    {},
    {},
    {},
    {},
    { format: 'webm' },
    { format: 'mp3' },
    { format: 'mkv' },
    { format: 'ts' },
    { format: 'mov' },
  ],
  ...[
    { video_codec: 'hevc' },
    { video_codec: 'vp9' },
    { video_codec: 'av1', format: 'mp4' },
    { skip_video: true },
  ],
  ...[{ type: 'segmented' }, { type: 'segmented', format: 'm4f' }, { type: 'segmented', packaging: 'cmaf' }],
  ...[
    { type: 'segmented', format: 'aac' },
    { type: 'segmented', streaming_delivery_format: 'dash' },
  ],
  ...[
    { type: 'captions' },
    { type: 'captions', format: 'm3u8' },
    { type: 'transfer-only' },
    { format: 'm4f' },
  ],
  ...[
    { copy_video: true },
    { copy_audio: 'auto', copy_video: 'auto' },
    { device_profile: 'mobile/advanced' },
  ],
];

/** A request of a job and one to three outputs, each with two to six settings from the tables. Most are accepted. */
export function generateRequest(choices: Choices): Fields {
  const outputs = Array.from({ length: choices.chance(0.3) ? choices.integer(2, 3) : 1 }, (_, index) => ({
    label: `output-${index}`,
    ...generateOutput(choices),
  }));
  if (outputs.length > 1 && choices.chance(0.3)) Object.assign(outputs.at(-1) ?? {}, dependent(choices));
  const job = fieldsFrom(jobTable, choices, choices.integer(0, 3));
  const name = choices.chance(0.2) ? 'output' : 'outputs';
  const isAlone = outputs.length === 1 && choices.chance(0.3);
  return { ...job, input, [name]: isAlone ? outputs[0] : outputs };
}

/** An output that refers to the first one. */
function dependent(choices: Choices): Fields {
  const source = 'output-0';
  return choices.pick<Fields>([
    { source },
    { source, type: 'transfer-only' },
    { type: 'playlist', streams: [{ source }] },
    {
      type: 'playlist',
      streams: [{ source }, { path: 'a/b.m3u8', bandwidth: 100 }],
      playlist_format: 'dash',
    },
    { type: 'playlist', streams: { source }, alternate_audio: { group: [{ source, language: 'en' }] } },
  ]);
}

function generateOutput(choices: Choices): Fields {
  return { ...fieldsFrom(outputTable, choices, choices.integer(2, 6)), ...choices.pick(kinds) };
}

/** Names that decide what an output is: `kinds` gives them values that fit together. */
const structural: ReadonlySet<string> = new Set(['type', 'source', 'label', 'input', 'mock']);

function fieldsFrom(table: SettingsTable, choices: Choices, count: number): Fields {
  const rows = Object.entries<Setting>(table).filter(([name]) => !structural.has(name));
  const applied = rows.filter(([, { kind }]) => kind !== 'unchecked');
  const chosen = choices.sample(choices.chance(0.1) ? rows : applied, count);
  return Object.fromEntries(
    chosen.map(([name, setting]) => [spell(name, setting, choices), valueFor(setting, choices)]),
  );
}

/** One of the names of a setting, as clients write them. */
function spell(name: string, { spellings = [] }: Setting, choices: Choices): string {
  const spelling = choices.chance(0.3) ? choices.pick([name, ...spellings]) : name;
  return choices.chance(0.05) ? spelling.replaceAll('_', '-') : spelling;
}
