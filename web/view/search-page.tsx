import { counted, moment, visible } from '../parts/words.ts';
import { api } from './api.ts';
import { hashOf } from './route.ts';
import { useAsked } from './use-asked.ts';

export function SearchPage({ ledger, query }: { readonly ledger: number; readonly query: string }) {
  const asked = useAsked(() => api.search(ledger, query), [ledger, query]);
  if (query.trim() === '')
    return <p class="quiet">Write words above. All of them must occur in one entry.</p>;
  if (asked.state === 'waiting') return <p class="quiet">Searching…</p>;
  if (asked.state === 'failed') return <p class="verdict bad">{visible(asked.why)}</p>;
  const { hits, from } = asked.value;
  return (
    <section aria-labelledby="found">
      <h2 id="found">{hits.length === 0 ? 'Nothing found' : counted(hits.length, 'entry', 'entries')}</h2>
      {from > 1 && (
        <p class="quiet">Entries before {from} were not searched, because that would take too long.</p>
      )}
      <ul class="hits">
        {hits.map(({ session, seq, kind, ts, text }) => (
          <li key={seq}>
            {session === null ? (
              <span>entry {seq}</span>
            ) : (
              <a href={hashOf({ page: 'session', ledger, id: session, entry: seq })}>entry {seq}</a>
            )}{' '}
            <span class="quiet">
              {kind}, {moment(ts)}
            </span>
            <div class="found">{visible(text)}</div>
          </li>
        ))}
      </ul>
    </section>
  );
}
