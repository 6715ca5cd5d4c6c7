import type { Command } from 'commander';
import { jsonText } from '../../shared/text/json-text.js';
import type { Look } from '../output/table.js';
import type { Io } from './io.js';

/** Text for people. What makes it is loaded only where it is wanted: scripts that read JSON call often, and start-up counts. */
export type LazyText = (look: Look) => Promise<string>;

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
    return io.out(
      options.json === true ? `${jsonText(record.answer, 2)}\n` : io.inMarks(await record.text(lookOf(io))),
    );
  }
  const { checkFields, fieldTable, parseFields, project } = await import('../output/fields.js');
  const paths = parseFields(options.fields);
  checkFields(paths, record.known, [record.answer]);
  if (options.json === true) return io.out(`${jsonText(project(record.answer, paths), 2)}\n`);
  return io.out(fieldTable(record.answer, paths, io.colour.stdout));
}

/** Many records to be printed. */
export interface Records {
  readonly answers: readonly unknown[];
  /** Has every field that the document has. */
  readonly known: object;
  readonly text: LazyText;
  /** What people are told where there are none, such as `no jobs`. */
  readonly none: string;
}

/** Prints many records: as one JSON array, as one object a line, as a table of chosen fields, or as text for people. */
export async function printRecords(io: Io, options: ReadingOptions, records: Records): Promise<void> {
  const chosen = options.fields === undefined ? null : await choose(options.fields, records);
  const values = chosen?.values ?? records.answers;
  if (options.json === true) return io.out(`${jsonText(values, 2)}\n`);
  if (options.jsonl === true) return io.out(values.map((value) => `${jsonText(value)}\n`).join(''));
  if (values.length === 0) return io.note(`venc: ${records.none}\n`);
  const look = lookOf(io);
  return io.out(io.inMarks(chosen === null ? await records.text(look) : chosen.table(look)));
}

function lookOf({ width, colour }: Io): Look {
  return { width, hasColour: colour.stdout };
}

async function choose(names: string, { answers, known }: Records) {
  const { checkFields, fieldsTable, parseFields, project } = await import('../output/fields.js');
  const paths = parseFields(names);
  checkFields(paths, known, answers);
  return {
    values: answers.map((answer) => project(answer, paths)),
    table: (look: Look) => fieldsTable(answers, paths, look),
  };
}
