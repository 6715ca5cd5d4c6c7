/** One line of the Prometheus text format. */
export interface Sample {
  /** The name and the labels, as they are written. */
  readonly text: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the samples of a scrape. Throws if a line is not in the format. */
export function readSamples(scrape: string): readonly Sample[] {
  const lines = scrape.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const match = /^(([a-zA-Z_:][\w:]*)(?:\{(.*)\})?) (\S+)$/.exec(line);
    if (match === null) throw new Error(`not a sample: ${line}`);
    const [, text = '', name = '', labels = '', value = ''] = match;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return {
      text,
      name,
      labels: Object.fromEntries(pairs.map(([, label = '', of = '']) => [label, of])),
      value: value === 'Nan' ? Number.NaN : Number(value.replace('Inf', 'Infinity')),
    };
  });
}

/** The samples with a name and, if given, these labels. */
export function samplesOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): readonly Sample[] {
  return samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
}
