// What a page asks of the verifier about a whole ledger, or about the proof of one entry, and what it gets.
import { ParseError, parseVerifierKey, type VerifierKey } from '../src/core/index.ts';
import { SEGMENT_DIR } from '../src/format/index.ts';
import {
  CODES,
  type Code,
  type FileInfo,
  type Files,
  type LineChecker,
  type ProofReport,
  type Report,
  verifyInParallel,
  verifyLedger,
  verifyProof,
} from '../src/verify/index.ts';

export type LedgerQuestion =
  | { readonly what: 'ledger'; readonly files: ReadonlyMap<string, Blob>; readonly keys: readonly string[] }
  | { readonly what: 'proof'; readonly proof: Uint8Array; readonly keys: readonly string[] };

export type LedgerAnswer =
  | {
      readonly what: 'ledger';
      readonly report: Report;
      readonly unread: readonly string[];
      /** The record itself is sound, but none of the keys that were given signed it. */
      readonly isOtherKey: boolean;
    }
  | { readonly what: 'proof'; readonly report: ProofReport; readonly unread: readonly string[] };

/** `helper` is asked for where checking lines elsewhere saves time. */
export async function checkLedger(
  question: LedgerQuestion,
  helper?: () => LineChecker,
): Promise<LedgerAnswer> {
  const keys: VerifierKey[] = [];
  const unread: string[] = [];
  for (const text of question.keys) {
    try {
      keys.push(parseVerifierKey(text.trim()));
    } catch {
      unread.push(text);
    }
  }
  if (question.what === 'proof')
    return { what: 'proof', report: verifyProof({ proof: question.proof, keys }), unread };
  const files = filesOf(question.files);
  const bytes = [...question.files].reduce(
    (sum, [path, { size }]) => sum + (path.startsWith(`${SEGMENT_DIR}/`) ? size : 0),
    0,
  );
  const report =
    helper === undefined || bytes < WORTH_HELP
      ? await verifyLedger(files, { keys })
      : await verifyInParallel(files, helper(), { keys });
  return { what: 'ledger', report, unread, isOtherKey: isOfOtherKey(report) };
}

/** Below this, starting a helper takes longer than it saves. */
const WORTH_HELP = 8 * 1024 * 1024;

const OTHER_KEY: ReadonlySet<Code> = new Set(['KEY_NOT_TRUSTED', 'NOT_SIGNED']);

/** Is that all that breaks it? */
function isOfOtherKey({ facets }: Report): boolean {
  const { identity, integrity, truncation, time, sessions } = facets;
  const faults = identity.findings.filter(({ code }) => CODES[code].level === 'fail');
  return (
    [integrity, truncation, time, sessions].every(({ status }) => status !== 'fail') &&
    faults.some(({ code }) => code === 'KEY_NOT_TRUSTED') &&
    faults.every(({ code }) => OTHER_KEY.has(code))
  );
}

/** By their paths within the ledger's folder. */
function filesOf(files: ReadonlyMap<string, Blob>): Files {
  return {
    async list(directory) {
      const found = new Map<string, FileInfo>();
      for (const [path, { size }] of files) {
        if (!path.startsWith(`${directory}/`)) continue;
        const [name = '', ...below] = path.slice(directory.length + 1).split('/');
        found.set(name, {
          name,
          size: below.length === 0 ? size : 0,
          directory: below.length > 0,
        } as FileInfo);
      }
      return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async read(path, from = 0, to) {
      const file = files.get(path);
      return file === undefined ? undefined : new Uint8Array(await file.slice(from, to).arrayBuffer());
    },
    async *gunzip(path) {
      const file = files.get(path);
      if (file === undefined) throw new ParseError('MALFORMED', 'not a file', path);
      const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw new ParseError('MALFORMED', `broken gzip: ${String(error)}`, path);
        });
        if (done) return;
        yield value;
      }
    },
  };
}
