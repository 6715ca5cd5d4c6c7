import type { Command } from 'commander';
import { jsonText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import type { Column, TableStyle } from '../output/table.js';
import type { Io } from './io.js';

/**
 * Formats the text for people. Its modules are loaded only when needed, because scripts that read JSON start the
 * command often.
 */
type RenderText = (style: TableStyle) => Promise<string>;

/** Options for the output format of commands that read. */
export interface OutputFormatOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly fields?: string;
}

/** Adds `--json` and `--fields`, and `--jsonl` for commands that print many records. */
export function addOutputFormatOptions(command: Command, many: 'many' | 'one'): Command {
  command.option(
    '--json',
    'print the response as one JSON document, with the names and units of the service',
  );
  if (many === 'many') {
    command.addOption(command.createOption('--jsonl', 'print one JSON object per line').conflicts('json'));
  }
  return command.option('--fields <names>', 'print only these fields, comma-separated; a.b is b within a');
}

/** Prints one record as JSON, as selected fields or as text. `known` has every field of the document. */
export async function printRecord(
  io: Io,
  options: OutputFormatOptions,
  record: { readonly answer: unknown; readonly known: object; readonly text: RenderText },
): Promise<void> {
  if (options.fields === undefined) {
    return io.writeStdout(
      options.json === true
        ? `${jsonText(record.answer, 2)}\n`
        : io.toTerminalSymbols(await record.text(tableStyleOf(io))),
    );
  }
  const { checkFields, fieldTable, parseFields, project } = await import('../output/fields.js');
  const paths = parseFields(options.fields);
  checkFields(paths, record.known, [record.answer]);
  if (options.json === true) return io.writeStdout(`${jsonText(project(record.answer, paths), 2)}\n`);
  return io.writeStdout(fieldTable(record.answer, paths, io.colour.stdout));
}

/** Records to print. */
interface Records {
  readonly items: readonly unknown[];
  /** An object with every field of the document. */
  readonly known: object;
  readonly text: RenderText;
  /** The message if there are no records, such as `no jobs`. */
  readonly emptyText: string;
}

/** Prints many records as a JSON array, as one object per line, as a table of selected fields, or as text. */
export async function printRecords(io: Io, options: OutputFormatOptions, records: Records): Promise<void> {
  const selection = options.fields === undefined ? null : await selectFields(options.fields, records);
  const values = selection?.values ?? records.items;
  if (options.json === true) return io.writeStdout(`${jsonText(values, 2)}\n`);
  if (options.jsonl === true) return io.writeStdout(values.map((value) => `${jsonText(value)}\n`).join(''));
  if (values.length === 0) return io.writeInfo(`venc: ${records.emptyText}\n`);
  const style = tableStyleOf(io);
  return io.writeStdout(
    io.toTerminalSymbols(selection === null ? await records.text(style) : selection.table(style)),
  );
}

function tableStyleOf({ width, colour }: Io): TableStyle {
  return { width, hasColour: colour.stdout };
}

async function selectFields(names: string, { items, known }: Records) {
  const { checkFields, fieldsTable, parseFields, project } = await import('../output/fields.js');
  const paths = parseFields(names);
  checkFields(paths, known, items);
  return {
    values: items.map((answer) => project(answer, paths)),
    table: (style: TableStyle) => fieldsTable(items, paths, style),
  };
}

/** A command that lists accounts, targets or the like. */
interface ListCommand<Row extends object, Options> {
  /** What it lists, in the plural. */
  readonly name: string;
  readonly description: string;
  /** Its notes and examples. */
  readonly details: string;
  /** A record with every field, for `--fields` if there are no records. */
  readonly known: NoInfer<Row>;
  readonly columns: (now: Date) => readonly Column<NoInfer<Row>>[];
  /** Adds more flags. */
  readonly addFlags?: (command: Command) => Command;
  readonly read: (options: Options, context: Context) => Promise<readonly Row[]>;
}

/** Adds the subcommand `list`. */
export function addListCommand<Row extends object, Options extends object = OutputFormatOptions>(
  command: Command,
  { handler }: Context,
  {
    name,
    description,
    details,
    known,
    columns,
    addFlags = (listing) => listing,
    read,
  }: ListCommand<Row, Options>,
): void {
  const list = async (options: Options & OutputFormatOptions, context: Context) => {
    const items = await read(options, context);
    await printRecords(context.io, options, {
      items,
      known,
      emptyText: `no ${name}`,
      text: async ({ width, hasColour }) => {
        const [{ table }, { createTextColours }] = await Promise.all([
          import('../output/table.js'),
          import('../output/paint.js'),
        ]);
        return table(columns(new Date()), items, width, createTextColours(hasColour));
      },
    });
  };
  const listing = addOutputFormatOptions(command.command('list').description(description), 'many');
  addFlags(listing).addHelpText('after', details).action(handler(list));
}
