import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutScc } from '../../daemon/captions/scc.js';

const hello = '9420 9420 9470 9470 c845 4c4c 4f80 942f 942f';
const text = `Scenarist_SCC V1.0\n\n00:00:00:10\t${hello}\n\n00:00:02:00\t942c 942c\n\n01:00:00;15\t9420 5745 942f\n\n`;

test('a part begins with the caption that is shown then, and has times from its start', () => {
  assert.is(
    cutScc(text, 1500, 10_000),
    `Scenarist_SCC V1.0\n\n00:00:00:00\t${hello}\n\n00:00:00:15\t942c 942c\n`,
  );
  assert.is(cutScc(text, 0, 1000), `Scenarist_SCC V1.0\n\n00:00:00:10\t${hello}\n`);
  assert.is(
    cutScc(text, 3000, Number.POSITIVE_INFINITY),
    'Scenarist_SCC V1.0\n\n00:59:57:15\t9420 5745 942f\n',
  );
  assert.is(cutScc(text, 2500, 5000), 'Scenarist_SCC V1.0\n');
});

test.run();
