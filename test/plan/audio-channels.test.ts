import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths } from './facts.js';

const track = (streamIndex: number, over: Parameters<typeof audioFacts>[0] = {}) =>
  audioFacts({ streamIndex, channels: 1, language: 'deu', ...over });
const six = mediaFacts({ audio: track(1, { channels: 6 }) });
const tracks = mediaFacts({
  audio: track(1, { language: 'eng', dispositions: ['default'] }),
  otherAudio: [
    track(2),
    track(3, { channels: 2, dispositions: ['comment'] }),
    track(4, { language: 'eng', durationSeconds: 4, dispositions: ['comment', 'hearing_impaired'] }),
    track(6, { channels: 2 }),
  ],
  unused: { tracks: [{ streamIndex: 5, kind: 'audio', codec: 'none', reason: 'unknown-codec' }] },
});
const ofSix = { FL: '1', FR: '2', FC: '3:1', LFE: '3:2', BL: '4', BR: '6:1' } as const;

function planned(settings: OutputSettings, media = tracks, filename = 'a.mp4') {
  const made = plan([output(settings, filename)], media, paths, newCapabilities);
  const args = made.steps.map((step) => step.args.join(' ')).join('\n');
  const [product] = made.products;
  return {
    args,
    stream: / -map 0:([1-9])/.exec(args)?.[1],
    graph: /;(\[0:.*\[a\]) /.exec(args)?.[1] ?? '',
    channels: product?.audio.map(({ channels }) => channels),
    // Not about the track that cannot be used.
    warnings: (product?.warnings ?? []).filter((one) => !one.includes('left out')).join(' '),
    product,
    failure: made.rejections[0]?.failure,
  };
}

test('the number of channels is the requested one, or a mix with a warning, or an error in strict mode', () => {
  const of = (channels: number) => mediaFacts({ audio: track(1, { channels }) });
  const names = ['fl', 'fr', 'fc', 'lfe', 'bl', 'br'];
  for (const [given, input, expected] of [
    [['6'], 6, 6],
    [['6'], 7, 6],
    [['6'], 8, 6],
    [names, 6, 6],
    [names, 8, 6],
    [['1'], 6, 1],
    [['2'], 6, 2],
    [['2'], 1, 2],
    [['fc'], 1, 1],
    [['fc'], 6, 1],
    [['fl', 'fr'], 3, 2],
    [['dl', 'dr'], 2, 2],
  ] as const) {
    const { channels, warnings, failure } = planned(
      { output_audio_channels: given, strict: true },
      of(input),
    );
    assert.equal([channels, warnings, failure], [[expected], '', undefined], `${given} of ${input}`);
  }
  for (const [given, input, expected, message] of [
    [['6'], 2, 2, 'audio with 2 channels does not have those of 5.1'],
    [['6'], 1, 2, 'audio with 1 channel does not have those of 5.1'],
    [['6'], 16, 2, 'audio with 16 channels does not have those of 5.1'],
    [names, 7, 2, 'audio with 7 channels does not have those of FL,FR,FC,LFE,BL,BR'],
    [['fc'], 2, 1, 'audio with 2 channels does not have those of FC'],
    [['fl', 'fr'], 1, 2, 'audio with 1 channel does not have those of FL,FR'],
    [['dl', 'dr'], 6, 2, 'audio with 6 channels does not have those of DL,DR'],
  ] as const) {
    const { channels, warnings } = planned({ output_audio_channels: given }, of(input));
    assert.equal(channels, [expected]);
    assert.is(warnings, `output_audio_channels was corrected to ${expected}: ${message}.`);
    const { failure } = planned({ output_audio_channels: given, strict: true }, of(input));
    assert.is(failure?.errorClass, 'InvalidAudioSettingsError');
    assert.match(failure?.message ?? '', message);
  }
});

test('what the request alone decides is corrected at the create, and an error in strict mode', () => {
  for (const [settings, field, message] of [
    [
      { audio_codec: 'mp3', output_audio_channels: ['6'] },
      'output_audio_channels',
      'corrected to 2: mp3 has no 5.1',
    ],
    [
      { audio_codec: 'mp3', output_audio_channels: ['fl', 'fr', 'fc', 'lfe', 'bl', 'br'] },
      'output_audio_channels',
      'corrected to 2: mp3 has no 5.1',
    ],
    [
      { input_audio_channels: { FL: '1', FR: '2' }, output_audio_channels: ['6'] },
      'output_audio_channels',
      'corrected to 2: input_audio_channels does not name all channels of 5.1',
    ],
  ] as const satisfies readonly (readonly [OutputSettings, string, string])[]) {
    const checked = checkCombination(settings, 'a.mp4', newCapabilities, 'outputs[0]');
    const [warning] = checked.ok ? checked.warnings : [];
    assert.is(warning?.field, `outputs[0].${field}`);
    assert.match(warning?.message ?? '', message);
    assert.ok(warning?.strictError);
    const { channels, warnings } = planned(settings);
    assert.equal(channels, [2]);
    assert.not.match(warnings, /output_audio_channels/);
  }
});

test('settings that another one overrides are warnings, and errors in strict mode', () => {
  const of = (settings: object, strict = false) => {
    const outputs = [{ ...settings, strict }];
    const parsed = parseJobRequest({ input: 'http://a/b', outputs }, { maxOutputs: 1 });
    return parsed.ok
      ? parsed.warnings.map(({ field, message }) => `${field} ${message}`)
      : parsed.validationErrors;
  };
  const channels = { FL: 1, FR: 2 };
  for (const [settings, name, by] of [
    [{ audio_channels: 1, output_audio_channels: 6 }, 'audio_channels', 'output_audio_channels'],
    [{ audio_tracks: 'all', input_audio_channels: channels }, 'audio_tracks', 'input_audio_channels'],
    [
      { select_audio_language: 'de', input_audio_channels: channels },
      'select_audio_language',
      'input_audio_channels',
    ],
    [
      { select_audio_service_type: 'main', input_audio_channels: channels },
      'select_audio_service_type',
      'input_audio_channels',
    ],
    [{ select_audio_service_type: 'main', audio_tracks: 'all' }, 'select_audio_service_type', 'audio_tracks'],
  ] as const) {
    assert.equal(of(settings), [`outputs[0].${name} has no effect with ${by}`]);
    assert.equal(of(settings, true), [`outputs[0].${name} must not be given with ${by}`]);
  }
  assert.equal(of({ audio_channels: 2, output_audio_channels: ['FL', 'FR'] }), []);
});

test('joined channels are one track in its own graph, as long as the longest, and no track is left out', () => {
  const settings = { input_audio_channels: ofSix, output_audio_channels: ['6'] };
  const { graph, args, channels, warnings, product } = planned(settings);
  assert.equal(channels, [6]);
  assert.match(
    graph,
    /^\[0:1\]aresample=.*?,aformat=.*?channel_layouts=mono,apad=whole_len=\d+\[FL\];\[0:2\]/,
  );
  assert.match(graph, /\[0:3\][^;]*pan=mono\|c0=c0[^;]*\[FC\];\[0:3\][^;]*pan=mono\|c0=c1[^;]*\[LFE\]/);
  assert.match(
    graph,
    '[FL][FR][FC][LFE][BL][BR]amerge=inputs=6,aformat=sample_fmts=fltp,pan=5.1|c0=1*c0|c1=1*c1|c2=1*c2',
  );
  assert.match(args, / -map \[v\] -map \[a\] /);
  assert.not.match(args, / -af /);
  assert.not.match(args, /-metadata:s:a:0/);
  assert.is(warnings, '');
  assert.equal(
    product?.origins?.leftOut.map(({ streamIndex, reason }) => [streamIndex, reason]),
    [[5, 'ffmpeg does not know its codec']],
  );
  const german = planned({ input_audio_channels: { FL: '2', FR: '3:1' } });
  assert.match(german.args, /-metadata:s:a:0 language=deu/);
});

test('a whole track with several channels is mixed with a warning; what the input lacks is an error', () => {
  const { warnings, graph } = planned({ input_audio_channels: { FC: '3' } });
  assert.is(warnings, 'The 2 channels of audio track 3 were mixed for FC: 3:1 names the first one.');
  assert.match(graph, /rematrix_maxval=1.*channel_layouts=mono/);
  for (const [channels, message] of [
    [{ FL: '7', FR: '1' }, 'names track 7 for FL, but the audio tracks of the input are 1, 2, 3, 4, 6'],
    [{ FL: '5', FR: '1' }, 'names track 5 for FL, but the audio tracks of the input are 1, 2, 3, 4, 6'],
    [{ FL: '3:3', FR: '1' }, 'names channel 3 of track 3 for FL, which has 2'],
  ] as const) {
    const { failure } = planned({ input_audio_channels: channels });
    assert.is(failure?.errorClass, 'InvalidAudioSettingsError');
    assert.is(failure?.message, `input_audio_channels ${message}.`);
  }
  const phone = mediaFacts({ audio: track(1, { codec: 'amr_nb' }) });
  const packed = planned({ input_audio_channels: { FC: '1' } }, phone);
  assert.is(packed.failure?.errorClass, 'InvalidAudioSettingsError');
  assert.match(packed.failure?.message ?? '', /cannot use amr_nb/);
  const silent = mediaFacts({ audio: null });
  assert.match(
    planned({ input_audio_channels: { FC: '1' } }, silent).failure?.message ?? '',
    /input are none/,
  );
  assert.is(planned({ input_audio_channels: { FC: '1' }, skip_audio: true }, silent).failure, undefined);
});

test('a copy ignores the channels, and a copy that may be encoded is encoded', () => {
  const copied = planned({ copy_audio: true, input_audio_channels: ofSix, audio_tracks: ['2'] });
  assert.match(copied.args, / -map 0:2 .*-c:a copy/);
  assert.match(
    planned({ copy_audio: 'auto', input_audio_channels: { FC: '1' } }).args,
    / -map \[a\] .*-c:a aac/,
  );
  assert.match(planned({ copy: true, input_audio_channels: { FC: '1' } }).args, /-c:v copy .*-c:a aac/);
  assert.match(planned({ copy_audio: 'auto', output_audio_channels: ['6'] }, six).args, /-c:a copy/);
  assert.match(planned({ copy_audio: 'auto', output_audio_channels: ['fc'] }, six).args, /-c:a aac/);
});

test('a service type selects the first track that declares it or that the request names, and the language too', () => {
  for (const [settings, stream] of [
    [{ select_audio_service_type: 'commentary' }, '3'],
    [{ select_audio_service_type: 'main' }, '1'],
    [{ select_audio_service_type: 'main', select_audio_language: 'de' }, '2'],
    [{ select_audio_service_type: 'commentary', select_audio_language: 'en' }, '4'],
    [{ select_audio_service_type: 'hearing_impaired' }, '4'],
    [{ select_audio_service_type: 'emergency', input_audio_service_types: { '6': 'emergency' } }, '6'],
    [{ select_audio_service_type: 'commentary', input_audio_service_types: { '3': 'main' } }, '4'],
    [
      { select_audio_service_type: 'main', input_audio_service_types: { '1': 'dialogue', '2': 'dialogue' } },
      '6',
    ],
    [{ select_audio_service_type: 'commentary', copy_audio: true }, '3'],
  ] as const satisfies readonly (readonly [OutputSettings, string])[]) {
    const found = planned({ skip_video: true, ...settings }, tracks, 'a.mkv');
    assert.is(found.stream, stream, JSON.stringify(settings));
    assert.is(found.warnings, '');
  }
  const none = planned({
    select_audio_service_type: 'voice_over',
    input_audio_service_types: { '9': 'voice_over' },
  });
  assert.is(none.stream, '1');
  assert.is(
    none.warnings,
    'input_audio_service_types names 9, but the input has 5 audio tracks. The input has no audio track for the purpose of select_audio_service_type, so the default track is used.',
  );
  const strict = planned({
    select_audio_service_type: 'emergency',
    select_audio_language: 'fr',
    strict: true,
  });
  assert.is(strict.failure?.errorClass, 'NoMediaError');
  assert.match(strict.failure?.message ?? '', /in the language of .* and for the purpose of /);
});

test.run();
