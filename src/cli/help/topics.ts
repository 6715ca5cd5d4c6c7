import { VencError } from '../../shared/errors.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import { commandTable } from '../command-table.js';
import { commandSynonyms } from '../input/synonyms.js';
import { wrapText } from '../output/wrap-text.js';
import type { Io } from '../terminal/io.js';

/** A text about a subject that concerns several commands: `venc help TOPIC`, and a section of the manual. */
interface HelpTopic {
  /** One line of the list of topics. */
  readonly summary: string;
  /** Loads the text: paragraphs of plain text; examples and tables are indented by two spaces. */
  readonly load: () => Promise<string>;
}

/** Every topic, in the order of the list. */
export const helpTopics: Readonly<Record<string, HelpTopic>> = {
  settings: {
    summary: 'all settings, and how to give them',
    load: async () => (await import('./settings-topic.js')).settingsTopic(),
  },
  requests: {
    summary: 'request files, stdin and several outputs',
    load: async () => (await import('./topic-texts.js')).requestsTopic,
  },
  services: {
    summary: 'how to choose the service: the local daemon or a remote one',
    load: async () => (await import('./topic-texts.js')).servicesTopic,
  },
  states: {
    summary: 'the states of jobs and files, and what they mean',
    load: async () => (await import('./topic-texts.js')).statesTopic(),
  },
  'exit-codes': {
    summary: 'the exit codes and their meaning',
    load: async () => (await import('./topic-texts.js')).exitCodesTopic(),
  },
  environment: {
    summary: 'environment variables, files and folders',
    load: async () => (await import('./topic-texts.js')).environmentTopic(),
  },
  recipes: {
    summary: 'a folder of videos, cron, xargs, jq',
    load: async () => (await import('./topic-texts.js')).recipesTopic,
  },
};

/** Prints the text of a topic. Rejects with `UsageError` if there is neither a topic nor a command of this name. */
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
