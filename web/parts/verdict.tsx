// The first thing that a reader sees: what the check gave, in a sentence, and the entry that is wrong, if one is.

import type { BundleFinding } from '../../src/verify/index.ts';
import type { RunAnswer } from '../check-run.ts';
import type { ClaimRow } from '../model/session.ts';
import { grouped } from './findings.tsx';
import type { From } from './shown-run.ts';
import { Signer } from './signer.tsx';
import { brief, counted, thousands } from './words.ts';

interface Props {
  readonly answer: RunAnswer;
  readonly claims: readonly ClaimRow[];
  readonly from: From;
  readonly show: (seq: number) => void;
  readonly check: (keys: readonly string[]) => Promise<void>;
}

const MOST_FAULTS = 5;

export function Verdict(props: Props) {
  const { early, entries } = props.answer;
  if (early === null) return <Judged {...props} />;
  return (
    <section class="verdict doubt" role="status">
      <h2>Checking…</h2>
      <p>
        These are {thousands(entries.length)} of {counted(early.entries, 'entry', 'entries')}, as the ledger
        has them. The others are being read, and nothing was checked yet.
      </p>
    </section>
  );
}

function Judged({ answer, claims, from, show, check }: Props) {
  const { report, damaged, entries, broken: changes, isSound } = answer;
  const { tone, title, text } = wordsOf(answer, from);
  const faults = (report?.findings ?? changes).filter(({ level }) => level === 'fail');
  // Where the record was changed, an entry that only tells of something wrong is not the one to look at.
  const named = (isSound ? faults : changes).find(({ seq }) => seq !== null)?.seq ?? damaged[0];
  const first = entries.find(({ seq }) => seq === named)?.seq ?? null;
  // Each claim has a link of its own.
  const isClaim = (entry: number): boolean => isSound && claims.some(({ seq }) => seq === entry);
  return (
    <section class={`verdict ${tone}`} id="verdict" aria-labelledby="verdict-title">
      <div role={tone === 'bad' ? 'alert' : 'status'}>
        <h2 id="verdict-title">{title}</h2>
        <p>{text}</p>
        <Faults faults={faults} changes={changes} claims={claims} show={show} />
        {tone === 'bad' && first !== null && !isClaim(first) && (
          <button type="button" onClick={() => show(first)}>
            Show entry {first}
          </button>
        )}
      </div>
      <Signer answer={answer} from={from} check={check} />
    </section>
  );
}

interface FaultsProps extends Pick<Props, 'claims' | 'show'> {
  readonly faults: readonly BundleFinding[];
  readonly changes: readonly BundleFinding[];
}

/** What changed the record comes first. A claim speaks for itself, in the words of the agent and the gate. */
function Faults({ faults, changes, claims, show }: FaultsProps) {
  const said = faults.flatMap(
    ({ code, seq }) => (code === 'CLAIM_UNPROVEN' && claims.find((claim) => claim.seq === seq)) || [],
  );
  const others = faults.filter(
    (fault) =>
      !changes.includes(fault) &&
      (!said.some((claim) => claim.seq === fault.seq) || fault.code !== 'CLAIM_UNPROVEN'),
  );
  if (faults.length === 0) return null;
  return (
    <ul class="faults">
      <ByCode faults={changes} />
      {said.slice(0, MOST_FAULTS).map(({ seq, quote, type, reason }) => (
        <li key={seq}>
          {quote === null ? `A claim of type ${brief(type)}` : `“${brief(quote)}”`}:{' '}
          {reason === null ? 'nothing on record backs it.' : brief(reason, 600)}{' '}
          <button type="button" class="link" onClick={() => show(seq)}>
            entry {seq}
          </button>
        </li>
      ))}
      {said.length > MOST_FAULTS && <li>and {said.length - MOST_FAULTS} more claims</li>}
      <ByCode faults={others} />
    </ul>
  );
}

function ByCode({ faults }: Pick<FaultsProps, 'faults'>) {
  return (
    <>
      {grouped(faults)
        .slice(0, MOST_FAULTS)
        .map(({ code, findings: [one, ...more] }) => (
          <li key={code}>
            {brief(one?.message ?? '', 600)} <code>{code}</code>
            {more.length > 0 && ` (and ${more.length} more like it)`}
          </li>
        ))}
    </>
  );
}

function wordsOf(
  { report, whyNot, missing, isSound, broken, entries, damaged, given, signer, uncompared }: RunAnswer,
  from: From,
): {
  tone: string;
  title: string;
  text: string;
} {
  const many = counted(entries.length, 'entry', 'entries');
  if (missing !== null)
    return {
      tone: 'bad',
      title: 'Entries of this ledger are gone',
      text: `${brief(missing, 300)} So ${many} may not be all of this session.`,
    };
  if (report === null && !isSound)
    return {
      tone: 'bad',
      title: 'The content of this session was changed',
      text: `What is kept for ${broken.length === 1 ? `entry ${broken[0]?.seq}` : `${broken.length} pieces of content`} is not what was recorded. Don’t rely on it. Run \`foil verify\`.`,
    };
  if (report === null && whyNot !== null)
    return {
      tone: 'doubt',
      title: 'This session can’t be checked here',
      text: `Nothing shows that these ${many} are as they were recorded: ${brief(whyNot, 300)}. Run \`foil verify\` to check the whole ledger.`,
    };
  if (report === null)
    return {
      tone: 'doubt',
      title: 'Not sealed yet',
      text: `No checkpoint covers all ${many} yet, so there is nothing to compare them with. The ledger seals them when the turn or the session ends.`,
    };
  if (report.verdict === 'FAIL' && isSound)
    return {
      tone: 'bad',
      title: 'The record is intact, and the run broke a rule',
      text: `All ${many} fit together. But they show something wrong: a claim that nothing proves, or something that wasn’t allowed.`,
    };
  if (report.verdict === 'FAIL')
    return {
      tone: 'bad',
      title: 'This record was changed',
      text: `${damaged[0] === undefined ? 'Something in it' : `Entry ${damaged[0]}`} is not what was recorded. Don’t rely on any of it.`,
    };
  if (report.verdict === 'PASS')
    return {
      tone: 'good',
      title: 'This run passes the check',
      text: `All ${many} are here, unchanged, and signed by a ledger key that you confirmed.`,
    };
  if (given > 0 && report.findings.some(({ code }) => code === 'KEY_NOT_TRUSTED'))
    return {
      tone: 'bad',
      title: 'Intact, but another key signed it',
      text: `All ${many} fit together. None of the keys that you entered signed them.`,
    };
  const open = report.findings.filter(({ level }) => level === 'unknown');
  // The maker of a report chose what it shows. In the reader's own ledger, everything that was kept is here.
  const apart =
    from === 'ledger' && uncompared > 0
      ? ` ${counted(uncompared, 'piece')} of content ${uncompared === 1 ? 'is' : 'are'} not here, so nothing was compared with ${uncompared === 1 ? 'it' : 'them'}.`
      : '';
  const onlySigner = open.every(({ code }) => code === 'KEY_NOT_TRUSTED');
  return {
    tone: 'doubt',
    title: onlySigner ? 'Intact, signer not confirmed' : 'Intact, but not everything is shown',
    text:
      signer === null
        ? `All ${many} fit together, but nothing here names the key that signed them.`
        : `All ${many} fit together${apart === '' && from === 'ledger' ? ' with their content' : ''}, and one key signed them. This page can’t know whose key it is. Compare it with the one that its owner gave you.${onlySigner ? '' : ' Some things stay unknown: see the findings.'}${apart}`,
  };
}
