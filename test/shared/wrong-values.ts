import type { Setting } from '../../src/shared/settings/index.js';

const nonNumbers: readonly unknown[] = [
  ...['', ' ', '5 ', ' 5', '\t5', '5\n', '+5', '05', '5.', '.5', '5,0', '0x10', '1e1', '1_0', '٣', '--5'],
  ...['NaN', 'Infinity', '-Infinity', 'null', 'five', 'true', '[object Object]'],
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, true, false, {}, [], [5], { value: 5 }],
];
const nonTexts: readonly unknown[] = [5, true, {}, [], ['text']];

const nonHttpUrls: readonly unknown[] = [
  ...['ftp://host/a', 'file:///a', 's3://bucket/key', 'https:/host', 'http+unix://host/a', 'http://host:0/a'],
  ...['me@', 'mailto:me@example.com', 'MAILTO:me@example.com'],
];

/** Invalid values of a setting. Null is not among them: it means omitted, as an empty text does for some settings. */
export function wrongValuesFor(setting: Setting): readonly unknown[] {
  const values = valuesByKind(setting);
  return 'emptyMeansOmitted' in setting ? values.filter((value) => value !== '') : values;
}

function valuesByKind(setting: Setting): readonly unknown[] {
  switch (setting.kind) {
    case 'integer': {
      const { min, max } = setting;
      const beyond = [min - 1, max + 1, ...(-min < min || -min > max ? [-min] : [])];
      const between = [min + 0.5, `${min}.0`];
      return [...nonNumbers, ...beyond, ...beyond.map(String), ...between];
    }
    case 'number':
      return [
        ...nonNumbers,
        setting.min - 0.01,
        setting.max + 0.01,
        ...(setting.min > 0 ? [`-${setting.min}`, 0, '0'] : []),
      ];
    case 'number-choice':
      return [...nonNumbers, 45, '45', -90, 360, 90.5];
    case 'boolean':
      return [2, -1, 0.5, '', ' ', 'yes', 'no', 'on', ' true', '2', Number.NaN, {}, [], [true]];
    case 'choice':
      return [
        ...nonTexts.filter(
          (value) =>
            !setting.choices.includes(String(value)) && (value !== true || setting.trueMeans === undefined),
        ),
        ...['', ' ', 'no such word'],
        `${setting.choices[0]} `,
        '__proto__',
        'constructor',
      ];
    case 'text': {
      if (setting.invalidMeansOmitted === true) return [];
      const { maxNumber } = setting;
      const notNumbers = nonTexts.filter((value) => typeof value !== 'number');
      const bad = [
        ...(maxNumber === undefined ? nonTexts : [...notNumbers, -1, 1.5, maxNumber + 1]),
        ...['a\u0000b', 'a\u001bb', '\ud800', 'x'.repeat(setting.maxLength + 1)],
      ];
      const paths = ['/a', 'a/', 'a//b', '..', 'a/../b', './a', 'a\nb', 'a\tb', 'ä'.repeat(128), '/'];
      return [...bad, ...(setting.mayBeEmpty ? [] : ['']), ...(setting.isPath ? paths : [])];
    }
    case 'url':
      return [
        ...nonTexts,
        ...['', ' ', 'video.mp4', '/video.mp4', 'C:\\video.mp4', '//host/a', 'http:', 'http:/a', 'http://'],
        ...[
          'http:///a',
          'http:host/a',
          's3:///key',
          'http://user:pass@/a',
          'http://:80/a',
          'http://?a',
          '://a/b',
        ],
        ...['http://host:port/a', 'http://host:99999/a', 'http://ho st/a', 'ftp://user:pa ss@host/a'],
        ...[' http://host/a', 'http://host/a ', 'http://host/a\nb', 'http://host/\u0000', '1http://host/a'],
        ...['s3://AKIA:abc/def@bucket/key', 'http://host\\a', 'file://', 'file:', 'data:text/plain,a'],
        `http://host/${'a'.repeat(2048)}`,
        ...(setting.schemes === undefined ? [] : nonHttpUrls),
      ];
    case 'unchecked':
      return [];
    case 'ratio':
      return [
        ...nonTexts,
        ...['', '8', '8/9', '0:1', '1:0', '8:9:1', ' 8:9', '8 :9', '-8:9', '65536:1', '1:65536', '1.5:1'],
      ];
    case 'bytes':
      return [
        ...nonTexts.filter((one) => typeof one !== 'number'),
        -1,
        0,
        1.5,
        '',
        'MB',
        '1 XB',
        '-1MB',
        '1e6',
      ];
    case 'size':
      return [
        ...nonTexts,
        ...[
          '',
          '640',
          '640x',
          'x480',
          '640*480',
          '640x480x3',
          ' 640x480',
          '640 x 480',
          '-640x480',
          '640x48e1',
        ],
        ...[
          `${setting.min - 1}x480`,
          `640x${setting.min - 1}`,
          `${setting.max + 1}x480`,
          `640x${setting.max + 1}`,
          '0x0',
          '0640x480',
          '640.5x480',
          'NaNxNaN',
        ],
      ];
    case 'time':
      return [
        ...nonNumbers.filter((value) => value !== '05'),
        ...[-1, '-1', -0.5, setting.maxSeconds, String(setting.maxSeconds), 1e300],
        ...['1:2:3', '00:60:00', '00:00:60', '100:00:00', '00:00', '00:00:05,5', '-00:00:05', '00:00:05.'],
        ...(setting.isAboveZero ? [0, '0', '00:00:00', '00:00:00.0', 1e-9, -0] : []),
      ];
    case 'distance':
      return [
        ...nonNumbers.filter((value) => value !== '05'),
        ...['05', '10px', '%', '10 %', '10%%', 10.5, '10.5', 8193, '8193', '101%', 1e21],
        ...(setting.isSigned ? [-8193, '-101%', '-8193'] : [0, '0', '0%', -1, '-1', '-0', '-10%', -0]),
      ];
    case 'object':
      return [5, 'text', true, [{}]];
    case 'list':
      return setting.of.kind === 'object'
        ? [5, 'text', true, [null], [5], [[]], Array(setting.max + 1).fill({})]
        : [
            ...(setting.of.kind === 'number' || 'maxNumber' in setting.of ? [] : [5]),
            ...(setting.isNeverEmpty === true ? [[]] : []),
            {},
            [null],
            [[]],
            ...wrongValuesFor(setting.of).filter((value) => value === true),
          ];
    case 'map': {
      const isTags = setting.of === 'tags';
      const invalidNames = ['', ' ', 'a b', 'a:', 'a\n', 'ä', 'x'.repeat(setting.maxNameLength + 1)];
      const invalidTexts = [5, true, null, {}, [], 'a\r\nX-B: c', 'a\u0000', 'a\tb'];
      return [
        ...[5, 'text', true, ['text'], [{}]],
        Object.fromEntries(Array.from({ length: setting.max + 1 }, (_, index) => [`X-${index}`, 'text'])),
        ...[...invalidNames, ...(isTags ? ['-i', 'a=b', 'a;b'] : [])].map((name) => ({ [name]: 'text' })),
        ...[...invalidTexts, ...(isTags ? [] : ['a\nb', 'ä', '\u{1f600}'])].map((text) => ({ 'X-A': text })),
        { 'X-A': 'x'.repeat(setting.maxLength + 1) },
        { 'X-A': 'text', 'x-a': 'text' },
        ...(wrongEntries[setting.of] ?? []),
        ...setting.reserved.map((name) => ({ [name.replace('*', 'id').toUpperCase()]: 'text' })),
      ];
    }
  }
}

/** Wrong entries of maps whose names and values are words. */
const wrongEntries: Readonly<Record<string, readonly object[]>> = {
  channels: [
    ...[
      { SL: 1 },
      { FL: 0 },
      { FL: '0' },
      { FL: -1 },
      { FL: 1.5 },
      { FL: '1:0' },
      { FL: ':1' },
      { FL: '1:' },
    ],
    ...[{ FL: '1:2:3' }, { FL: '' }, { FL: 10_000 }, { FL: ['1'] }, { FL: '1', fl: '2' }, { FL: '01' }],
  ],
  'service-types': [
    ...[{ '0': 'main' }, { eng: 'main' }, { '1:1': 'main' }, { '-1': 'main' }, { '1': 'other' }, { '1': 2 }],
    ...[{ '1': '' }, { '1': 'main', track_1: 'main' }, { track: 'main' }, { '1': ['main'] }],
  ],
};
