// What the check found, by its codes: a run with a hundred calls that nobody judged has one thing to say, not a hundred.
import type { BundleFinding, BundleReport } from '../../src/verify/index.ts';
import { brief } from './words.ts';

const TONES = { fail: 'bad', unknown: 'doubt', note: 'plain' } as const;
const LEVELS = { fail: 'Fails', unknown: 'Unknown', note: 'Note' } as const;
/** In a page there is no file of keys and no command line. */
const NOT_TRUSTED = 'No key that you confirmed signed this.';
const wordsFor = ({ code, message }: BundleFinding): string =>
  code === 'KEY_NOT_TRUSTED' ? NOT_TRUSTED : message;

/** So many of one code are listed. */
const MOST = 50;

interface Props {
  readonly report: BundleReport;
  readonly show: (seq: number) => void;
}

export interface FindingGroup {
  readonly code: string;
  readonly level: BundleFinding['level'];
  readonly findings: readonly BundleFinding[];
}

const ORDER = ['fail', 'unknown', 'note'] as const satisfies readonly BundleFinding['level'][];

/** Those that fail first, and else in the order of their first. */
export function grouped(findings: readonly BundleFinding[]): FindingGroup[] {
  const groups = new Map<string, BundleFinding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.code);
    if (group === undefined) groups.set(finding.code, [finding]);
    else group.push(finding);
  }
  return [...groups]
    .map(([code, [first, ...others]]) => ({
      code,
      level: (first as BundleFinding).level,
      findings: [first as BundleFinding, ...others],
    }))
    .sort((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
}

export function Findings({ report, show }: Props) {
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      {report.findings.length === 0 && <p class="quiet">The check found nothing to report.</p>}
      <ul class="findings">
        {grouped(report.findings).map((group) => (
          <Group key={group.code} group={group} show={show} />
        ))}
      </ul>
      {report.total > report.findings.length && (
        <p class="quiet">{report.total - report.findings.length} more findings are not listed here.</p>
      )}
    </section>
  );
}

function Group({
  group: { code, level, findings },
  show,
}: {
  readonly group: FindingGroup;
  readonly show: Props['show'];
}) {
  const [first] = findings as [BundleFinding];
  const head = (
    <>
      <span class={`badge ${TONES[level]}`}>{LEVELS[level]}</span> <code>{code}</code>
    </>
  );
  if (findings.length === 1)
    return (
      <li>
        {head} <One finding={first} show={show} />
      </li>
    );
  return (
    <li>
      <details>
        <summary>
          {head} <strong>{findings.length}×</strong> {brief(wordsFor(first), 300)}
        </summary>
        <ul>
          {findings.slice(0, MOST).map((finding) => (
            <li key={`${finding.seq}${finding.message}`}>
              <One finding={finding} show={show} />
            </li>
          ))}
          {findings.length > MOST && <li class="quiet">and {findings.length - MOST} more</li>}
        </ul>
      </details>
    </li>
  );
}

function One({ finding, show }: { readonly finding: BundleFinding; readonly show: Props['show'] }) {
  const { seq } = finding;
  return (
    <>
      {brief(wordsFor(finding), 2000)}{' '}
      {seq !== null && (
        <button type="button" class="link" onClick={() => show(seq)}>
          entry {seq}
        </button>
      )}
    </>
  );
}
