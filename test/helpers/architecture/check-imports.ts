import { type Import, importedPath, importsOf } from './imports.js';
import type { Door, FloorPlan, Room } from './rooms.js';
import { complaint, type SourceFile } from './source-file.js';

/** Complains about every import that leads into a room which the floor plan keeps closed. */
export function checkImports(files: readonly SourceFile[], plan: FloorPlan): readonly string[] {
  return files.flatMap((file) => {
    const room = roomOf(file.path, plan);
    if (room === null) return [`${file.path}:1: lies in no room of the floor plan.`];
    if (room.mayUse.includes('*')) return [];
    return importsOf(file).flatMap((found) => {
      const { index, specifier } = found;
      if (specifier === null) return [complaint(file, index, 'the name of an import must be written out.')];
      const path = importedPath(file.path, specifier);
      if (path === null || isOpen(plan, { room, from: file.path, to: path }, found)) return [];
      return [complaint(file, index, sentence(plan, { room, from: file.path, to: path }))];
    });
  });
}

interface Way {
  readonly room: Room;
  readonly from: string;
  readonly to: string;
}

function isOpen(plan: FloorPlan, way: Way, { isLazy, isOfTypes }: Import): boolean {
  const goal = roomOf(way.to, plan);
  if (goal === null) return false;
  if (goal === way.room || way.room.mayUse.includes(goal.folder)) return true;
  const door = doorOf(plan, way);
  if (door === undefined) return false;
  return door.how === 'lazily' ? isLazy : isOfTypes;
}

function sentence(plan: FloorPlan, way: Way): string {
  const door = doorOf(plan, way);
  if (door !== undefined) {
    const how = door.how === 'lazily' ? 'import(...)' : 'import type';
    return `${way.to} may be imported only by ${how} here: ${door.because}.`;
  }
  const goal = roomOf(way.to, plan)?.folder ?? way.to;
  const allowed = way.room.mayUse.length === 0 ? 'no other room' : `only ${way.room.mayUse.join(', ')}`;
  return `${way.room.folder} may not look into ${goal} (${way.to}); it may use ${allowed}.`;
}

function doorOf(plan: FloorPlan, way: Way): Door | undefined {
  return plan.doors.find(
    ({ from, to }) =>
      from.some((start) => start === way.from || start === way.room.folder) &&
      (to === way.to || way.to.startsWith(`${to}/`)),
  );
}

/** The innermost room that a file lies in; null where there is none. */
function roomOf(path: string, plan: FloorPlan): Room | null {
  const around = plan.rooms.filter(
    ({ folder, isFlat }) =>
      path.startsWith(`${folder}/`) && (isFlat !== true || !path.slice(folder.length + 1).includes('/')),
  );
  return around.reduce<Room | null>(
    (inner, room) => (inner === null || room.folder.length > inner.folder.length ? room : inner),
    null,
  );
}
