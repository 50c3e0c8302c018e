// The viewer: sessions, one session, search, the ledger's health, and a place to check what others sent.
// biome-ignore-all assist/source/organizeImports: the first question goes out before anything else is made ready
import { isBegun } from './begin.ts';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LedgerInfo, Pulse } from '../../src/view/answers.ts';
import { Prose } from '../parts/prose.tsx';
import { visible } from '../parts/words.ts';
import { api } from './api.ts';
import { CheckPage } from './check-page.tsx';
import { DiffPage } from './diff-page.tsx';
import { HealthPage } from './health-page.tsx';
import { PageKeys } from './page-keys.tsx';
import { hashOf, type Route, useRoute } from './route.ts';
import { SearchPage } from './search-page.tsx';
import { SessionPage } from './session-page.tsx';
import { SessionsPage } from './sessions-page.tsx';
import { useAsked } from './use-asked.ts';
import { type Drop, useDrops } from './use-drops.ts';

const TITLES: Readonly<Record<Route['page'], string>> = {
  sessions: 'Sessions',
  session: 'Session',
  diff: 'Two sessions',
  search: 'Search',
  health: 'Ledger',
  check: 'Check a file',
};

function View() {
  const route = useRoute();
  const ledgers = useAsked(() => isBegun.then(api.ledgers), []);
  const ledger = 'ledger' in route ? route.ledger : 0;
  const { pulse, problem } = usePulse(ledger);
  useEffect(() => {
    document.title = `${TITLES[route.page]} · Counterfoil`;
  }, [route.page]);
  // What is dropped on any page is checked, and opened by nobody.
  const [drop, setDrop] = useState<Drop | null>(null);
  const isOver = useDrops((dropped) => {
    setDrop(dropped);
    location.hash = hashOf({ page: 'check' });
  });
  return (
    <>
      <PageKeys page={route.page} />
      <Bar route={route} ledger={ledger} ledgers={ledgers.state === 'here' ? ledgers.value.ledgers : []} />
      <main class="page wide">
        {problem !== null && ledgers.state !== 'failed' && (
          <p class="verdict bad" role="alert">
            <Prose text={problem} />
          </p>
        )}
        {ledgers.state === 'failed' ? (
          <p class="verdict bad" role="alert">
            <Prose text={ledgers.why} />
          </p>
        ) : (
          <Page route={route} pulse={pulse} drop={drop} isOver={isOver} />
        )}
      </main>
    </>
  );
}

interface PageProps {
  readonly route: Route;
  readonly pulse: Pulse;
  readonly drop: Drop | null;
  readonly isOver: boolean;
}

function Page({ route, pulse, drop, isOver }: PageProps) {
  switch (route.page) {
    case 'sessions':
      return <SessionsPage ledger={route.ledger} pulse={pulse} />;
    case 'session':
      return (
        <SessionPage key={route.id} ledger={route.ledger} id={route.id} entry={route.entry} pulse={pulse} />
      );
    case 'diff':
      return <DiffPage key={route.ids.join()} ledger={route.ledger} ids={route.ids} />;
    case 'search':
      return <SearchPage ledger={route.ledger} query={route.query} />;
    case 'health':
      return <HealthPage ledger={route.ledger} pulse={pulse} />;
    case 'check':
      return <CheckPage drop={drop} isOver={isOver} />;
  }
}

/** Changes while an agent works, and when something happens to the ledger. `problem` is why nobody answers. */
const NO_PULSE: Pulse = { head: 0, notices: 0, sealed: 0 };

function isSame(one: Pulse, other: Pulse): boolean {
  return one.head === other.head && one.notices === other.notices && one.sealed === other.sealed;
}

function usePulse(ledger: number): { readonly pulse: Pulse; readonly problem: string | null } {
  const [pulse, setPulse] = useState<Pulse>(NO_PULSE);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isOn = true;
    const follow = async (): Promise<void> => {
      await isBegun;
      for (let last: Pulse = NO_PULSE; isOn; ) {
        try {
          const next = await api.tail(ledger, last);
          if (!isOn) return;
          if (!isSame(next, last)) setPulse(next);
          setProblem(null);
          last = next;
        } catch (error) {
          if (isOn) setProblem(error instanceof Error ? error.message : String(error));
          await new Promise((resolve) => setTimeout(resolve, 2000));
        }
      }
    };
    void follow();
    return () => {
      isOn = false;
    };
  }, [ledger]);
  return { pulse, problem };
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
          // The keys are for the page again.
          search.current?.blur();
        }}
      >
        <input
          // What was looked for once is of no use on another page.
          key={route.page === 'search' ? route.query : ''}
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

const root = document.getElementById('app');
if (root !== null) render(<View />, root);
