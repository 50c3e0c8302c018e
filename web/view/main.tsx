// The viewer: sessions, one session, search, the ledger's health, and a place to check what others sent.
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LedgerInfo } from '../../src/view/answers.ts';
import { visible } from '../parts/words.ts';
import { api, takeToken } from './api.ts';
import { CheckPage } from './check-page.tsx';
import { DiffPage } from './diff-page.tsx';
import { HealthPage } from './health-page.tsx';
import { hashOf, type Route, useRoute } from './route.ts';
import { SearchPage } from './search-page.tsx';
import { SessionPage } from './session-page.tsx';
import { SessionsPage } from './sessions-page.tsx';
import { useAsked } from './use-asked.ts';

function View() {
  const route = useRoute();
  const ledgers = useAsked(() => api.ledgers(), []);
  const ledger = 'ledger' in route ? route.ledger : 0;
  const head = useHead(ledger);
  return (
    <>
      <Bar route={route} ledger={ledger} ledgers={ledgers.state === 'here' ? ledgers.value.ledgers : []} />
      <main class="page wide">
        {ledgers.state === 'failed' ? (
          <p class="verdict bad">{visible(ledgers.why)}</p>
        ) : (
          <Page route={route} head={head} />
        )}
      </main>
    </>
  );
}

function Page({ route, head }: { readonly route: Route; readonly head: number }) {
  switch (route.page) {
    case 'sessions':
      return <SessionsPage ledger={route.ledger} head={head} />;
    case 'session':
      return (
        <SessionPage key={route.id} ledger={route.ledger} id={route.id} entry={route.entry} head={head} />
      );
    case 'diff':
      return <DiffPage key={route.ids.join()} ledger={route.ledger} ids={route.ids} />;
    case 'search':
      return <SearchPage ledger={route.ledger} query={route.query} />;
    case 'health':
      return <HealthPage ledger={route.ledger} head={head} />;
    case 'check':
      return <CheckPage />;
  }
}

/** The number of the ledger's last entry, which grows while an agent works. */
function useHead(ledger: number): number {
  const [head, setHead] = useState(0);
  useEffect(() => {
    let isOn = true;
    const follow = async (): Promise<void> => {
      for (let last = 0; isOn; ) {
        try {
          last = (await api.tail(ledger, last)).head;
          if (isOn) setHead(last);
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 2000));
        }
      }
    };
    void follow();
    return () => {
      isOn = false;
    };
  }, [ledger]);
  return head;
}

interface BarProps {
  readonly route: Route;
  readonly ledger: number;
  readonly ledgers: readonly LedgerInfo[];
}

function Bar({ route, ledger, ledgers }: BarProps) {
  const search = useRef<HTMLInputElement>(null);
  const links: [string, Route][] = [
    ['Sessions', { page: 'sessions', ledger }],
    ['Ledger', { page: 'health', ledger }],
    ['Check a file', { page: 'check' }],
  ];
  return (
    <header class="bar">
      <strong>Counterfoil</strong>
      <nav aria-label="Pages">
        {links.map(([name, to]) => (
          <a key={name} href={hashOf(to)} aria-current={route.page === to.page ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      {ledgers.length > 1 && (
        <select
          aria-label="Ledger"
          value={String(ledger)}
          onChange={(event) => {
            location.hash = hashOf({ page: 'sessions', ledger: Number(event.currentTarget.value) });
          }}
        >
          {ledgers.map(({ name, problem }, index) => (
            <option key={name} value={String(index)}>
              {visible(problem === null ? name : `${name} (can't be read)`)}
            </option>
          ))}
        </select>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = hashOf({ page: 'search', ledger, query: search.current?.value ?? '' });
        }}
      >
        <input
          ref={search}
          type="search"
          aria-label="Search everything"
          placeholder="Search everything"
          defaultValue={route.page === 'search' ? route.query : ''}
        />
      </form>
    </header>
  );
}

takeToken();
const root = document.getElementById('app');
if (root !== null) render(<View />, root);
