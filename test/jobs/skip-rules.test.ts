import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { exclusionReason, savingReason } from '../../daemon/jobs/skip-rules.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { changedAt, file, jobIn, media, sampleFailure } from './sample-job.js';

function facts(edit: { readonly video?: null | object; readonly audio?: null | object }): MediaFacts {
  const video = {
    streamIndex: 0,
    codec: 'h264',
    width: 640,
    height: 360,
    sampleAspectRatio: { numerator: 1, denominator: 1 },
    rotationDegrees: 0,
    frameRate: null,
    isFrameRateVariable: false,
    fieldOrder: 'progressive',
    pixelFormat: null,
    bitrateKbps: 800,
    durationSeconds: 10,
    startSeconds: 0,
  } as const;
  const audio = {
    streamIndex: 1,
    codec: 'aac',
    channels: 2,
    sampleRate: 48_000,
    bitrateKbps: 128,
    durationSeconds: 10,
    startSeconds: 0,
  } as const;
  return {
    format: 'mpeg4',
    durationSeconds: 10,
    totalBitrateKbps: 900,
    video: edit.video === null ? null : { ...video, ...edit.video },
    audio: edit.audio === null ? null : { ...audio, ...edit.audio },
  };
}

const whole = facts({});
const cases: readonly (readonly [object, MediaFacts, boolean])[] = [
  [{}, whole, false],
  [{ min_size: '640x360' }, whole, false],
  [{ min_size: '641x360' }, whole, true],
  [{ min_size: '360x640' }, whole, false],
  [{ max_size: '640x360' }, whole, false],
  [{ max_size: '639x360' }, whole, true],
  [{ min_size: '8000x8000' }, facts({ video: null }), false],
  [{ min_duration: 10 }, whole, false],
  [{ min_duration: 10.1 }, whole, true],
  [{ max_duration: 10 }, whole, false],
  [{ max_duration: '9.9' }, whole, true],
  [{ min_duration: 10.1 }, { ...whole, durationSeconds: null }, false],
  [{ min_audio_bitrate: 128, max_audio_bitrate: 128 }, whole, false],
  [{ min_audio_bitrate: 129 }, whole, true],
  [{ max_audio_bitrate: 127 }, whole, true],
  [{ min_audio_bitrate: 129 }, facts({ audio: { bitrateKbps: null } }), false],
  [{ min_video_bitrate: 800, max_video_bitrate: 800 }, whole, false],
  [{ min_video_bitrate: 801 }, whole, true],
  [{ max_video_bitrate: 799 }, whole, true],
  [{ require_audio: true }, whole, false],
  [{ require_audio: true }, facts({ audio: null }), true],
  [{ require_video: true }, facts({ video: null }), true],
  [{ require_video: false }, facts({ video: null }), false],
  [{ min_duration: 1, max_size: '2x2' }, whole, true],
];

for (const [skip, input, expected] of cases) {
  test(`${JSON.stringify(skip)} ${expected ? 'excludes' : 'keeps'} an output`, () => {
    assert.is(exclusionReason(settingsOf({ skip }), input) !== null, expected);
  });
}

test('the reason names the rule and both values', () => {
  const reasons = (skip: object, input = whole) => exclusionReason(settingsOf({ skip }), input);
  assert.is(
    reasons({ min_video_bitrate: 801 }),
    'This output was skipped, because the input has 800 Kbps of video, and skip.min_video_bitrate asks for 801.',
  );
  assert.is(
    reasons({ max_duration: 9.9 }),
    'This output was skipped, because the input has 10 seconds, and skip.max_duration allows 9.9.',
  );
  assert.is(
    reasons({ require_audio: true }, facts({ audio: null })),
    'This output was skipped, because the input has no audio.',
  );
});

function parse(output: object) {
  return parseJobRequest({ input: 'http://example.com/a.mp4', outputs: [output] }, { maxOutputs: 5 });
}

