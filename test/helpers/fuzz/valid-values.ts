import { kindOf } from '../../../src/shared/settings/kinds/groups.js';
import type { ObjectSetting, Setting } from '../../../src/shared/settings/setting.js';
import type { Choices } from './choices.js';

/** What no address of a generated request leads to: port 9 of this machine, where nothing listens. */
const nowhere = 'http://127.0.0.1:9';

const addresses = [
  `${nowhere}/a.mp4`,
  `${nowhere}/${'a'.repeat(2000)}`,
  `${nowhere}/%E4%F6.png?a=1&b=<2>#x`,
  'https://user:p%40ss@127.0.0.1:9/a.srt',
  'ftp://user:secret@127.0.0.1:9/folder/a.webm',
  'sftp://user:secret@127.0.0.1:9/folder/a.mov',
  's3://bucket/folder/a.ts',
  's3+eu-west-1://bucket/ä ö/a.mkv',
  'gcs://bucket/a.mp4',
  'cf+uk://user:secret@bucket/a.mp4',
  'fasp://user:secret@127.0.0.1/a.mp4',
  'gopher://127.0.0.1/a',
] as const;

const words = [
  ...[
    'a',
    'Film',
    'de',
    'eng',
    'en-US',
    'film.mp4',
    'film.m3u8',
    'film.webm',
    'film.mpd',
    'captions',
    'name.mp3',
  ],
  ...[
    'x'.repeat(255),
    'x'.repeat(256),
    'ä'.repeat(127),
    'ä'.repeat(128),
    '\u{1F600}\u{1F601}',
    'e\u0301\u202Etxet',
  ],
  ...[
    "it's; $(id) `id` %s %d {{number}} \\ ' \" <b>&amp;",
    '-i',
    '--help',
    ':,[]=\\',
    '../a',
    'a/b',
    ' padded ',
  ],
  ...['{{padded_number}}', 'a\tb\r\nc', '0', '00:00:01', 'true', 'null', '__proto__'],
] as const;

/** A value of a setting that its own row of the table accepts, mostly: near its edges, and in every form that clients use. */
export function valueFor(setting: Setting, choices: Choices): unknown {
  switch (setting.kind) {
    case 'integer':
      return integerFor(setting, choices);
    case 'number':
      return asText(
        choices.pick(
          [setting.min, setting.max, (setting.min + setting.max) / 2, setting.min + 0.1, 1, 29.97].filter(
            (value) => value >= setting.min && value <= setting.max,
          ),
        ),
        choices,
      );
    case 'number-choice':
      if (setting.mayBeAuto && choices.chance(0.1)) return 'auto';
      return asText(choices.pick(setting.choices), choices);
    case 'boolean':
      return choices.pick([
        true,
        false,
        true,
        1,
        0,
        'true',
        'FALSE',
        '1',
        ...(setting.mayBeAuto ? ['auto'] : []),
      ]);
    case 'choice': {
      const word = choices.pick(kindOf(setting).words?.(setting) ?? []);
      return choices.chance(0.2) ? word.toUpperCase() : word;
    }
    case 'text':
      return textFor(setting, choices);
    case 'url':
      return urlFor(setting, choices);
    case 'ratio':
      return `${choices.pick([1, 4, 8, setting.max])}:${choices.pick([1, 3, 9, setting.max])}`;
    case 'size':
      return `${choices.pick([setting.min, 16, 641, setting.max])}x${choices.pick([setting.min, 16, 361, setting.max])}`;
    case 'bytes':
      return choices.pick([setting.min, '1MB', '2.5 gb', setting.max]);
    case 'time':
      return choices.pick([
        1,
        0.04,
        '0.5',
        '00:00:01.25',
        '99:59:59.999999',
        setting.maxSeconds - 1,
        1e-6,
        3600,
      ]);
    case 'distance':
      return choices.pick([
        ...[1, '8192', '100%', '0.5%', 16],
        ...(setting.isSigned ? [0, -8192, '-0', '-100%', 'centered', 'CENTER'] : []),
      ]);
    case 'object':
      return objectFor(setting, choices);
    case 'list':
      return listFor(setting, choices);
    case 'map':
      if (setting.of === 'tags')
        return choices.pick([
          ...(setting.words ?? []),
          { title: 'Ti=tle; #1 \\ é\nsecond line', location: '+1+2/', 'x.y-z': '[CHAPTER]' },
          { date: '2026', artist: '' },
        ]);
      if (setting.of === 'channels')
        return choices.pick([{ FL: 1, FR: '2' }, { fc: '3:1' }, { DL: '1:1', DR: '1:2' }]);
      if (setting.of === 'service-types')
        return choices.pick([{ '1': 'main', '2': 'Commentary' }, { track_3: 'emergency' }]);
      return choices.pick([
        { 'X-Order': '1' },
        { 'Cache-Control': 'max-age=1', 'x-amz-meta-a': '~'.repeat(100) },
        Object.fromEntries(Array.from({ length: setting.max }, (_, index) => [`X-${index}`, ''])),
      ]);
    case 'unchecked':
      return choices.pick([true, false, 1, 'x', { method: 'x' }, [1, { a: [] }], -1e308, '']);
  }
}

