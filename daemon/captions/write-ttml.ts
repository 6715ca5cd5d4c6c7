import { type Cue, type CueSpan, cuesWithText, timeText } from './cues.js';

/** The text of a TTML 1 document (DFXP) with captions in one language, a code of BCP 47. */
export function ttmlText(cues: readonly Cue[], language: string): string {
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="${escaped(language)}">`,
    '  <body>',
    '    <div>',
    ...cuesWithText(cues).map(
      ({ startMs, endMs, spans }) =>
        `      <p begin="${timeText(startMs)}" end="${timeText(endMs)}">${spans.map(spanText).join('')}</p>`,
    ),
    '    </div>',
    '  </body>',
    '</tt>',
  ];
  return `${lines.join('\n')}\n`;
}

function spanText({ text, isItalic, isBold, isUnderlined }: CueSpan): string {
  const content = text.split('\n').map(escaped).join('<br/>');
  const style = [
    ...(isItalic ? [' tts:fontStyle="italic"'] : []),
    ...(isBold ? [' tts:fontWeight="bold"'] : []),
    ...(isUnderlined ? [' tts:textDecoration="underline"'] : []),
  ].join('');
  return style === '' ? content : `<span${style}>${content}</span>`;
}

/** What XML 1.0 does not allow in a document: control characters and halves of surrogate pairs. */
const notInXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

function escaped(text: string): string {
  return text
    .replaceAll(notInXml, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
