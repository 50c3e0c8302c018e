// What somebody can take away from a session, made by the server as the commands make it.
import { useState } from 'preact/hooks';
import { visible } from '../parts/words.ts';
import { api } from './api.ts';

const KINDS = [
  {
    what: 'report',
    label: 'Report',
    ending: 'html',
    title: 'One HTML file that shows the session and checks itself',
  },
  { what: 'bundle', label: 'Bundle', ending: 'bundle', title: 'The session as one file for `foil verify`' },
  { what: 'proof', label: 'Proof', ending: 'proof', title: 'A proof that its last entry is in the ledger' },
] as const;

export function Downloads({ ledger, id }: { readonly ledger: number; readonly id: string }) {
  const [problem, setProblem] = useState('');
  const get = async ({ what, ending }: (typeof KINDS)[number]): Promise<void> => {
    setProblem('');
    try {
      save(await api.download(ledger, id, what), `run-${id.slice(0, 12)}.${ending}`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div class="downloads">
      <span class="quiet">Download</span>
      {KINDS.map((kind) => (
        <button type="button" key={kind.what} title={kind.title} onClick={() => void get(kind)}>
          {kind.label}
        </button>
      ))}
      <span role="status">{problem !== '' && <span class="bad-text">{visible(problem)}</span>}</span>
    </div>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