function integerFor(setting: Extract<Setting, { kind: 'integer' }>, choices: Choices): unknown {
  const { min, max, acceptsAuto } = setting;
  if (acceptsAuto === true && choices.chance(0.1)) return 'auto';
  const middle = min + Math.floor((max - min) / 2);
  return asText(choices.pick([min, min + 1, max, max - 1, middle, Math.min(max, min + 7)]), choices);
}

function asText(value: number, choices: Choices): unknown {
  return choices.chance(0.2) ? String(value) : value;
}

function textFor(
  { maxLength, form, isPath, example }: Extract<Setting, { kind: 'text' }>,
  choices: Choices,
): string {
  const own = form?.example ?? (typeof example === 'string' ? example : 'film');
  if (choices.chance(0.4)) return own;
  if (isPath === true && choices.chance(0.5))
    return choices.pick(['a.mp4', 'b/c.webm', 'd.m3u8', 'ä/ö ü.mkv', 'e.mp3']);
  return choices.chance(0.1) ? 'm'.repeat(maxLength) : choices.pick(words);
}

function urlFor(
  { schemes, acceptsEmail, example }: Extract<Setting, { kind: 'url' }>,
  choices: Choices,
): string {
  if (acceptsEmail === true && choices.chance(0.2)) return 'someone@example.invalid';
  const fitting = addresses.filter((url) => schemes?.some((scheme) => url.startsWith(`${scheme}:`)) ?? true);
  if (typeof example === 'string' && schemes === undefined && choices.chance(0.2)) return example;
  return choices.pick(fitting);
}

function objectFor(setting: ObjectSetting, choices: Choices): unknown {
  const { fields, oneOf = [], textField, numberField } = setting;
  if (textField !== undefined && choices.chance(0.3)) {
    const field = fields[textField];
    if (field !== undefined) return valueFor(field, choices);
  }
  const names = Object.keys(fields);
  const required = names.filter((name) => fields[name]?.isRequired === true);
  const chosen = [
    ...required,
    ...choices.sample(
      oneOf.filter((name) => name in fields),
      1,
    ),
    ...choices.sample(names, choices.integer(0, 4)),
    ...(numberField !== undefined && choices.chance(0.5) ? [numberField] : []),
  ];
  return Object.fromEntries(
    [...new Set(chosen)].map((name) => {
      const field = fields[name];
      return [name, field === undefined ? 1 : valueFor(field, choices)];
    }),
  );
}

function listFor(setting: Extract<Setting, { kind: 'list' }>, choices: Choices): unknown {
  const entry = () => valueFor(setting.of, choices);
  if (choices.chance(0.5)) return entry();
  const length = choices.chance(0.03) ? setting.max : choices.integer(0, 3);
  return Array.from({ length }, entry);
}
