/** From the least strict to the strictest. */
export const MODES = ['observe', 'guard', 'locked'] as const;
export type Mode = (typeof MODES)[number];

export function isMode(value: unknown): value is Mode {
  return (MODES as readonly unknown[]).includes(value);
}

export function strictest(a: Mode, b: Mode): Mode {
  return MODES.indexOf(a) >= MODES.indexOf(b) ? a : b;
}