function settingsOf(output: object) {
  const parsed = parse(output);
  if (!parsed.ok) throw new Error(parsed.validationErrors.join('; '));
  return parsed.request.outputs[0] ?? {};
}

test('the flat names are merged into skip', () => {
  assert.equal(settingsOf({ min_size: '10x10', skip: { max_duration: 5 } }), {
    skip: { min_size: { width: 10, height: 10 }, max_duration: 5 },
  });
  assert.equal(settingsOf({ min_duration: 2, skip: { min_duration: 2 } }), { skip: { min_duration: 2 } });
});

const invalid: readonly (readonly [object, RegExp])[] = [
  [
    { min_size: '20x20', max_size: '10x10' },
    /^outputs\[0\]\.skip\.min_size must not be larger than max_size$/,
  ],
  [{ min_duration: 2, max_duration: 1 }, /skip\.min_duration must not be larger than max_duration/],
  [{ min_audio_bitrate: 2, max_audio_bitrate: 1 }, /skip\.min_audio_bitrate must not be larger/],
  [{ min_video_bitrate: 2, max_video_bitrate: 1 }, /skip\.min_video_bitrate must not be larger/],
];

test('an error about flat rules names them as they were sent', () => {
  const flat = parse({ min_size: '20x20', max_size: '10x10' });
  assert.equal(flat.ok ? [] : flat.validationErrors, [
    'outputs[0].min_size must not be larger than max_size',
  ]);
  const mixed = parse({ max_duration: 1, skip: { min_duration: 2 } });
  assert.equal(mixed.ok ? [] : mixed.validationErrors, [
    'outputs[0].skip.min_duration must not be larger than max_duration',
  ]);
});

for (const [skip, message] of invalid) {
  test(`${JSON.stringify(skip)} is rejected`, () => {
    const parsed = parse({ skip });
    assert.match(parsed.ok ? '' : (parsed.validationErrors[0] ?? ''), message);
  });
}

test('different values of both forms are rejected, and an unknown rule is a warning', () => {
  const parsed = parse({ min_size: '20x20', skip: { min_size: '10x10' } });
  assert.match(parsed.ok ? '' : (parsed.validationErrors[0] ?? ''), /must have the same value/);
  const [warning] = parse({ skip: { min_siz: '10x10' } }).warnings;
  assert.is(warning?.field, 'outputs[0].skip.min_siz');
});

const running = () => jobIn({ job: 'processing', input: 'finished', outputs: ['queued', 'processing'] });

test('a job whose outputs are finished or skipped is finished', () => {
  const skipped = apply(running(), { type: 'output-skipped', id: 9, reason: 'It is too short.' }, changedAt);
  assert.equal(
    [skipped.state, skipped.outputs[0]?.state, skipped.outputs[0]?.finishedAt],
    ['processing', 'skipped', changedAt.toISOString()],
  );
  assert.equal(skipped.outputs[0]?.warnings, ['It is too short.']);
  const done = apply(skipped, { type: 'output-finished', id: 10, media, file }, changedAt);
  assert.is(done.state, 'finished');
  const failed = apply(skipped, { type: 'output-failed', id: 10, failure: sampleFailure }, changedAt);
  assert.is(failed.state, 'failed');
  const again = apply(failed, { type: 'resubmitted' }, changedAt).outputs[0];
  assert.equal([again?.state, again?.warnings], ['waiting', undefined]);
  assert.is(apply(skipped, { type: 'lost' }, changedAt).outputs[0]?.state, 'skipped');
});

test('a file that saves less than skip.min_saving is excluded, whatever the input is', () => {
  const skip = { min_saving: 20 };
  assert.is(savingReason({ skip }, 800, 1000), null);
  assert.is(
    savingReason({ skip }, 801_000, 1_000_000),
    'This output was skipped, because its file has 801 kB and the input 1.0 MB, and skip.min_saving asks for 20 percent less.',
  );
  assert.is(savingReason({}, 2000, 1000), null);
});

test.run();
