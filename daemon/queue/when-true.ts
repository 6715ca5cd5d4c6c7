/**
 * Resolves once a condition holds, which is checked now and after each change. Rejects with the reason of the signal if
 * that is aborted before. `onChange` adds a listener and returns a function that removes it.
 */
export async function whenTrue(
  holds: () => boolean,
  onChange: (listener: () => void) => () => void,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (holds()) return;
  await new Promise<void>((resolve, reject) => {
    const settle = () => {
      if (!signal.aborted && !holds()) return;
      unlisten();
      signal.removeEventListener('abort', settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const unlisten = onChange(settle);
    signal.addEventListener('abort', settle, { once: true });
  });
}
