import { containerOf, containers, type Extension } from '../../daemon/plan/containers.js';
import { chooseCodecs } from '../../daemon/plan/decide/choose-codecs.js';
import { code, table } from './markdown.js';

/** The extensions of file names and the codecs that go with them, the default ones first. */
export function containersTable(): string {
  const extensions = Object.keys(containers) as readonly string[] as readonly Extension[];
  return table(
    ['file name', 'without other settings', 'picture, with its sound', 'sound alone'],
    extensions.map((extension) => {
      const { codecPairs: pairs, audioOnlyCodecs: single } = containerOf(extension);
      const { video, audio } = chooseCodecs({}, extension);
      const images = Object.entries(pairs).map(
        ([codec, audioCodecs]) => `${codec} (${audioCodecs.join(', ')})`,
      );
      return [
        code(extension),
        [video, audio].filter((codec) => codec !== null).join(' + '),
        images.length === 0 ? '-' : images.join(', '),
        single.join(', '),
      ];
    }),
  );
}
