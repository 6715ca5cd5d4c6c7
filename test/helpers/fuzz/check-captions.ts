import * as assert from 'uvu/assert';
import { type Captions, clipCues, cuesWithText, plainText } from '../../../daemon/captions/cues.js';
import {
  detectFormat,
  isConverted,
  readCaptions,
  validateConverted,
} from '../../../daemon/captions/read-captions.js';
import { cutScc } from '../../../daemon/captions/scc.js';
import { subripText } from '../../../daemon/captions/subrip.js';
import { assText } from '../../../daemon/captions/substation.js';
import { timedTextFile } from '../../../daemon/captions/timed-text.js';
import { webvttText } from '../../../daemon/captions/webvtt.js';
import { ttmlText } from '../../../daemon/captions/write-ttml.js';

/** The longest clip of a video, in ms. */
const maxClipMs = 100 * 3_600_000;

/**
 * Reads a caption file, and writes what was read in every format. Reading ends with captions whose times are valid, or with `RangeError`.
 * What is written can be read again, with as many captions. Returns what the file was.
 */
export function checkCaptionText(text: string): string {
  const format = detectFormat(text);
  if (format === null) return 'unknown';
  try {
    if (isConverted(format)) {
      validateConverted(text, format);
      cutScc(text, 500, 1500);
      return format;
    }
    const captions = readCaptions(text, format);
    for (const { startMs, endMs } of captions.cues)
      assert.ok(
        Number.isFinite(startMs) && startMs >= 0 && endMs > startMs,
        `${startMs} to ${endMs}: ${text}`,
      );
    checkWritten({ ...captions, cues: clipCues(captions.cues, 0, maxClipMs) });
    return format;
  } catch (error) {
    if (error instanceof RangeError && error.message.length > 8) return `${format} invalid`;
    throw new Error(`${String(error)}\n${JSON.stringify(text)}`);
  }
}

function checkWritten(captions: Captions): void {
  const { cues, language } = captions;
  const count = cuesWithText(cues).length;
  if (count === 0) return;
  const written: Readonly<Record<string, string>> = {
    srt: subripText(captions),
    webvtt: webvttText(captions),
    ...(captions.syntax === 'ass' ? { ssa: assText(captions) } : {}),
    ttml: ttmlText(cues, language ?? 'und'),
  };
  for (const [format, content] of Object.entries(written) as ['srt' | 'webvtt' | 'ssa' | 'ttml', string][]) {
    // Drawings are kept only by ASS.
    const again = rereadCount(content, format);
    const kept = format === 'srt' ? cues.filter((cue) => hasTextWithoutTags(plainText(cue))).length : count;
    assert.ok(
      again >= Math.min(kept, count),
      `${count} captions are ${again} when written as ${format}: ${JSON.stringify(content)}`,
    );
  }
  assert.ok(timedTextFile(cues).length > 0);
}

function rereadCount(content: string, format: 'srt' | 'webvtt' | 'ssa' | 'ttml'): number {
  try {
    return readCaptions(content, format).cues.length;
  } catch (error) {
    throw new Error(`written ${format} cannot be read: ${String(error)}: ${JSON.stringify(content)}`);
  }
}

/** SubRip has no form for a text that looks like a tag, such as `</i>`. */
function hasTextWithoutTags(text: string): boolean {
  return text.replaceAll(/<[^>]*>/g, '').trim() !== '';
}
