import { VencError } from '../../shared/errors.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import { commandTable } from '../command-table.js';
import { commandSynonyms } from '../input/synonyms.js';
import { wrapText } from '../output/wrap-text.js';
import type { Io } from '../terminal/io.js';
import { helpTopics } from './topics/index.js';

/** Prints the text of a topic. Rejects with `UsageError` where the word is neither one nor the name of a command. */
export async function printTopic(word: string, io: Io): Promise<void> {
  const topic = Object.hasOwn(helpTopics, word) ? helpTopics[word] : undefined;
  if (topic !== undefined)
    return io.writeStdout(wrapText(await topic.load(), Number.isFinite(io.width) ? io.width : 80));
  const synonym = Object.hasOwn(commandSynonyms, word) ? commandSynonyms[word] : undefined;
  const names = [...Object.keys(commandTable), ...Object.keys(helpTopics)];
  const suggestions = synonym !== undefined && 'is' in synonym ? [synonym.is] : findSuggestions(word, names);
  const hint =
    suggestions.length === 0 ? 'venc help lists them all' : `did you mean ${suggestions.join(' or ')}?`;
  throw new VencError('UsageError', `unknown command '${word}'`, { hint });
}

/** The list of topics, for the end of the program's help. */
export function topicsHelp(): string {
  const width = Math.max(...Object.keys(helpTopics).map((name) => name.length));
  const rows = Object.entries(helpTopics).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `\nTopics (venc help TOPIC):\n${rows.join('\n')}`;
}
