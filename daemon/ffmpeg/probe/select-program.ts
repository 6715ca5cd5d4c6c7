import type { ProgramFacts } from '../../jobs/media.js';
import { numberAt, objectAt, objectsAt, type ProbeObject, textAt } from './probe-fields.js';
import { isUsableAudio } from './read-streams.js';
import { bestVideo, isVideo } from './read-video.js';

/** The streams that outputs may have, and the programmes of the file if it has several. */
export interface ProgramSelection {
  readonly streams: readonly ProbeObject[];
  readonly programs: { readonly chosen: ProgramFacts; readonly others: readonly ProgramFacts[] } | null;
}

/** A programme with at least one video or audio stream. */
interface Program {
  readonly facts: ProgramFacts;
  readonly indexes: ReadonlySet<number>;
}

/**
 * Selects the programme of a file (a service of a transport stream) and the streams in it. `wanted` is its number or
 * name; by default it is the programme with the best video, or else the one with the default audio. A file with one
 * programme or none has all its streams selected. Null if `wanted` is not among its programmes.
 */
export function selectProgram(
  json: ProbeObject,
  wanted: string | undefined,
  stills: ReadonlySet<number>,
): ProgramSelection | null {
  const streams = objectsAt(json, 'streams');
  const programs = programsOf(json);
  const chosen = wanted === undefined ? defaultProgram(programs, streams, stills) : find(programs, wanted);
  if (chosen === undefined) return wanted === undefined ? { streams, programs: null } : null;
  const others = programs.filter((one) => one !== chosen);
  if (others.length === 0) return { streams, programs: null };
  return {
    // A stream of no programme, which the transport stream does not describe, is selected as well.
    streams: streams.filter((stream) => isIn(chosen, stream) || !others.some((other) => isIn(other, stream))),
    programs: { chosen: chosen.facts, others: others.map(({ facts }) => facts) },
  };
}

/** The programmes of a file as text that follows "its programmes are"; empty if it has none. */
export function programNames(json: ProbeObject): string {
  return programsOf(json)
    .map(({ facts }) => programLabel(facts))
    .join(', ');
}

const programLabel = ({ number, name }: ProgramFacts) =>
  name === undefined ? String(number) : `${number} (${name})`;

function programsOf(json: ProbeObject): readonly Program[] {
  return objectsAt(json, 'programs').flatMap((program) => {
    const media = objectsAt(program, 'streams').filter((stream) =>
      /^(?:video|audio)$/.test(textAt(stream, 'codec_type') ?? ''),
    );
    const number = numberAt(program, 'program_id') ?? numberAt(program, 'program_num');
    const name = textAt(objectAt(program, 'tags'), 'service_name')?.trim() ?? '';
    if (number === null || media.length === 0) return [];
    return [
      {
        facts: { number, ...(name === '' ? {} : { name }) },
        indexes: new Set(objectsAt(program, 'streams').map((stream) => numberAt(stream, 'index') ?? -1)),
      },
    ];
  });
}

const isIn = ({ indexes }: Program, stream: ProbeObject) => indexes.has(numberAt(stream, 'index') ?? -1);

function find(programs: readonly Program[], wanted: string): Program | undefined {
  const name = wanted.trim().toLowerCase();
  return (
    programs.find(({ facts }) => String(facts.number) === name) ??
    programs.find((program) => program.facts.name?.toLowerCase() === name)
  );
}

/**
 * The programme of the best video. If several have it, one that has audio; without any known video, one whose video
 * begins late.
 */
function defaultProgram(
  programs: readonly Program[],
  streams: readonly ProbeObject[],
  stills: ReadonlySet<number>,
): Program | undefined {
  const best = bestVideo(streams, stills) ?? streams.find(isVideo) ?? streams.find(isUsableAudio);
  if (best === undefined) return undefined;
  const having = programs.filter((program) => isIn(program, best));
  const hasAudio = (program: Program) =>
    streams.some((stream) => isIn(program, stream) && isUsableAudio(stream));
  return having.find(hasAudio) ?? having[0];
}
