import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { renderTerminalSvg } from '../../scripts/docs/terminal-screenshot.js';

const esc = String.fromCharCode(27);
const screenshot = renderTerminalSvg(
  `${esc}[1m3 jobs${esc}[0m\n  ${esc}[36m███▌░░░░${esc}[39m  44% a<b  c&d\n────\n`,
  30,
  'A screen',
);

test('a bar is drawn as the done part over the whole, without font glyphs', () => {
  assert.match(
    screenshot,
    /<rect [^>]*width="67.2"[^>]*opacity="0.25"\/><rect [^>]*width="29.4"[^>]*fill="#56b6c2"\/>/,
  );
  assert.not.match(screenshot, /[█▌░─]/);
});

test('words are aligned to their columns, and markup in them is escaped', () => {
  const words = [...screenshot.matchAll(/<text x="([\d.]+)"[^>]*>([^<]*)</g)].map(([, x, text]) => [x, text]);
  assert.equal(words, [
    ['14.0', '3 jobs'],
    ['114.8', '44% a&lt;b'],
    ['190.4', 'c&amp;d'],
  ]);
});

test('bold text is bold, and a frame separates the image from the page', () => {
  assert.match(screenshot, /font-weight="bold">3 jobs</);
  assert.match(screenshot, /^<svg [^>]*>\n<title>A screen<\/title>\n<rect [^>]*stroke="#/);
});

test.run();
