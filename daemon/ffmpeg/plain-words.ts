/** What may be taken out of a program's words because it means something to nobody but us. */
export interface HiddenWords {
  /** Folders of the daemon's own; paths in them are shown by their last name. */
  readonly folders: readonly string[];
}

const noise =
  /^(?:\s*|Conversion failed!|Exiting normally, received signal \d+\.?|\s*Last message repeated \d+ times|Error opening (?:input|output) files?.*|At least one output file must be specified)$/;

/** A path by its last name; `/dev/...` is no secret, but nobody's business either. */
const anyPath = /(?:file:)?(?:\/[^/\s'":,]+)+\/([^/\s'":,]+)/g;

/** A line without memory addresses, without paths of this machine and without the `file:` that we put in front. */
function plainLine(line: string, hidden: HiddenWords): string {
  const shown = hidden.folders.reduce(
    (text, folder) => (folder === '' ? text : text.replaceAll(`${folder}/`, '').replaceAll(folder, '.')),
    line,
  );
  return shown
    .replace(/\[([^\s\]]+)(?: @ 0x[0-9a-f]+)\]\s*/g, '$1: ')
    .replace(anyPath, '$1')
    .replace(/\bfile:(?=\S)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The last line that means something; null where there is none. */
export function lastWords(said: string, hidden: HiddenWords): string | null {
  const lines = said.split(/[\r\n]+/).filter((line) => !noise.test(line));
  const last = lines.at(-1);
  return last === undefined ? null : plainLine(last, hidden).slice(0, 300);
}
