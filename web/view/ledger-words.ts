// What the check of a whole ledger, or of the proof of one entry, came to, in a headline and a sentence.
import type { LedgerAnswer } from '../check-ledger.ts';
import { counted } from '../parts/words.ts';

interface Words {
  readonly tone: 'good' | 'bad' | 'doubt';
  readonly title: string;
  /** In place of the verifier's own sentence, which is for a command line. */
  readonly text?: string;
}

export function wordsOf(answer: LedgerAnswer): Words {
  return answer.what === 'ledger' ? ledgerWords(answer) : proofWords(answer);
}

function ledgerWords({ report, isOtherKey }: Extract<LedgerAnswer, { what: 'ledger' }>): Words {
  const many = counted(report.entries, 'entry', 'entries');
  if (isOtherKey)
    return {
      tone: 'bad',
      title: 'Intact, but another key signed it',
      text: `All ${many} fit together. Not every key that you entered is one of this ledger’s. Don’t take it for the ledger of whoever gave you that key.`,
    };
  if (report.verdict === 'BROKEN') return { tone: 'bad', title: 'This ledger was changed, or is not whole' };
  if (report.verdict === 'VIOLATION')
    return { tone: 'bad', title: 'The record is intact, and a rule was broken' };
  if (report.marks.signed !== null) return { tone: 'good', title: 'This ledger passes the check' };
  return {
    tone: 'doubt',
    title: 'Intact, signer not confirmed',
    text: `All ${many} fit together. This page can’t know whose key signed them, and whoever holds it could have rewritten all of them. Enter the key that its owner gave you.`,
  };
}

/** A proof holds no key: until one is entered, nothing was held against any signature. */
function proofWords({ report }: Extract<LedgerAnswer, { what: 'proof' }>): Words {
  if (report.verdict === 'BROKEN') return { tone: 'bad', title: 'This proof doesn’t hold' };
  if (report.valid) return { tone: 'good', title: 'This proof passes the check' };
  return {
    tone: 'doubt',
    title: 'Nothing is confirmed yet: enter the key',
    text: 'The proof fits together, but it holds no key, so its signature could not be checked. Anyone may have made it.',
  };
}
