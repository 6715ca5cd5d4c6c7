import { type Figure, isMet } from './measure.js';

const digits = { x: 2, ms: 3, MB: 1 } as const satisfies Record<Figure['unit'], number>;

/** The figures as an aligned table, one a line, with a head. */
export function tableOf(figures: readonly Figure[]): string {
  const head = ['figure', 'median', 'quartiles', 'target', '', 'in numbers'];
  const rows = [head, ...figures.map(rowOf)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function rowOf(figure: Figure): readonly string[] {
  const { name, unit, value, atMost, atLeast, basis } = figure;
  const text = (number: number): string => number.toFixed(digits[unit]);
  const met = isMet(figure);
  const target = atLeast !== undefined ? `>= ${text(atLeast)}` : atMost === null ? '' : `<= ${text(atMost)}`;
  return [
    name,
    `${text(value.median)} ${unit}`,
    `${text(value.low)}-${text(value.high)}`,
    target,
    met === null ? '' : met ? 'met' : 'missed',
    basis,
  ];
}
