/*
 * Cuts files of SCC (Scenarist Closed Captions): lines with a time and the codes of CEA-608 that are sent from then on.
 */

/** Times count 30 frames a second. */
const framesPerSecond = 30;

/** The code that shows what was sent before it, and the one that erases what is shown. */
const [showCode, eraseCode] = ['942f', '942c'] as const;

interface SccLine {
  readonly startMs: number;
  readonly codes: string;
}

/**
 * A part of a file of SCC, with times from its start. A caption that is shown when the part starts is sent at its
 * start; one that is shown when it ends is not erased.
 */
export function cutScc(text: string, startMs: number, endMs: number): string {
  const lines = linesOf(text);
  const before = lines.filter((line) => line.startMs < startMs);
  const shown = before.findLast(({ codes }) => codes.includes(showCode) || codes.includes(eraseCode));
  const kept = lines.filter((line) => line.startMs >= startMs && line.startMs < endMs);
  const first = shown?.codes.includes(showCode) ? [{ ...shown, startMs }] : [];
  const written = [...first, ...kept].map((line) => `${timeText(line.startMs - startMs)}\t${line.codes}\n`);
  return ['Scenarist_SCC V1.0\n', ...written].join('\n');
}

function linesOf(text: string): readonly SccLine[] {
  return text.split('\n').flatMap((line) => {
    const [, hours, minutes, seconds, frames, codes] =
      /^(\d\d):(\d\d):(\d\d)[:;](\d\d)\s+([\da-f ]+?)\s*$/i.exec(line.trim()) ?? [];
    if (codes === undefined) return [];
    const wholeSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
    return [
      {
        startMs: wholeSeconds * 1000 + (Number(frames) / framesPerSecond) * 1000,
        codes: codes.toLowerCase(),
      },
    ];
  });
}

function timeText(ms: number): string {
  const frames = Math.round((ms / 1000) * framesPerSecond);
  const seconds = Math.floor(frames / framesPerSecond);
  const parts = [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
    frames % framesPerSecond,
  ];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
