import type { Command } from 'commander';
import type { Io } from './io.js';

/** Text for people. What makes it is loaded only where it is wanted: scripts that read JSON call often, and start-up counts. */
export type LazyText = () => Promise<string>;

/** Options of every command that reads: how its answer is printed. */
export interface ReadingOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly fields?: string;
}

/** Adds `--json` and `--fields`, and `--jsonl` to those that answer with many records. */
export function addReadingOptions(command: Command, many: 'many' | 'one'): Command {
  command.option('--json', 'print the answer as one JSON document, in the names and units of the service');
  if (many === 'many') {
    command.addOption(command.createOption('--jsonl', 'print one JSON object a line').conflicts('json'));
  }
  return command.option('--fields <names>', 'only these fields, with commas between; a.b is b within a');
}

/** Prints one record: as JSON, as chosen fields, or as text for people. `known` has every field that the document has. */
export async function printRecord(
  io: Io,
  options: ReadingOptions,
  record: { readonly answer: unknown; readonly known: object; readonly text: LazyText },
): Promise<void> {
  if (options.fields === undefined) {
    return io.out(options.json === true ? jsonText(record.answer) : io.inMarks(await record.text()));
  }
  const { checkFields, fieldTable, parseFields, project } = await import('./print/fields.js');
  const paths = parseFields(options.fields);
  checkFields(paths, record.known, [record.answer]);
  if (options.json === true) return io.out(jsonText(project(record.answer, paths)));
  return io.out(fieldTable(record.answer, paths, io.colour.stdout));
}

/** Prints many records: as one JSON array, as one object a line, as a table of chosen fields, or as text for people. */
export async function printRecords(
  io: Io,
  options: ReadingOptions,
  records: { readonly answers: readonly unknown[]; readonly known: object; readonly text: LazyText },
): Promise<void> {
  if (options.fields === undefined) {
    return io.out(machineText(records.answers, options) ?? io.inMarks(await records.text()));
  }
  const { checkFields, fieldsTable, parseFields, project } = await import('./print/fields.js');
  const paths = parseFields(options.fields);
  checkFields(paths, records.known, records.answers);
  const chosen = records.answers.map((answer) => project(answer, paths));
  const text = machineText(chosen, options);
  if (text !== null) return io.out(text);
  const size = { width: io.width, hasColour: io.colour.stdout };
  return io.out(io.inMarks(fieldsTable(records.answers, paths, size)));
}

function machineText(values: readonly unknown[], options: ReadingOptions): string | null {
  if (options.json === true) return jsonText(values);
  return options.jsonl === true ? values.map((value) => `${JSON.stringify(value)}\n`).join('') : null;
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
