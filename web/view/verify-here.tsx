// A button that checks a whole ledger in this page, from the bytes of its files, as if its folder had been dropped.

import { useState } from 'preact/hooks';
import { parseTar } from '../../src/format/index.ts';
import type { LedgerAnswer, LedgerQuestion } from '../check-ledger.ts';
import { Prose } from '../parts/prose.tsx';
import { thousands } from '../parts/words.ts';
import { api } from './api.ts';
import { LedgerVerdict } from './ledger-verdict.tsx';
import { checkWhole } from './verifier.ts';

type State =
  | { readonly phase: 'idle' | 'checking' }
  | { readonly phase: 'failed'; readonly why: string }
  | { readonly phase: 'done'; readonly question: LedgerQuestion; readonly answer: LedgerAnswer };

/** What a page checks in seconds. The server refuses more. */
const MOST = 100_000;

export function VerifyHere({ ledger, entries }: { readonly ledger: number; readonly entries: number }) {
  const [state, setState] = useState<State>({ phase: 'idle' });
  const check = async (ask: () => Promise<LedgerQuestion>): Promise<void> => {
    setState({ phase: 'checking' });
    try {
      const question = await ask();
      setState({ phase: 'done', question, answer: await checkWhole(question) });
    } catch (error) {
      setState({ phase: 'failed', why: error instanceof Error ? error.message : String(error) });
    }
  };
  const read = async (): Promise<LedgerQuestion> => {
    const files = parseTar(await api.whole(ledger));
    const blobs = files.map(
      ({ path, bytes }) => [path, new Blob([bytes as Uint8Array<ArrayBuffer>])] as const,
    );
    return { what: 'ledger', files: new Map(blobs), keys: [] };
  };
  if (entries > MOST)
    return (
      <p class="quiet">
        A page checks ledgers of up to {thousands(MOST)} entries. Run <code>foil verify</code> for this one.
      </p>
    );
  return (
    <div class="verify-here">
      <button type="button" disabled={state.phase === 'checking'} onClick={() => void check(read)}>
        {state.phase === 'checking' ? 'Verifying…' : 'Verify it in this page'}
      </button>
      {state.phase === 'failed' && (
        <p class="verdict bad" role="alert">
          <Prose text={state.why} />
        </p>
      )}
      {state.phase === 'done' && (
        <LedgerVerdict
          answer={state.answer}
          check={(keys) => check(async () => ({ ...state.question, keys }))}
        />
      )}
    </div>
  );
}
