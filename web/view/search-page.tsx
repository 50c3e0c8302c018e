// What was found: each hit with the words that were looked for, and what its session was about.
import type { ComponentChildren } from 'preact';
import type { Hit } from '../../src/view/answers.ts';
import { Prose } from '../parts/prose.tsx';
import { brief, counted, moment, thousands, visible } from '../parts/words.ts';
import { api } from './api.ts';
import { usePrompt } from './prompts.ts';
import { hashOf } from './route.ts';
import { useAsked } from './use-asked.ts';

export function SearchPage({ ledger, query }: { readonly ledger: number; readonly query: string }) {
  const asked = useAsked(() => api.search(ledger, query), [ledger, query]);
  if (query.trim() === '')
    return <p class="quiet">Write words above. All of them must occur in one entry.</p>;
  if (asked.state === 'waiting') return <p class="quiet">Searching…</p>;
  if (asked.state === 'failed')
    return (
      <p class="verdict bad">
        <Prose text={asked.why} />
      </p>
    );
  const { hits, isFull, from, skipped, notices } = asked.value;
  const words = query.split(/\s+/).filter((word) => word !== '');
  return (
    <section aria-labelledby="found">
      <h1 class="unseen">Search</h1>
      <h2 id="found">{hits.length === 0 ? 'Nothing found' : counted(hits.length, 'entry', 'entries')}</h2>
      {notices.map((notice) => (
        <p key={notice} class="quiet">
          {visible(notice)}
        </p>
      ))}
      {skipped !== null && (
        <p class="quiet" role="status">
          The index is still being built. Entries {thousands(skipped.from)} to {thousands(skipped.to)} were
          not searched yet.
        </p>
      )}
      {from > 1 && (
        <p class="quiet">
          {isFull
            ? `These are the newest ${hits.length}. Add a word to find older ones.`
            : `Entries before ${thousands(from)} were not searched, because that would take too long.`}
        </p>
      )}
      <ul class="hits">
        {hits.map((hit) => (
          <Found key={`${hit.ledger}/${hit.seq}`} hit={hit} ledger={hit.ledger ?? ledger} words={words} />
        ))}
      </ul>
      <p class="quiet">
        Content over 256 kB is not searched, and content that is kept encrypted is not in the index.
      </p>
    </section>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  prompt: 'Prompt',
  response: 'Answer',
  'tool.call': 'Call',
  'tool.result': 'Result',
  'tool.denied': 'Denied call',
  claim: 'Claim',
  contract: 'What was asked for',
  validation: 'Check',
  gate: 'Gate',
  approval: 'Permission',
  override: 'Override',
  note: 'Note',
  gap: 'Gap',
  crash: 'Crash of a hook',
  compaction: 'Compaction',
  'agent.start': 'Beginning of a subagent',
  'agent.end': 'End of a subagent',
  'model.call': 'Model call',
  'model.result': 'Model result',
  'session.cut': 'Session that was cut off',
  'session.start': 'Beginning of a session',
  'session.end': 'End of a session',
};

interface FoundProps {
  readonly hit: Hit;
  readonly ledger: number;
  readonly words: readonly string[];
}

function Found({ hit: { session, seq, kind, ts, text, ledger_name: name }, ledger, words }: FoundProps) {
  const prompt = usePrompt(ledger, session);
  const title = `${Object.hasOwn(KINDS, kind) ? KINDS[kind] : visible(kind)}, entry ${seq}`;
  return (
    <li>
      {session === null ? (
        <span>{title}</span>
      ) : (
        <a href={hashOf({ page: 'session', ledger, id: session, entry: seq })}>{title}</a>
      )}{' '}
      <span class="quiet">
        {name === undefined ? '' : `${visible(name)}, `}
        {moment(ts)}
        {typeof prompt === 'string' && kind !== 'prompt' && `, in “${brief(prompt, 80)}”`}
      </span>
      <div class="found">{marked(text, words)}</div>
    </li>
  );
}

/** The words that were looked for stand out. */
function marked(text: string, words: readonly string[]): ComponentChildren[] {
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return text
    .split(new RegExp(`(${escaped.join('|')})`, 'giu'))
    .map((piece, index) => (index % 2 === 1 ? <mark key={index}>{visible(piece)}</mark> : visible(piece)));
}
