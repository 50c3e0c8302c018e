// Whose key signed it, and a place for the key that the reader expects.
import { useState } from 'preact/hooks';
import type { RunAnswer } from '../check-run.ts';
import { visible } from './words.ts';

interface Props {
  readonly answer: RunAnswer;
  readonly check: (keys: readonly string[]) => Promise<void>;
}

export function Signer({ answer: { signer, unread, report }, check }: Props) {
  const [text, setText] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    void check(text.split('\n').filter((line) => line.trim() !== ''));
  };
  const isKnown = signer !== null && !report?.findings.some(({ code }) => code === 'KEY_NOT_TRUSTED');
  return (
    <section aria-labelledby="signer">
      <h2 id="signer">Who signed it</h2>
      <p class="key">{signer === null ? 'Nobody.' : <code>{visible(signer)}</code>}</p>
      <p class="quiet">
        {isKnown
          ? 'You confirmed this key.'
          : 'The owner of the ledger prints the key with `foil key list`. Get it from them, not from this file.'}
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
      {unread.length > 0 && (
        <p class="badge bad">That isn’t a verifier key: {visible(unread.join(' ').slice(0, 80))}</p>
      )}
    </section>
  );
}
