/** The cause of an error that the messages of a program led to, for the log. Its text may contain paths of this machine. */
export class ProgramMessages extends Error {
  override readonly name = 'ProgramMessages';

  constructor(readonly stderr: string) {
    super('The program reported errors.');
  }
}
