/** The metrics and labels that a PromQL expression names. */
export interface Selector {
  readonly metric: string;
  /** Matchers in braces. Values with a variable of Grafana are omitted. */
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[];
}

/** What an expression names. */
export interface ParsedQuery {
  readonly selectors: readonly Selector[];
  /** The labels of `by (…)` and `without (…)`. */
  readonly groupLabels: readonly string[];
}

const keywords: ReadonlySet<string> = new Set([
  'and',
  'or',
  'unless',
  'by',
  'without',
  'on',
  'ignoring',
  'bool',
  'offset',
]);
/** Functions and aggregations of PromQL that the files in `contrib/` use. Others must be added, so that a misspelt metric is not taken for one. */
const functions: ReadonlySet<string> = new Set([
  ...['sum', 'min', 'max', 'avg', 'rate', 'increase', 'histogram_quantile', 'predict_linear', 'label_values'],
]);

/** Reads an expression. Throws if it has a name that is neither a metric with braces or without, nor a known function. */
export function parseQuery(expression: string): ParsedQuery {
  const groupLabels: string[] = [];
  const withoutGroups = expression
    .replace(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, list: string) => {
      groupLabels.push(...namesIn(list));
      return ' ';
    })
    .replace(/\[[^\]]*\]/g, ' ');
  const selectors: Selector[] = [];
  const pattern = /([a-zA-Z_:][\w:]*)\s*(\(|\{([^}]*)\})?/g;
  for (const [, name = '', next = '', matchers = ''] of withoutGroups.matchAll(pattern)) {
    if (keywords.has(name)) continue;
    if (next === '(' || functions.has(name)) {
      if (!functions.has(name)) throw new Error(`${name} is no known function: ${expression}`);
      continue;
    }
    selectors.push({ metric: name, matchers: matchersIn(matchers) });
  }
  return { selectors, groupLabels };
}

function namesIn(list: string): readonly string[] {
  return list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

function matchersIn(text: string): Selector['matchers'] {
  return [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
    ([, label = '', operator = '', value = '']) => {
      const alternatives = operator.includes('~') ? value.split('|') : [value];
      return { label, values: value.includes('$') ? [] : alternatives };
    },
  );
}
