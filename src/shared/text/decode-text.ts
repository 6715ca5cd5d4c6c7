/**
 * Decodes the bytes of a caption file. A byte order mark decides the encoding, then `label` (a label of the WHATWG
 * Encoding Standard), then what the bytes show: UTF-16 by its zero bytes, UTF-8 if they are valid UTF-8, otherwise
 * windows-1252. Throws `RangeError` if the bytes are not text in the given encoding, or no text at all.
 */
export function decodeText(bytes: Uint8Array, label?: string): string {
  const encoding = byteOrderMark(bytes) ?? label ?? declaredEncoding(bytes) ?? zeroBytes(bytes);
  const text =
    encoding === undefined
      ? (decodeAs(bytes, 'utf-8') ?? decodeAs(bytes, 'windows-1252'))
      : decodeAs(bytes, encoding);
  if (text === null) throw new RangeError(`it is not text in the encoding ${encoding}`);
  if (text.includes('\u0000')) throw new RangeError('it is not a text file');
  return text;
}

/** Whether a label names an encoding. */
export function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

function decodeAs(bytes: Uint8Array, encoding: string): string | null {
  if (!isEncoding(encoding)) return null;
  try {
    const decoder = new TextDecoder(encoding, { fatal: true });
    const text = decoder.decode(bytes);
    return decoder.encoding === 'windows-1252' ? text.replaceAll(controls, windowsCharacter) : text;
  } catch {
    return null;
  }
}

// Node 20 decodes windows-1252 as ISO 8859-1, in which these are control characters. Its positions without a character
// stay as they are.
const controls = /[\u0080-\u009f]/g;
const windowsCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function windowsCharacter(control: string): string {
  return windowsCharacters[control.charCodeAt(0) - 0x80] ?? control;
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** The encoding that an XML document declares. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 200));
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1];
  return declared !== undefined && isEncoding(declared) ? declared : undefined;
}

/**
 * UTF-16 without a byte order mark: in most languages, a caption file begins with characters whose other byte is zero.
 */
function zeroBytes(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, 64);
  const zeros = (parity: number) => start.filter((byte, index) => byte === 0 && index % 2 === parity).length;
  if (bytes.length < 4 || bytes.length % 2 !== 0) return undefined;
  if (zeros(1) > start.length / 4 && zeros(0) === 0) return 'utf-16le';
  return zeros(0) > start.length / 4 && zeros(1) === 0 ? 'utf-16be' : undefined;
}
