import { Box } from 'ink';
import type { ReactNode } from 'react';
import { type FileColumn, fileCell, fileColumns } from '../file-cells.js';
import type { FittedColumn } from '../fit-columns.js';
import type { JobColumn } from '../job-cells.js';
import type { Tone, WatchedFile, WatchedJob } from '../watch-types.js';
import { Row } from './Row.js';
import { Tint } from './Tint.js';

/** Cells in front of the lines that lead to the files: below the ids of jobs. */
const indent = 2;

/** How many rows the details of a job would like to have. */
export function detailRows(job: WatchedJob): number {
  if (job.loss !== null || job.files.length === 0) return 1;
  return job.files.length + job.files.filter((file) => file.fault !== null).length;
}

/** The files of a job, one a row, a failed one with its reason below; in `rows` rows at most. */
export function Details(props: {
  readonly job: WatchedJob;
  /** The columns of the table of jobs, which those of the files stand below. */
  readonly jobColumns: readonly FittedColumn<JobColumn>[];
  readonly columns: number;
  readonly rows: number;
}): ReactNode {
  const { job, columns, rows } = props;
  const lines = linesOf(job, fileColumns(props.jobColumns, columns));
  const isCut = lines.length > rows;
  const shown = isCut ? lines.slice(0, Math.max(0, rows - 1)) : lines;
  return (
    <Box flexDirection="column" paddingLeft={indent} height={Math.min(lines.length, rows)}>
      {shown}
      {isCut && rows > 0 && <Tint tone="quiet">... {lines.length - shown.length} lines more</Tint>}
    </Box>
  );
}

function linesOf(job: WatchedJob, columns: readonly FittedColumn<FileColumn>[]): readonly ReactNode[] {
  if (job.loss !== null) return [remark(job.loss.message, 'bad')];
  if (job.files.length === 0) return [remark('nothing is known yet', 'quiet')];
  const last = job.files.at(-1);
  const rowOf = (file: WatchedFile): ReactNode => (
    <Box key={file.id} columnGap={1} height={1}>
      <Tint tone="quiet">{file === last ? '└' : '├'}</Tint>
      <Row columns={columns} cell={(name, cells) => fileCell(job, file, name, cells)} />
    </Box>
  );
  return job.files.flatMap((file) =>
    file.fault === null
      ? [rowOf(file)]
      : [
          rowOf(file),
          <Tint
            key={`fault of ${file.id}`}
            tone="bad"
          >{`${file === last ? ' ' : '│'}   ${file.fault}`}</Tint>,
        ],
  );
}

function remark(text: string, tone: Tone): ReactNode {
  return (
    <Tint key="remark" tone={tone}>
      {text}
    </Tint>
  );
}
