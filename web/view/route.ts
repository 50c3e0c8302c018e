// Where in the viewer somebody is, as the part of the address behind `#` says it.
import { useEffect, useState } from 'preact/hooks';

export type Route =
  | { readonly page: 'sessions'; readonly ledger: number }
  | { readonly page: 'session'; readonly ledger: number; readonly id: string; readonly entry: number | null }
  | { readonly page: 'diff'; readonly ledger: number; readonly ids: readonly [string, string] }
  | { readonly page: 'search'; readonly ledger: number; readonly query: string }
  | { readonly page: 'health'; readonly ledger: number }
  | { readonly page: 'check' };

export function parseRoute(hash: string): Route {
  const [, page = '', ledgerText = '0', rest = ''] = /^#\/([a-z]*)\/?(\d*)\/?(.*)$/.exec(hash) ?? [];
  const ledger = Number(ledgerText || '0');
  if (page === 'session') {
    const [id = '', entry] = rest.split('/');
    return { page, ledger, id, entry: entry === undefined ? null : Number(entry) };
  }
  if (page === 'diff') {
    const [one = '', other = ''] = rest.split('/');
    return { page, ledger, ids: [one, other] };
  }
  if (page === 'search') return { page, ledger, query: decoded(rest) };
  if (page === 'health') return { page, ledger };
  if (page === 'check') return { page };
  return { page: 'sessions', ledger };
}

/** What somebody wrote into the address may be no encoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function hashOf(route: Route): string {
  switch (route.page) {
    case 'sessions':
      return `#/sessions/${route.ledger}`;
    case 'session':
      return `#/session/${route.ledger}/${route.id}${route.entry === null ? '' : `/${route.entry}`}`;
    case 'diff':
      return `#/diff/${route.ledger}/${route.ids.join('/')}`;
    case 'search':
      return `#/search/${route.ledger}/${encodeURIComponent(route.query)}`;
    case 'health':
      return `#/health/${route.ledger}`;
    case 'check':
      return '#/check';
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const onChange = (): void => setRoute(parseRoute(location.hash));
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return route;
}
