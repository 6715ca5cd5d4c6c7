import type { Command } from 'commander';
import type { Io } from './io.js';
import { createPaint } from './print/paint.js';
import { checkFields, parseFields, project, valueAt } from './print/project.js';
import { table } from './print/table.js';

/** Options of every command that reads: how its answer is printed. */
export interface ReadingOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly fields?: string;
}

/** Adds `--json` and `--fields`, and `--jsonl` to those that answer with many records. */
export function addReadingOptions(command: Command, many: 'many' | 'one'): Command {
  command.option('--json', 'print the answer as one JSON document, in the names and units of the service');
  if (many === 'many') command.option('--jsonl', 'print one JSON object a line');
  return command.option('--fields <names>', 'only these fields, with commas between; a.b is b within a');
}

/** Prints one record: as JSON, as chosen fields, or as text for people. `known` has every field that the document has. */
export async function printRecord(
  io: Io,
  options: ReadingOptions,
  record: { readonly answer: unknown; readonly known: object; readonly text: () => string },
): Promise<void> {
  const paths = fieldsOf(options, record.known, [record.answer]);
  const chosen = paths === null ? record.answer : project(record.answer, paths);
  if (options.json === true) return io.out(`${JSON.stringify(chosen, null, 2)}\n`);
  if (paths === null) return io.out(record.text());
  const rows = paths.map((path) => ({ path, value: plain(valueAt(record.answer, path)) }));
  return io.out(
    table(
      [
        { title: 'FIELD', worth: 1, text: (row) => row.path },
        { title: 'VALUE', worth: 2, text: (row) => row.value },
      ],
      rows,
      Number.POSITIVE_INFINITY,
      createPaint(io.colour.stdout),
    ),
  );
}

/** Prints many records: as one JSON array, as one object a line, as a table of chosen fields, or as text for people. */
export async function printRecords(
  io: Io,
  options: ReadingOptions,
  records: { readonly answers: readonly unknown[]; readonly known: object; readonly text: () => string },
): Promise<void> {
  const paths = fieldsOf(options, records.known, records.answers);
  const chosen = paths === null ? records.answers : records.answers.map((answer) => project(answer, paths));
  if (options.json === true) return io.out(`${JSON.stringify(chosen, null, 2)}\n`);
  if (options.jsonl === true) return io.out(chosen.map((item) => `${JSON.stringify(item)}\n`).join(''));
  if (paths === null) return io.out(records.text());
  const columns = paths.map((path, index) => ({
    title: path.toUpperCase(),
    worth: paths.length - index,
    leastWidth: 8,
    text: (answer: unknown) => plain(valueAt(answer, path)),
  }));
  return io.out(table(columns, records.answers, io.width, createPaint(io.colour.stdout)));
}

function fieldsOf(options: ReadingOptions, known: object, answers: readonly unknown[]) {
  if (options.fields === undefined) return null;
  const paths = parseFields(options.fields);
  checkFields(paths, known, answers);
  return paths;
}

/** An exact value in one line. */
function plain(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(plain).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
