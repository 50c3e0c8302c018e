// What is done to bundles in pieces.
import { utf8Decode, utf8Encode } from '#platform';
import { makeSigner } from '../../../src/core/index.ts';
import type { Loose, Runs } from '../bundle-maker.ts';
import { failing } from '../make-bundles.ts';

export const stranger = makeSigner('stranger', new Uint8Array(32).fill(77));
export const DEEP = `${'['.repeat(1000)}${']'.repeat(1000)}`;
export const MALFORMED = failing('BUNDLE_MALFORMED');

/** Entries of the run by kind, in order. */
export function seqOf(runs: Runs, kind: string, nth = 0): number {
  const found = runs
    .entries()
    .filter(({ entry }) => entry.kind === kind && entry.session_id === runs.session);
  return found[nth]?.entry.seq ?? 0;
}

export function text(loose: Loose, path: string): string {
  return utf8Decode(loose.parts.get(path) ?? new Uint8Array(0));
}

export function edit(path: string, change: (text: string) => string): (loose: Loose) => void {
  return (loose) => void loose.parts.set(path, utf8Encode(change(text(loose, path))));
}

export function editLines(
  path: string,
  change: (lines: string[]) => readonly string[],
): (loose: Loose) => void {
  return edit(path, (all) =>
    change(all.split('\n').slice(0, -1))
      .map((line) => `${line}\n`)
      .join(''),
  );
}
