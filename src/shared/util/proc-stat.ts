/**
 * The fields of the text of `/proc/PID/stat` behind the name of the program (proc(5)): the first one is `state`, field 3.
 * The name may contain any character, also spaces and `)`.
 */
export function procStatFields(text: string): readonly string[] {
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
