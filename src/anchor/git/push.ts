// Hands the repository's own refs to another one, by plain `git push`: never forced, so nothing that is there is ever
// replaced, and never with a prompt. Whoever calls this wants their own ssh and credentials, so their environment and
// settings are git's here; what would point git at another repository, or run a hook, is not. The repository's own
// settings may name remotes and nothing else: it lies where an agent can write.
import { gitEnvironmentOf } from './git-environment.ts';
import { GitFailure, type GitProblem, problemOf } from './git-problem.ts';
import { callGit, gitProgram } from './git-process.ts';
import { assertPlainConfig, gitDirectory, readRefs, readSettings } from './repository.ts';

export interface PushedRef {
  readonly ref: string;
  readonly state: 'new' | 'moved' | 'same' | 'rejected';
  /** What git says of it. */
  readonly summary: string;
}

export interface Pushed {
  readonly refs: readonly PushedRef[];
}

export interface PushOptions {
  /** The ledger's directory. */
  readonly directory: string;
  /** A URL, a path, or a name that the repository's own settings have. */
  readonly remote: string;
  readonly dryRun?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

const TIMEOUT = 120_000;
const ARCHIVE = 'refs/archive/';
const STATES: Readonly<Record<string, PushedRef['state']>> = {
  ' ': 'moved',
  '*': 'new',
  '=': 'same',
  '!': 'rejected',
};

/** Never rejects. What was refused is a problem, with the refs that it is about. */
export async function pushRepository(options: PushOptions): Promise<Pushed | GitProblem> {
  const { directory, remote, dryRun = false, env, timeoutMs = TIMEOUT } = options;
  const git = gitDirectory(directory);
  try {
    if (readSettings(git) === undefined)
      throw new GitFailure(
        'FOREIGN',
        'this ledger has no git repository yet. Run `foil anchor git` to make it.',
      );
    assertPlainConfig(git);
    const names = [...readRefs(git).keys()];
    const heads = names.filter((name) => !name.startsWith(ARCHIVE)).sort();
    const specs = heads.map((name) => `${name}:${name}`);
    if (heads.length < names.length) specs.push(`${ARCHIVE}*:${ARCHIVE}*`);
    if (specs.length === 0) return { refs: [] };
    const args = [`--git-dir=${git}`, 'push', '--porcelain', '--no-verify', '--no-follow-tags'];
    if (dryRun) args.push('--dry-run');
    const { code, out, errors } = await callGit(gitProgram(directory), {
      args: [...args, '--', remote, ...specs],
      environment: gitEnvironmentOf(env),
      detached: true,
      timeoutMs,
    });
    const refs = parsePorcelain(out.toString('utf8'));
    const rejected = refs.filter(({ state }) => state === 'rejected');
    if (rejected.length > 0) {
      const what = rejected.map(({ ref, summary }) => `${ref} ${summary}`).join('; ');
      const message = `${what}. The other repository has commits that this ledger doesn't know, so nothing there was replaced.`;
      return { problem: 'PUSH', message, refs: rejected.map(({ ref }) => ref) };
    }
    if (code !== 0) return { problem: 'PUSH', message: `git push failed: ${wordsOf(errors)}` };
    return { refs };
  } catch (error) {
    return problemOf(error);
  }
}

/** `FLAG \t FROM:TO \t SUMMARY (REASON)` a line, between lines about the whole. */
function parsePorcelain(text: string): PushedRef[] {
  return text.split('\n').flatMap((line) => {
    const [flag = '', names = '', summary = ''] = line.split('\t');
    const state = flag.length === 1 ? STATES[flag] : undefined;
    const ref = names.split(':')[1];
    return state === undefined || ref === undefined ? [] : [{ ref, state, summary }];
  });
}

/** The last lines, without what may open a door: a URL can have a password in it. */
function wordsOf(errors: string): string {
  const lines = errors.split('\n').filter((line) => line.trim() !== '');
  const words = lines
    .slice(-4)
    .join(' ')
    .replace(/\/\/[^/@\s]*@/g, '//…@');
  return words === '' ? "git didn't say why" : words;
}
