/** What may be taken out of a program's words because it means something to nobody but us. */
export interface RedactionOptions {
  /** Folders of the daemon's own; paths in them are shown by their last name. */
  readonly folders: readonly string[];
}

const noisePattern =
  /^(?:\s*|Conversion failed!|Exiting normally, received signal \d+\.?|\s*Last message repeated \d+ times|Error opening (?:input|output) files?.*|At least one output file must be specified)$/;

/** A path by its last name; `/dev/...` is no secret, but nobody's business either. */
const anyPath = /(?:file:)?(?:\/[^/\s'":,]+)+\/([^/\s'":,]+)/g;

/** A line without memory addresses, without paths of this machine and without the `file:` that we put in front. */
function redactLine(line: string, redaction: RedactionOptions): string {
  const redacted = redaction.folders.reduce(
    (text, folder) => (folder === '' ? text : text.replaceAll(`${folder}/`, '').replaceAll(folder, '.')),
    line,
  );
  return redacted
    .replace(/\[([^\s\]]+)(?: @ 0x[0-9a-f]+)\]\s*/g, '$1: ')
    .replace(anyPath, '$1')
    .replace(/\bfile:(?=\S)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The last line that means something; null where there is none. */
export function lastErrorLine(stderr: string, redaction: RedactionOptions): string | null {
  const lines = stderr.split(/[\r\n]+/).filter((line) => !noisePattern.test(line));
  const last = lines.at(-1);
  return last === undefined ? null : redactLine(last, redaction).slice(0, 300);
}
