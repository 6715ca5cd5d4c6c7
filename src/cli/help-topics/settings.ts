import { outputTable } from '../../api/settings/index.js';

/** `venc help settings`. */
export function settingsTopic(): string {
  return `Settings say what an output is to be. Each is a flag of submit, run and plan, a name in --output
name=value, and a field of a request: --video-codec vp9, video_codec=vp9, "video_codec": "vp9".

  venc run film.mov --size 1280x720 --aspect-mode pad --quality 4
  venc submit film.mov --output label=web,width=1280 \\
    --output label=sound,filename=sound.mp3

A flag without a value has a contrary: --no-onepass. Times are seconds or HH:MM:SS, bitrates
kbit/s. A setting that this version does not honour is refused by name, never passed over.

By chapter (venc submit --help has ranges and defaults):

${chapters()}
`;
}

function chapters(): string {
  const entries = Object.entries(outputTable);
  const sections = [...new Set(entries.map(([, { section }]) => section))];
  return sections
    .map((section) => {
      const names = entries.filter(([, setting]) => setting.section === section).map(([name]) => name);
      return `  ${titleOf(section)}\n${wrapped(names, 66)
        .map((line) => `    ${line}`)
        .join('\n')}`;
    })
    .join('\n');
}

/** A section as the service document calls it, without its number. */
function titleOf(section: string): string {
  return section === 'addition' ? 'Notifications' : section.replace(/^\S+ /, '');
}

function wrapped(names: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + name.length <= width)
      lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(name);
  }
  return lines;
}
