// Whose key signed it, and a place for the key that the reader expects.
import { useState } from 'preact/hooks';
import type { RunAnswer } from '../check-run.ts';
import { signerStanding } from '../model/signer-standing.ts';
import type { From } from './shown-run.ts';
import { brief, visible } from './words.ts';

interface Props {
  readonly answer: RunAnswer;
  readonly from: From;
  readonly check: (keys: readonly string[]) => Promise<void>;
}

export function Signer({ answer, from, check }: Props) {
  const { signer, unread } = answer;
  const [text, setText] = useState('');
  const [given, setGiven] = useState<readonly string[]>([]);
  const submit = (event: Event): void => {
    event.preventDefault();
    const keys = text.split(/\s+/).filter((key) => key !== '');
    void check(keys).then(() => setGiven(keys));
  };
  const standing = signerStanding(answer, given);
  return (
    <div class="signer">
      <h3 id="signer">Who signed it</h3>
      <p class="key">
        {signer !== null ? (
          <code>{visible(signer)}</code>
        ) : from !== 'ledger' ? (
          'The file names no key that signed it.'
        ) : (
          'Nobody has signed all of it yet.'
        )}
      </p>
      <p class="quiet">
        {standing === 'confirmed' ? (
          'You confirmed this key.'
        ) : standing === 'changed' ? (
          'The record was changed: what is here is not what was signed.'
        ) : (
          <>
            {from !== 'ledger'
              ? 'The owner of the ledger prints the key with '
              : 'To see the keys of your ledgers, run '}
            <code>foil key list</code>.{from !== 'ledger' && ' Get it from them, not from this file.'}
          </>
        )}
      </p>
      <form onSubmit={submit}>
        <label for="keys">The key that you expect</label>
        <input
          id="keys"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
        />
        <button type="submit">Check again</button>
      </form>
      <p role="status">
        {standing === 'nobody' && (
          <span class="badge bad">None of the keys that you entered signed this run.</span>
        )}
        {standing === 'other' && (
          <span class="badge bad">
            Another key signed this run. Don’t take it for the work of whoever gave you that key.
          </span>
        )}
        {unread.length > 0 && (
          <span class="badge bad">That isn’t a verifier key: {brief(unread.join(' '), 80)}</span>
        )}
      </p>
    </div>
  );
}
