import type { BundleReport } from '../../src/verify/index.ts';
import { brief } from './words.ts';

const TONES = { fail: 'bad', unknown: 'doubt', note: 'plain' } as const;
const LEVELS = { fail: 'Fails', unknown: 'Unknown', note: 'Note' } as const;

interface Props {
  readonly report: BundleReport;
  readonly show: (seq: number) => void;
}

export function Findings({ report, show }: Props) {
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      {report.findings.length === 0 && <p class="quiet">The check found nothing to say.</p>}
      <ul class="findings">
        {report.findings.slice(0, 200).map(({ code, level, seq, message }) => (
          <li key={`${code}${seq}${message}`}>
            <span class={`badge ${TONES[level]}`}>{LEVELS[level]}</span> <code>{code}</code>{' '}
            {brief(message, 2000)}{' '}
            {seq !== null && (
              <button type="button" class="link" onClick={() => show(seq)}>
                entry {seq}
              </button>
            )}
          </li>
        ))}
      </ul>
      {report.total > 200 && <p class="quiet">{report.total - 200} more findings are not listed here.</p>}
    </section>
  );
}
