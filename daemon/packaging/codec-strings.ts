/*
 * The names of codecs in playlists: RFC 6381 and ISO 14496-15, annex E.
 */

/** `avc1.` with profile, constraints and level, from the bytes of a sequence parameter set without its start code. */
export function avcString(sps: Buffer): string {
  return `avc1.${sps.toString('hex', 1, 4).toUpperCase()}`;
}

/**
 * `hvc1.` with profile, compatibility, tier, level and constraints, from the 12 bytes `profile_tier_level` of a
 * parameter set or of `hvcC` (ISO 14496-15, annex E.3).
 */
export function hevcString(profileTierLevel: Buffer): string {
  const first = profileTierLevel.readUInt8(0);
  const space = ['', 'A', 'B', 'C'][first >> 6] ?? '';
  const tier = (first & 0x20) === 0 ? 'L' : 'H';
  const profile = first & 0x1f;
  const compatibility = reversedBits(profileTierLevel.readUInt32BE(1)).toString(16).toUpperCase();
  const constraints = [...profileTierLevel.subarray(5, 11)];
  while (constraints.at(-1) === 0) constraints.pop();
  const suffix = constraints.map((byte) => `.${byte.toString(16).toUpperCase()}`).join('');
  return `hvc1.${space}${profile}.${compatibility}.${tier}${profileTierLevel.readUInt8(11)}${suffix}`;
}

function reversedBits(value: number): number {
  let reversed = 0;
  for (let bit = 0; bit < 32; bit += 1) if ((value & (1 << bit)) !== 0) reversed += 2 ** (31 - bit);
  return reversed;
}
