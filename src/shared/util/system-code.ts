/** The system's name of what went wrong, such as `ENOENT`; null for errors that have none. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
