import type { Changes } from '../../src/format/index.ts';
import type { RunAnswer } from '../check-run.ts';
import { RunPage } from './run-page.tsx';
import type { ShownRun } from './shown-run.ts';
import { moment, visible } from './words.ts';

export type AppState =
  | { readonly phase: 'checking' }
  | { readonly phase: 'broken'; readonly why: string }
  | {
      readonly phase: 'done';
      readonly run: ShownRun;
      /** A text is why it can't be shown. */
      readonly diff: Changes | string | undefined;
      /** Checks once more, with keys that the reader knows. */
      readonly check: (keys: readonly string[]) => Promise<RunAnswer>;
    };

export function App({ state }: { readonly state: AppState }) {
  if (state.phase === 'done') {
    const created = state.run.answer.report?.bundle?.created ?? null;
    return (
      <main>
        <p class="product quiet">Counterfoil report{created !== null && `, made on ${moment(created)}`}</p>
        <RunPage first={state.run} from="own file" diff={state.diff} check={state.check} />
      </main>
    );
  }
  return (
    <main class="page">
      {state.phase === 'checking' ? (
        <section class="verdict doubt" role="status">
          <h1>Checking…</h1>
          <p>Your browser is checking every entry in this file. Nothing leaves your computer.</p>
        </section>
      ) : (
        <section class="verdict bad" role="alert">
          <h1>This report can’t be checked</h1>
          <p>{visible(state.why)}</p>
          <p>Don’t rely on anything that it says. Ask whoever sent it for a new copy.</p>
        </section>
      )}
    </main>
  );
}
