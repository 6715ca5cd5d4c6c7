import { sectionTitle, settingFlags } from '../../shared/settings/flags.js';
import { outputTable } from '../../shared/settings/index.js';

/** `venc help settings`: how settings are given, and every one with its range and default. */
export function settingsTopic(): string {
  return `${settingsIntroduction}
${chapters()}

The job (flags only):
${flagLines('job', () => true)}
`;
}

/** How settings are given. */
export const settingsIntroduction = `Settings describe an output. Each is a flag of submit, run and plan, a name in --output
name=value, and a field of a request: --video-codec vp9, video_codec=vp9, "video_codec": "vp9".

  venc run film.mov --size 1280x720 --aspect-mode pad --quality 4
  venc submit film.mov --output label=web,width=1280 \\
    --output label=audio,filename=audio.mp3

A flag without a value has an opposite: --no-onepass. Times are seconds, MM:SS or HH:MM:SS, with
fractions; bitrates are in kbit/s. x264 and h265 are aliases of h264 and hevc; --codec of
--video-codec, --fps of --frame-rate, --resolution of --size. A setting that this version does
not support is rejected by name, never ignored. The notifications and requires of an output have no
flag: they are fields of a request, or of --output. --force sets overwrite for outputs at file: URLs,
and --preset NAME sets preset.
`;

function chapters(): string {
  const sections = [...new Set(Object.values(outputTable).map(({ section }) => section))];
  return sections
    .map((section) => {
      const names = Object.entries(outputTable).flatMap(([name, one]) =>
        one.section === section ? [name] : [],
      );
      return `${sectionTitle(section)}:\n${flagLines('output', (name) => names.includes(name))}`;
    })
    .filter((text) => !text.endsWith(':\n'))
    .join('\n\n');
}

/** Lines of the form `  --flag <value>  help`. */
function flagLines(path: 'job' | 'output', isListed: (name: string) => boolean): string {
  const flags = settingFlags().filter((one) => one.path === path && isListed(one.name));
  const width = Math.max(0, ...flags.map((one) => termOf(one).length));
  return flags.map((one) => `  ${termOf(one).padEnd(width)}  ${one.help}`).join('\n');
}

function termOf({ flag, argument }: { readonly flag: string; readonly argument: string | null }): string {
  return argument === null ? flag : `${flag} ${argument}`;
}
