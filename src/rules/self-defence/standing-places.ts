// Where a word of a command line may lead: from which folder a relative one is read, and what stands behind the names by
// which a process finds its own folder (`/proc/self/cwd`, `/dev/fd/3`). Those names must never be looked up by us: for our
// own process they lead somewhere else.
import { resolvePath } from '../../shell/index.ts';

export interface Standing {
  readonly here?: string | null;
  readonly root: string | null;
}

const OF_PROCESS = /^\/(?:proc|dev\/fd)(?:\/|$)/;

/** Absolute paths that the word may stand for; none where that can't be known. */
export function pathsOfWord(word: string, cwd: string | null, standing: Standing): string[] {
  const text = word.replace(/^\/+proc\/+[^/]*[$`][^/]*(?=\/)/, '/proc/self');
  const found = placesOf(cwd, standing).flatMap((place) => {
    if (/[$`]/.test(text) || text.startsWith('~')) return [];
    const whole = text.startsWith('/') ? text : place === null ? null : `${place}/${text}`;
    if (whole === null) return [resolvePath(text, null)];
    return OF_PROCESS.test(whole.replace(/\/(?:\.?\/)+/g, '/'))
      ? behind(whole, place)
      : [resolvePath(text, place)];
  });
  return [...new Set(found)].filter((path) => path !== null);
}

/** Where the line does not tell in which folder it is by now, it may be the one that it was started in. */
function placesOf(cwd: string | null, { here = null, root }: Standing): (string | null)[] {
  const start = [here, root].filter((place) => place !== null);
  if (cwd === null) return start.length === 0 ? [null] : start;
  return OF_PROCESS.test(cwd) ? start.flatMap((place) => behind(cwd, place)) : [cwd];
}

/** Step by step: `..` behind a link leads out of the folder that it leads to. */
function behind(path: string, place: string | null): string[] {
  const start = (place ?? '').split('/').filter((name) => name !== '');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  let at: string[] = [];
  for (const [index, name] of names.entries()) {
    if (name === '..') at.pop();
    else at.push(name);
    const now = `/${at.join('/')}`;
    if (now === '/dev/fd') at = ['proc', 'self', 'fd'];
    else if (/^\/proc\/[^/]+\/task\/[^/]+$/.test(now)) at = at.slice(0, 2);
    else if (/^\/proc\/[^/]+\/root$/.test(now)) at = [];
    // A descriptor may be one of the folder; that of a file has nothing behind it.
    else if (
      /^\/proc\/[^/]+\/cwd$/.test(now) ||
      (/^\/proc\/[^/]+\/fd\/[^/]+$/.test(now) && index < names.length - 1)
    )
      at = [...start];
  }
  return [`/${at.join('/')}`];
}
