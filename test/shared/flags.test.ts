import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isVencError } from '../../src/shared/errors.js';
import { parseAssignments } from '../../src/shared/flag-parsers.js';
import { parseFlags, parseOutputFlag, settingFlags } from '../../src/shared/settings/flags.js';
import { jobTable, outputTable, type SettingsTable } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { matchesGolden } from '../helpers/golden.js';

const isUsageError = (error: unknown) => isVencError(error, 'UsageError');

test('the flags, their arguments and their help match the reviewed file', () => {
  const lines = settingFlags().map(({ flag, argument, repeatable, help, path }) =>
    [path, [flag, argument ?? ''].join(' ').trim() + (repeatable ? ' ...' : ''), help].join('\t'),
  );
  matchesGolden('shared/flags.txt', `${lines.join('\n')}\n`);
});

test('every setting has a flag, except the input, the preset, settings of an output that the job has too, and those that are not applied', () => {
  const applied = (table: SettingsTable) =>
    Object.entries(table).flatMap(([name, { kind }]) => (kind === 'unchecked' ? [] : [name]));
  const named = (path: string) =>
    settingFlags()
      .filter((flag) => flag.path === path)
      .map(({ name }) => name);
  assert.equal(
    named('job'),
    // submit sets input_name, and --preset is an option of the commands.
    applied(jobTable).filter((name) => !['input', 'input_name', 'preset'].includes(name)),
  );
  assert.equal(
    named('output'),
    // --force of submit and run sets overwrite.
    applied(outputTable).filter((name) => !Object.hasOwn(jobTable, name) && name !== 'overwrite'),
  );
});

test('no two flags share a name, and each needs no quoting in a shell', () => {
  const flags = settingFlags();
  assert.is(
    new Set(flags.flatMap(({ flag, negation }) => [flag, negation ?? `${flag}-`])).size,
    2 * flags.length,
  );
  for (const { flag, attribute } of flags) {
    assert.match(flag, /^--[a-z][a-z\d]*(-[a-z\d]+)*$/);
    assert.match(attribute, /^[a-z][a-zA-Z\d]*$/);
  }
});

test('only booleans take no argument, or may have none, and only they can be negated', () => {
  for (const { argument, negation, flag } of settingFlags()) {
    assert.is(argument === null || argument === '[auto]', negation !== null);
    if (negation !== null) assert.is(negation, flag.replace('--', '--no-'));
  }
});

test('flag values become request fields', () => {
  const typed = {
    ...{ test: true, downloadConnections: '9', passThrough: '12', notify: ['http://x/a', 'http://x/b'] },
    ...{ width: '640', frameRate: '29.97', public: true, upscale: false, label: '7', size: '64x48' },
    ...{ startClip: '00:00:05', thumbnails: '3', json: true, verbose: '1' },
  };
  assert.equal(parseFlags(typed), {
    jobFlags: {
      test: 1,
      download_connections: 9,
      pass_through: '12',
      notifications: ['http://x/a', 'http://x/b'],
    },
    outputFlags: {
      label: '7',
      public: 1,
      width: 640,
      size: '64x48',
      upscale: false,
      frame_rate: 29.97,
      start_clip: '00:00:05',
      thumbnails: { number: 3 },
    },
  });
});

test('a value that is not a number is passed on as text, and the service reports it', () => {
  const { outputFlags } = parseFlags({ speed: 'fast', width: '0x10' });
  assert.equal(outputFlags, { speed: 'fast', width: '0x10' });
  const parseRequest = parseJobRequest({ input: 'http://x/a', outputs: [outputFlags] }, { maxOutputs: 1 });
  assert.equal(!parseRequest.ok && parseRequest.validationErrors, [
    'outputs[0].speed must be a whole number from 1 to 5',
    'outputs[0].width must be a whole number from 2 to 8192',
  ]);
});

