// foil anchor push: the repository's branches and archive to another one, as plain git does it.
import { type PushedRef, pushRepository } from '../../anchor/git/index.ts';
import { withLedger } from '../../app/index.ts';
import { UsageError } from '../../core/index.ts';
import { columns, harmless } from '../../report/index.ts';
import type { Context, Outcome } from '../command.ts';
import { place } from '../place.ts';
import { keepUpByHand, problemOutcome } from './git.ts';

const WORDS: Readonly<Record<PushedRef['state'], string>> = {
  new: 'new',
  moved: 'moved',
  same: 'up to date',
  rejected: 'REJECTED',
};

export async function pushNow(context: Context): Promise<Outcome> {
  const remote = context.arguments[1] ?? '';
  if (remote === '') throw new UsageError('the name of the repository to push to is empty.');
  const { directory } = place(context);
  const caught = await withLedger(place(context), (ledger) => keepUpByHand(context, ledger));
  // What contradicts the ledger is not for others either.
  if ('problem' in caught) return problemOutcome(caught);
  const dryRun = context.values.flag('dry-run');
  const result = await pushRepository({ directory, remote, dryRun, env: context.env });
  if ('problem' in result) return problemOutcome(result);
  const rows = result.refs.map(({ ref, state }): [string, string] => [WORDS[state], harmless(ref)]);
  const done = dryRun ? 'Nothing was sent. `foil anchor push` would send:\n' : '';
  return {
    json: { remote: remote.replace(/\/\/[^/@]*@/, '//…@'), dry_run: dryRun, refs: result.refs },
    text: rows.length === 0 ? 'No session has any commits yet.\n' : `${done}${columns(rows)}\n`,
  };
}
