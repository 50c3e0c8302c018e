// What a validation says of tests that became weaker, in words: which files, and in what way; that there are none; or that
// nobody knows. As it was recorded: not harmless yet.
import { isObject, type Json } from '../core/index.ts';

const OF: Readonly<Record<string, string>> = { types: 'type checker', lint: 'linter' };
const SHOWN = 3;

export function weakenedWords(weakened: unknown): string {
  if (!Array.isArray(weakened)) return 'unknown whether tests were weakened';
  const files = (weakened as readonly Json[]).filter(isObject);
  if (files.length === 0) return 'tests not weakened';
  const named = files.slice(0, SHOWN).map(({ path, what, of }) => {
    const checks = typeof of === 'string' ? `${OF[of] ?? of} ` : '';
    return `${String(path)} (${checks}${String(what)})`;
  });
  const rest = files.length - named.length;
  return `weakened: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
