import { counted, visible } from '../parts/words.ts';
import { api } from './api.ts';
import { useAsked } from './use-asked.ts';

export function HealthPage({ ledger, head }: { readonly ledger: number; readonly head: number }) {
  const asked = useAsked(() => api.health(ledger), [ledger, head]);
  if (asked.state === 'waiting') return <p class="quiet">Looking at the ledger…</p>;
  if (asked.state === 'failed') return <p class="verdict bad">{visible(asked.why)}</p>;
  const { directory, origin, entries, sealed, sessions, open, ledger_bytes, content_bytes } = asked.value;
  const facts: [string, string][] = [
    ['Ledger', origin],
    ['Folder', directory],
    ['Entries', entries.toLocaleString()],
    [
      'Sealed',
      sealed === entries
        ? 'all of them'
        : `${sealed.toLocaleString()}, ${counted(entries - sealed, 'entry', 'entries')} not yet`,
    ],
    ['Sessions', `${sessions.toLocaleString()}, ${open} open`],
    ['Record', `${(ledger_bytes / 1e6).toFixed(1)} MB`],
    ['Content', `${(content_bytes / 1e6).toFixed(1)} MB`],
  ];
  return (
    <section aria-labelledby="health">
      <h2 id="health">The ledger</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{visible(value)}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        Run <code>foil verify -v</code> to check the whole ledger, and <code>foil status</code> for what needs
        doing.
      </p>
    </section>
  );
}
