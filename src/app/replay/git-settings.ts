// What the user's own settings say to git, which is asked for nothing else of them: only who a replayed agent commits as, and what
// the user ignores in every repository, follow from them.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findGit, runGit } from '../../gate/index.ts';

const BOUNDS = { timeoutMs: 5_000, maxBytes: 4096 };

/** Of the work tree `root`, because files may be included for some folders alone. Undefined where it is not set. */
export async function userSetting(
  key: string,
  root: string,
  { HOME: home = homedir(), XDG_CONFIG_HOME: config = join(home, '.config'), PATH: path }: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const git = findGit(root, path);
  if (git === undefined) return undefined;
  let value: string | undefined;
  // Git reads both, and what the second says counts.
  for (const file of [join(config, 'git/config'), join(home, '.gitconfig')]) {
    const args = ['config', '--file', file, '--includes', '--get', key];
    const printed = await runGit({ git, args, cwd: root, env: { HOME: home }, ...BOUNDS });
    value = printed?.toString().replace(/\n$/, '') ?? value;
  }
  return value;
}

/** The file of what the user ignores in every repository; it need not be there. */
export async function ignoredEverywhere(root: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { HOME: home = homedir(), XDG_CONFIG_HOME: config = join(home, '.config') } = env;
  const set = await userSetting('core.excludesFile', root, env);
  if (set === '') return undefined;
  return set?.replace(/^~(?=\/)/, home) ?? join(config, 'git/ignore');
}
