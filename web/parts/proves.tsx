// What a reader may conclude, and what not.
import type { RunAnswer } from '../check-run.ts';
import type { From } from './shown-run.ts';

interface Props {
  readonly answer: RunAnswer;
  readonly from: From;
}

export function Proves({ answer: { report, isSound }, from }: Props) {
  if (report === null) return null;
  if (!isSound)
    return from === 'own file' ? (
      <p class="quiet">
        This page’s own code came with the file, too. Run <code>foil verify</code> on the file to check both.
      </p>
    ) : null;
  // Only the end of a run says how many entries it has.
  const isClosed = !report.findings.some(({ code }) => code === 'RUN_OPEN');
  return (
    <section class="proves" aria-labelledby="proves">
      <h2 id="proves">What this shows, and what it doesn’t</h2>
      <div class="two">
        <div>
          <h3>It shows</h3>
          <ul>
            <li>
              These entries are the ones that the ledger’s key signed. Changing one of them would be seen.
            </li>
            {isClosed && <li>None of the run’s entries is missing, as far as its own closing count says.</li>}
            <li>Each claim marked as proven rests on the entries named beside it.</li>
          </ul>
        </div>
        <div>
          <h3>It doesn’t show</h3>
          <ul>
            <li>
              That the ledger’s owner recorded honestly. The owner holds the key, and could have made all of
              it up.
            </li>
            <li>That the work is good. A test that passes may test little.</li>
            <li>Anything that the agent did where no hook, wire or gateway could see it.</li>
            {!isClosed && <li>That all of the run is here: it has no end yet that counts its entries.</li>}
            {from === 'own file' && (
              <li>
                That this page tells the truth: its code came with the file. Run <code>foil verify</code> on
                the file to check the data and the code.
              </li>
            )}
          </ul>
        </div>
      </div>
    </section>
  );
}
