import type { SessionModel } from '../model/session.ts';
import { brief, counted, lasted, moment, short } from './words.ts';

export function Facts({ model }: { readonly model: SessionModel }) {
  const { counts, claims } = model;
  const proven = claims.filter(({ tone }) => tone === 'good').length;
  const facts: [name: string, value: string][] = [
    ['Agent', model.agent],
    ['Model', model.models.join(', ') || 'unknown'],
    ['Began', moment(model.started)],
    ['Lasted', lasted(model.milliseconds)],
    ['Mode', model.mode ?? 'unknown'],
    ['Folder', model.workspace ?? 'unknown'],
    ['Prompts', String(counts.prompts)],
    [
      'Tool calls',
      `${counts.calls}, ${counted(counts.failed, 'failure')}, ${counted(counts.denied, 'denial')}`,
    ],
    ['Claims', claims.length === 0 ? 'none' : `${proven} of ${claims.length} proven`],
    ['Session', short(model.id)],
  ];
  return (
    <section aria-label="Facts">
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{brief(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
