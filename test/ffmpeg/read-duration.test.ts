import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readDuration } from '../../daemon/ffmpeg/probe/read-streams.js';
import { audioFacts, videoFacts } from '../plan/facts.js';

const lasting = (durationSeconds: number | null, startSeconds = 0) => ({ durationSeconds, startSeconds });

/** Durations of the container, the video and the audio, and the resulting duration. */
const cases = [
  ['60', lasting(2), lasting(2.02), 2.02, 'a subtitle that stays for a minute does not count'],
  ['60', lasting(59.9), lasting(59.5), 60, 'a slightly shorter duration is the same'],
  ['60', lasting(2), lasting(null), 60, 'a stream without a duration may last to the end'],
  ['10', lasting(2, 5), lasting(10, 1), 10, 'a stream that begins late ends late'],
  ['60', lasting(3, 101), lasting(2, 100), 4, 'times need not begin at zero'],
  ['N/A', lasting(2.8), lasting(2), 3, 'without a container duration, the longest stream counts'],
] as const;

for (const [declared, video, audio, expected, fact] of cases) {
  test(fact, () => {
    const streams = [{ duration: '3' }, { duration: '2' }];
    const chosen = [videoFacts(video), audioFacts(audio)];
    assert.is(readDuration({ duration: declared }, streams, chosen), expected);
  });
}

test('a missing stream does not count', () => {
  assert.is(readDuration({ duration: '60' }, [], [videoFacts(lasting(2)), null]), 2);
});

test.run();
