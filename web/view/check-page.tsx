// A place to drop a file that somebody sent: a report or a bundle. It is checked here, and goes nowhere.
import { useState } from 'preact/hooks';
import { parseReport, parseTar, type TreeFile } from '../../src/format/index.ts';
import type { RunAnswer } from '../check-run.ts';
import { RunPage } from '../parts/run-page.tsx';
import { visible } from '../parts/words.ts';
import { check } from './verifier.ts';

type Dropped =
  | { readonly state: 'none' }
  | { readonly state: 'checking'; readonly name: string }
  | { readonly state: 'failed'; readonly name: string; readonly why: string }
  | {
      readonly state: 'checked';
      readonly name: string;
      readonly parts: readonly TreeFile[];
      readonly answer: RunAnswer;
    };

export function CheckPage() {
  const [dropped, setDropped] = useState<Dropped>({ state: 'none' });
  const take = async (file: File | null | undefined): Promise<void> => {
    if (file === null || file === undefined) return;
    const { name } = file;
    setDropped({ state: 'checking', name });
    try {
      const parts = partsOf(new Uint8Array(await file.arrayBuffer()));
      setDropped({
        state: 'checked',
        name,
        parts,
        answer: await check({ parts, keys: [], now: Date.now() }),
      });
    } catch (error) {
      setDropped({ state: 'failed', name, why: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <>
      <section
        class="drop"
        aria-label="Drop a file"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void take(event.dataTransfer?.files[0]);
        }}
      >
        <label for="file">Drop a report or a bundle here, or choose one.</label>{' '}
        <input id="file" type="file" onChange={(event) => void take(event.currentTarget.files?.[0])} />
        <p class="quiet">It is checked in this page. It isn't sent anywhere.</p>
      </section>
      {dropped.state === 'checking' && <p class="quiet">Checking {visible(dropped.name)}…</p>}
      {dropped.state === 'failed' && (
        <p class="verdict bad">
          {visible(dropped.name)} can't be checked here: {visible(dropped.why)}. Try <code>foil verify</code>.
        </p>
      )}
      {dropped.state === 'checked' && (
        <RunPage
          key={dropped.name}
          first={dropped.answer}
          from="file"
          check={(keys) => check({ parts: dropped.parts, keys, now: Date.now() })}
        />
      )}
    </>
  );
}

function partsOf(bytes: Uint8Array): readonly TreeFile[] {
  const isHtml = bytes[0] === 0x3c;
  return isHtml ? parseReport(new TextDecoder().decode(bytes)).parts : parseTar(bytes);
}
