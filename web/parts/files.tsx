import type { FileRow } from '../model/session.ts';
import { brief } from './words.ts';

interface Props {
  readonly files: readonly FileRow[];
  readonly show: (seq: number) => void;
}

const MOST = 60;

export function Files({ files, show }: Props) {
  const sorted = files.toSorted((a, b) => b.writes + b.deletes - (a.writes + a.deletes));
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      {files.length === 0 ? (
        <p class="quiet">No file was touched by a tool whose files are recorded.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Path</th>
                <th scope="col">Read</th>
                <th scope="col">Written</th>
                <th scope="col">Deleted</th>
                <th scope="col">Last</th>
              </tr>
            </thead>
            <tbody>
              {sorted.slice(0, MOST).map(({ path, reads, writes, deletes, seq, unmentioned }) => (
                <tr key={path}>
                  <td class="path">
                    {brief(path)} {unmentioned && <span class="badge doubt">not mentioned</span>}
                  </td>
                  <td>{reads || ''}</td>
                  <td>{writes || ''}</td>
                  <td>{deletes || ''}</td>
                  <td>
                    <button type="button" class="link" onClick={() => show(seq)}>
                      entry {seq}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {files.length > MOST && <p class="quiet">{files.length - MOST} more are not listed here.</p>}
    </section>
  );
}
