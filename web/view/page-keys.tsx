// The keys of pages that have none of their own: one to search, and one to say so.
import { useEffect, useState } from 'preact/hooks';
import type { Route } from './route.ts';

const WITHOUT_KEYS: ReadonlySet<Route['page']> = new Set(['search', 'health', 'check', 'diff']);

export function PageKeys({ page }: { readonly page: Route['page'] }) {
  const [helps, setHelps] = useState(false);
  useEffect(() => {
    setHelps(false);
    if (!WITHOUT_KEYS.has(page)) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const isText = event.target instanceof HTMLInputElement && event.target.type !== 'file';
      if (isText || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '?') setHelps((shown) => !shown);
      else if (event.key === 'Escape') setHelps(false);
      else if (event.key === '/')
        document.querySelector<HTMLInputElement>('.bar input[type=search]')?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [page]);
  if (!helps) return null;
  return (
    <p class="help" role="status">
      <kbd>/</kbd> search, <kbd>Esc</kbd> or <kbd>?</kbd> close this help. The list of sessions and each
      session have more keys.
    </p>
  );
}