test('watermarks, thumbnails and grants are written as name=value', () => {
  const typed = {
    watermark: ['url="http://x/a,b.png",x=-0,width=25%', 'url=http://x/c.png?d=e'],
    thumbnails: 'number=5,public=1',
    accessControl: ['grantee=me@x.example,permission=READ', 'grantee=y,permissions="READ,WRITE"'],
  };
  assert.equal(parseFlags(typed).outputFlags, {
    access_control: [
      { grantee: 'me@x.example', permission: ['READ'] },
      { grantee: 'y', permission: ['READ', 'WRITE'] },
    ],
    watermark: [{ url: 'http://x/a,b.png', x: '-0', width: '25%' }, { url: 'http://x/c.png?d=e' }],
    thumbnails: { number: 5, public: 1 },
  });
});

for (const [text, pairs] of [
  ['a=1', [['a', '1']]],
  [
    'a=1,b=2',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  [
    'a="x,y",b=z',
    [
      ['a', 'x,y'],
      ['b', 'z'],
    ],
  ],
  ['a="say ""hi"", please"', [['a', 'say "hi", please']]],
  ['a=b=c', [['a', 'b=c']]],
  ['a=', [['a', '']]],
  ['a=""', [['a', '']]],
  [
    'a=,b=',
    [
      ['a', ''],
      ['b', ''],
    ],
  ],
  ['video-codec=vp8', [['video_codec', 'vp8']]],
  ['a=it\'s "5"', [['a', 'it\'s "5"']]],
  ['a=two\nlines', [['a', 'two\nlines']]],
] as const) {
  test(`${JSON.stringify(text)} is parsed`, () => {
    assert.equal(parseAssignments(text, '--output'), pairs);
  });
}

for (const text of [
  '',
  ' ',
  'a',
  '=1',
  'a=1,',
  ',a=1',
  'a=1,,b=2',
  'a=1,b',
  'a="1',
  'a="1"2',
  '"a=1"',
  'a="1""',
]) {
  test(`${JSON.stringify(text)} is rejected because it is not name=value`, () => {
    assert.throws(() => parseAssignments(text, '--watermark'), isUsageError);
  });
}

test('a rejected value is never repeated, because it may contain a password', () => {
  for (const text of ['ftp://u:hunter2@host', '{"a":"hunter2', 'url=a,hunter2', '{"hunter2":"hunter2"']) {
    assert.throws(
      () => parseOutputFlag(text),
      (error: unknown) => isVencError(error, 'UsageError') && !error.message.includes('hunter2'),
    );
  }
});

test('an output is written as name=value or as JSON', () => {
  assert.equal(parseOutputFlag('video_codec=vp8,one_pass=true,filename="a,b.webm"'), {
    video_codec: 'vp8',
    onepass: true,
    filename: 'a,b.webm',
  });
  assert.equal(parseOutputFlag('thumbnails=3,watermark="url=http://x/a,x=1",watermark=url=http://x/b'), {
    thumbnails: { number: 3 },
    watermark: [{ url: 'http://x/a', x: '1' }, { url: 'http://x/b' }],
  });
  assert.equal(parseOutputFlag('notifications="http://x/a?b=1,c=2",notifications=http://x/d'), {
    notifications: ['http://x/a?b=1,c=2', 'http://x/d'],
  });
  assert.equal(parseOutputFlag('caption_url="url=http://x/a?b=1,language=de",caption_url=http://x/b'), {
    caption_url: [{ url: 'http://x/a?b=1', language: 'de' }, 'http://x/b'],
  });
  assert.equal(parseOutputFlag(' {"speed": 1, "own": [2]}'), { speed: 1, own: [2] });
});

test('an output with an unknown or repeated setting is rejected', () => {
  for (const [text, message] of [
    ['spede=1', '--output has no setting spede.'],
    ['__proto__=1', '--output has no setting __proto__.'],
    ['constructor=1', '--output has no setting constructor.'],
    ['speed=1,speed=2', '--output gives speed more than once.'],
    ['onepass=1,one_pass=1', '--output gives onepass more than once.'],
    ['watermark=size=5', '--output: watermark has no setting size.'],
    ['{', '--output is not valid JSON: syntax error at column 2.'],
    ['{width:100}', '--output is not valid JSON: syntax error at column 2.'],
  ] as const) {
    assert.throws(
      () => parseOutputFlag(text),
      (error: unknown) => isUsageError(error) && error instanceof Error && error.message === message,
    );
  }
});

test.run();
