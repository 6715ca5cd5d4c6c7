import type { Route } from '../../../src/shared/routes.js';

/** The tag of addresses whose suffix names the form of the answer. */
export const tagOfSuffixes = 'Addresses with a suffix';

/** Every tag, in the order in which they are told. */
export const tags = [
  { name: 'Jobs', description: 'Creating, listing, following, cancelling and repeating jobs.' },
  { name: 'Inputs and outputs', description: 'Details and progress of the files of a job.' },
  { name: 'Reports', description: 'Usage by day.' },
  { name: 'Files', description: 'Uploading inputs and fetching hosted outputs.' },
  { name: 'Service', description: 'The daemon itself.' },
  { name: 'Earlier versions', description: 'Version 1 and the unversioned addresses.' },
  {
    name: tagOfSuffixes,
    description:
      'The same operations at addresses that end in .json, .xml or .js and so name the form of the answer.',
  },
] as const;

type TagName = (typeof tags)[number]['name'];

const byPath: readonly (readonly [RegExp, TagName])[] = [
  [/^\/v2\/jobs/, 'Jobs'],
  [/^\/v2\/(?:inputs|outputs)/, 'Inputs and outputs'],
  [/^\/v2\/reports/, 'Reports'],
  [/^\/v2\/uploads|^\/hosted/, 'Files'],
  [/^\/(?:jobs|inputs|outputs|v1)(?:\/|$)/, 'Earlier versions'],
];

/** The tag of a route at its plain address. */
export function tagOf({ path }: Route): TagName {
  return byPath.find(([pattern]) => pattern.test(path))?.[1] ?? 'Service';
}
