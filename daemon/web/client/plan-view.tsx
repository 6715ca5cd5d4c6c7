/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx';
import { safeText } from '../../../src/shared/text/safe-text.js';
import type { UploadPlan } from '../../dry-run/describe-plan.js';

/** A file and its plan. */
export interface PlannedFile {
  readonly key: number;
  readonly name: string;
  /** null while it is made. */
  readonly plan: UploadPlan | null;
  /** Why there is none; null if there is one. */
  readonly problem: string | null;
}

/** The plans that are shown. */
export interface PlansState {
  readonly files: readonly PlannedFile[];
  /** What is to be said besides, one sentence each. */
  readonly notes: readonly string[];
  /** The number of the file that is being planned, and of all; null when all are. */
  readonly progress: { readonly number: number; readonly count: number } | null;
}

/** What becomes of each file. */
export function Plans({ files, notes, progress }: PlansState) {
  if (files.length === 0 && notes.length === 0) return null;
  return (
    <section aria-labelledby="plans-title">
      <h2 id="plans-title" tabindex={-1}>
        Plan
      </h2>
      <p role="status" class="hint">
        {progress === null ? '' : `Planning file ${progress.number} of ${progress.count}…`}
      </p>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {files.map((file) => (
        <File key={String(file.key)} file={file} />
      ))}
    </section>
  );
}

function File({ file: { key, name, plan, problem } }: { readonly file: PlannedFile }) {
  const sentence = problem ?? plan?.failure ?? null;
  return (
    <div class="plan">
      <h3 id={`plan-${key}`}>
        <bdi>{safeText(name)}</bdi>
      </h3>
      {sentence === null ? null : <p class="problem">{safeText(sentence)}</p>}
      {plan === null ? null : <Known plan={plan} titleId={`plan-${key}`} />}
    </div>
  );
}

/** In a narrow window the table is drawn as blocks, in which browsers see no table without roles. */
const roles = {
  ...{ table: { role: 'table' }, group: { role: 'rowgroup' }, row: { role: 'row' } },
  ...{ header: { role: 'columnheader' }, cell: { role: 'cell' } },
} as const;

const columns = ['Output', 'File', 'Video', 'Audio', 'Size'] as const;

function Known({ plan, titleId }: { readonly plan: UploadPlan; readonly titleId: string }) {
  const { unknown, isWhole, input, outputs, warnings, commands } = plan;
  return (
    <>
      {unknown === null ? null : <p>{unknown}</p>}
      {input === null ? null : (
        <p class="hint">
          {safeText(input)}
          {isWhole ? '' : '. From its start and its end: the whole file may say more.'}
        </p>
      )}
      {outputs.length === 0 ? null : (
        <table class="outputs" {...roles.table} aria-labelledby={titleId}>
          <thead {...roles.group}>
            <tr {...roles.row}>
              {columns.map((column) => (
                <th key={column} {...roles.header} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody {...roles.group}>
            {outputs.map((output) => (
              <Output key={output.name} output={output} />
            ))}
          </tbody>
        </table>
      )}
      {warnings.length === 0 ? null : (
        <ul class="notes">
          {warnings.map((warning) => (
            <li key={warning}>{safeText(warning)}</li>
          ))}
        </ul>
      )}
      {commands.length === 0 ? null : (
        <details>
          <summary>Command lines of ffmpeg</summary>
          {commands.map((command) => (
            <pre key={command} tabindex={0}>
              {safeText(command)}
            </pre>
          ))}
        </details>
      )}
    </>
  );
}

function Output({ output }: { readonly output: UploadPlan['outputs'][number] }) {
  const { name, file, video, audio, size, leftOut, problem } = output;
  if (problem !== null)
    return (
      <tr {...roles.row}>
        <Cell column="Output">{safeText(name)}</Cell>
        <td {...roles.cell} colspan={4} data-column="">
          <span>Is not made: {safeText(problem)}</span>
        </td>
      </tr>
    );
  return (
    <tr {...roles.row}>
      <Cell column="Output">{safeText(name)}</Cell>
      <Cell column="File">
        {file}
        {leftOut.map((text) => (
          <span class="left" key={text}>
            without {safeText(text)}
          </span>
        ))}
      </Cell>
      <Cell column="Video">{video ?? 'none'}</Cell>
      <Cell column="Audio">{audio.length === 0 ? 'none' : audio.map(safeText).join('; ')}</Cell>
      <Cell column="Size">{size ?? 'depends on the content'}</Cell>
    </tr>
  );
}

function Cell({
  column,
  children,
}: {
  readonly column: (typeof columns)[number];
  readonly children?: Child;
}) {
  return (
    <td {...roles.cell} data-column={column}>
      <span>{children}</span>
    </td>
  );
}
