import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatPlanFailure, type PrintedPlan, planText } from '../../../src/cli/commands/plan.js';
import { matchesGolden } from '../../helpers/golden.js';

const program = '/usr/bin/ffmpeg';
const input = ['-y', '-i', "file:/films/it's a film.mov"];
const noTracks = { tracks: [], left_out: [] } as const;
const film = {
  ...{ number: 1, label: null, path: 'film.mp4', source: null, copyOf: null, failure: null },
  ...noTracks,
};
const audioOutput = {
  number: 2,
  label: 'audio',
  path: './output-2.mp3',
  source: null,
  copyOf: null,
  failure: null,
  ...noTracks,
};
const graph = ['-filter_complex', '[0:0]scale=640:360,setsar=1[v]', '-map', '[v]'];
const late = {
  number: 1,
  label: null,
  path: null,
  source: null,
  copyOf: null,
  failure: { errorClass: 'InvalidVideoSettingsError', message: 'The clip begins behind the end.' },
  ...noTracks,
};

test('one output in one step matches the golden file', () => {
  const steps: PrintedPlan['steps'] = [
    { outputs: [1], does: 'encode', args: [...input, ...graph, 'file:film.mp4'] },
  ];
  matchesGolden(
    'cli/plan-one-output.txt',
    planText({ program, outputs: [film], steps }, { destinations: ['film.mp4'], missingFolders: [] }),
  );
});

test('steps for one output, for two and for thumbnails match the golden files', () => {
  const plan: PrintedPlan = {
    program,
    outputs: [film, audioOutput],
    steps: [
      { outputs: [1], does: 'encode', args: [...input, ...graph, '-pass', '1', '-f', 'null', '-'] },
      {
        outputs: [1, 2],
        does: 'encode',
        args: [...input, ...graph, 'file:film.mp4', '-map', '0:1', 'file:./output-2.mp3'],
      },
      { outputs: [1], does: 'thumbnails', args: ['-y', '-i', 'file:film.mp4', 'file:film_%04d.png'] },
    ],
  };
  const path = 'out/a\nb.mp4';
  const destinations = [path, 's3://bucket/audio.mp3'];
  matchesGolden(
    'cli/plan-two-outputs.txt',
    planText(
      { ...plan, outputs: [{ ...film, path }, audioOutput] },
      { destinations, missingFolders: ["my out's"] },
    ),
  );
});

test('an output that cannot be made is reported separately, and the rest of the plan is printed', () => {
  const steps: PrintedPlan['steps'] = [
    { outputs: [2], does: 'encode', args: [...input, 'file:./output-2.mp3'] },
  ];
  const plan: PrintedPlan = { program, outputs: [late, audioOutput], steps };
  assert.is(
    formatPlanFailure(plan, ['a\u001b.mp4', 'b.mp3']),
    'venc: output 1 cannot be made: a\\x1b.mp4: InvalidVideoSettingsError: The clip begins behind the end.\n',
  );
  const text = planText(plan, { destinations: ['a.mp4', 'b.mp3'], missingFolders: [] });
  assert.match(text, '# step 1 of 1, for output 2\n');
  assert.not.match(text, 'a.mp4');
});

test('tracks are named if there are several, or if some are left out', () => {
  const steps: PrintedPlan['steps'] = [{ outputs: [1], does: 'encode', args: [] }];
  const lost = {
    number: 7,
    kind: 'subtitle',
    reason: 'they are images, which .mp4 does not support',
  } as const;
  const textOf = (one: Partial<PrintedPlan['outputs'][number]>) =>
    planText({ program, outputs: [{ ...film, ...one }], steps }, { destinations: [], missingFolders: [] });
  const text = textOf({ tracks: [1, 2, 3], left_out: [lost] });
  assert.match(
    text,
    /^# output 1: film\.mp4\n# {3}tracks 1, 2, 3\n# {3}left out: subtitle 7: they are images, which \.mp4 does not support\n/,
  );
  assert.not.match(textOf({ tracks: [1, 2] }), /tracks/);
});

test('outputs that are made from another output name it, and a transfer is a copy', () => {
  const plan: PrintedPlan = {
    program,
    outputs: [
      film,
      { ...film, number: 2, path: 'small.mp4', source: 1 },
      { ...film, number: 3, path: "it's.mp4", source: 1, copyOf: 'film.mp4' },
    ],
    steps: [{ outputs: [3], does: 'copy', args: ['film.mp4', "it's.mp4"] }],
  };
  assert.is(
    planText(plan, { destinations: ['film.mp4', 'small.mp4', "it's.mp4"], missingFolders: [] }),
    [
      '# output 1: film.mp4',
      '# output 2: small.mp4, made from output 1',
      "# output 3: it's.mp4, a copy of film.mp4",
      '',
      '# step 1 of 1, for output 3: a copy',
      "cp -n -- film.mp4 'it'\\''s.mp4'",
      '',
    ].join('\n'),
  );
});

test('a plan without steps prints nothing', () => {
  assert.is(
    planText({ program, outputs: [late], steps: [] }, { destinations: ['a.mp4'], missingFolders: ['out'] }),
    '',
  );
});

test.run();
