/** A text about something that concerns several commands: `venc help TOPIC`, and a section of the manual. */
export interface HelpTopic {
  /** One line of the list of topics. */
  readonly summary: string;
  /** Loads the text: paragraphs in plain words, examples and tables indented by two blanks. */
  readonly load: () => Promise<string>;
}

/** Every topic, in the order of the list. */
export const helpTopics: Readonly<Record<string, HelpTopic>> = {
  settings: {
    summary: 'how settings are given, and which there are',
    load: async () => (await import('./settings.js')).settingsTopic(),
  },
  requests: {
    summary: 'request files, stdin and several outputs',
    load: async () => (await import('./requests.js')).requestsTopic,
  },
  services: {
    summary: 'which service commands talk to: the local daemon or another',
    load: async () => (await import('./services.js')).servicesTopic,
  },
  'exit-codes': {
    summary: 'what the exit code tells a script',
    load: async () => (await import('./exit-codes.js')).exitCodesTopic(),
  },
  environment: {
    summary: 'environment variables, files and folders',
    load: async () => (await import('./environment.js')).environmentTopic(),
  },
  recipes: {
    summary: 'a folder of videos, cron, xargs, jq',
    load: async () => (await import('./recipes.js')).recipesTopic,
  },
};
