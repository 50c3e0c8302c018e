// Who runs in the sandbox. Root takes a number that nobody has for each run: the kernel counts processes by user, so that
// one run which forks without end would otherwise keep another from starting anything. Any other user stays itself, and is
// counted apart in each user namespace. Inside, both have a name, because programs ask for it.
import { randomInt } from 'node:crypto';
import { lstatSync } from 'node:fs';

/** Apart from those of the unprivileged sandbox, which ends every process of its number. */
const [FIRST, LAST] = [63_000, 63_999];
const taken = new Set<number>();

export interface RunUser {
  readonly uid: number;
  /** Whether files must be given to it. */
  readonly isOther: boolean;
  release(): void;
}

export function takeUser(): RunUser {
  const own = process.getuid?.() ?? 0;
  if (own !== 0) return { uid: own, isOther: false, release: () => undefined };
  if (taken.size > (LAST - FIRST) / 2) throw new Error('too many runs at once');
  let uid = randomInt(FIRST, LAST + 1);
  while (taken.has(uid)) uid = randomInt(FIRST, LAST + 1);
  taken.add(uid);
  return { uid, isOther: true, release: () => void taken.delete(uid) };
}

/** What programs find it called, and the shell that it logs in with. */
export interface LoginNames {
  readonly user: string;
  readonly group: string;
  readonly shell: string;
}

const PLAIN: LoginNames = { user: 'foil', group: 'foil', shell: '/bin/sh' };

/** The files that name it, by the paths they are mounted on; the machine's other users are nobody's business. */
export function userFiles(
  uid: number,
  home: string,
  { user, group, shell }: LoginNames = PLAIN,
): ReadonlyMap<string, string> {
  const files = [
    ['/etc/passwd', `root:x:0:0:root:/:/bin/sh\n${user}:x:${uid}:${uid}:${user}:${home}:${shell}\n`],
    ['/etc/group', `root:x:0:\n${group}:x:${uid}:\n`],
  ] as const;
  return new Map(files.filter(([path]) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true));
}
