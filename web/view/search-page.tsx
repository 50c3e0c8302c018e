import { counted, moment, visible } from '../parts/words.ts';
import { api } from './api.ts';
import { hashOf } from './route.ts';
import { useAsked } from './use-asked.ts';

/** As many as the server gives. */
const MOST_HITS = 100;

export function SearchPage({ ledger, query }: { readonly ledger: number; readonly query: string }) {
  const asked = useAsked(() => api.search(ledger, query), [ledger, query]);
  if (query.trim() === '')
    return <p class="quiet">Write words above. All of them must occur in one entry.</p>;
  if (asked.state === 'waiting') return <p class="quiet">Searching…</p>;
  if (asked.state === 'failed') return <p class="verdict bad">{visible(asked.why)}</p>;
  const { hits, from, skipped, notices } = asked.value;
  return (
    <section aria-labelledby="found">
      <h2 id="found">{hits.length === 0 ? 'Nothing found' : counted(hits.length, 'entry', 'entries')}</h2>
      {notices.map((notice) => (
        <p key={notice} class="quiet">
          {visible(notice)}
        </p>
      ))}
      {skipped !== null && (
        <p class="quiet" role="status">
          The index is still being built. Entries {skipped.from.toLocaleString()} to{' '}
          {skipped.to.toLocaleString()} were not searched yet.
        </p>
      )}
      {from > 1 && (
        <p class="quiet">
          {hits.length >= MOST_HITS
            ? `These are the newest ${hits.length}. Add a word to find older ones.`
            : `Entries before ${from.toLocaleString()} were not searched, because that would take too long.`}
        </p>
      )}
      <ul class="hits">
        {hits.map(({ session, seq, kind, ts, text, ledger: own = ledger, ledger_name: name }) => (
          <li key={`${own}/${seq}`}>
            {session === null ? (
              <span>entry {seq}</span>
            ) : (
              <a href={hashOf({ page: 'session', ledger: own, id: session, entry: seq })}>entry {seq}</a>
            )}{' '}
            <span class="quiet">
              {name === undefined ? '' : `${visible(name)}, `}
              {kind}, {moment(ts)}
            </span>
            <div class="found">{visible(text)}</div>
          </li>
        ))}
      </ul>
    </section>
  );
}
