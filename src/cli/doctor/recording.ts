// What recording an agent needs besides a ledger: hooks that lead somewhere, a service that answers, a place for notes
// when the ledger can't be written. Only looked at; nothing is started, and nothing of a host is changed.
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { askService, hostOverrides, modeInForce, otherBuildText, placesOf } from '../../app/index.ts';
import { findRunning, type Installed } from '../../capture/settings/index.ts';
import { parseYaml, readConfig } from '../../config/index.ts';
import { type Located, readSettings, workspaceRoot } from '../../ledger/index.ts';
import { isForeignDirectory, runtimeDirectory } from '../../record/index.ts';
import { counted, heardFrom, unheardText } from '../../report/index.ts';
import { readToken } from '../../service/index.ts';
import { authDirectory, readKeys } from '../../session/index.ts';
import type { Context } from '../command.ts';
import { compiledStart } from '../compile-start.ts';
import { type Check, fail, ok, tried, warn } from './check.ts';

export async function checkRecording(located: Located, context: Context): Promise<Check[]> {
  return [
    checkStart(),
    await tried('hooks', () => checkHooks(located, context)),
    await tried('settings', () => checkOverrides(located, context)),
    await tried('config', () => checkConfig(context)),
    await tried('auth', () => checkAuth(located)),
    await tried('service', () => checkService(located, context)),
    await tried('notes', () => checkNotes(located, context)),
  ];
}

/** Where sessions need a key, is there one, and can the store be believed? */
function checkAuth(located: Located): Check {
  const { keys, problems } = readKeys(authDirectory(located));
  const [problem] = problems;
  if (problem !== undefined) return fail('auth', problem.message);
  if (keys.length === 0) return ok('auth', "there are no auth keys, so sessions aren't authenticated");
  const good = keys.filter(({ revoked }) => revoked === null);
  const presented = keys.find((key) => key.presented);
  const count = `${good.length} of ${counted(keys.length, 'auth key')} good`;
  if (presented === undefined || presented.revoked !== null)
    return warn(
      'auth',
      `${count}, ${presented === undefined ? 'none presented here' : `${presented.name}, presented here, is revoked`}. Every session needs a good key. Run \`foil auth present\`, or \`foil run --auth-key-file FILE\``,
    );
  return ok('auth', `${count}, ${presented.name} presented here`);
}

/** Not a fault: without it hooks do the same, a little later. */
function checkStart(): Check {
  return existsSync(compiledStart())
    ? ok('start', 'compiled for this Node')
    : ok(
        'start',
        'not compiled for this Node, so each hook takes a few milliseconds longer. Run `foil install` to compile it',
      );
}

/** A file that a repository brings can keep hooks from running, and set their environment. */
function checkOverrides({ directory }: Located, context: Context): Check {
  const found = hostOverrides(context, modeInForce(directory, context).mode);
  if (found.length === 0) return ok('settings', "no agent's settings block foil's hooks");
  const text = `${found.map((each) => each.text).join('; ')}.`;
  return found.some(({ silences, unsure }) => silences || unsure)
    ? fail('settings', text)
    : warn('settings', text);
}

function checkHooks({ directory }: Located, { cwd, env }: Context): Check {
  const found = findRunning(placesOf({ cwd, env }));
  if (found.length === 0) return ok('hooks', 'none in this project. Run `foil install` to add them');
  const elsewhere = found.find(({ ledger }) => ledger !== null && ledger !== directory);
  if (elsewhere !== undefined)
    return warn(
      'hooks',
      `${elsewhere.agent}'s hooks write to another ledger, ${elsewhere.ledger}. Look at it with --ledger, or run \`foil install\` to make them write to this one.`,
    );
  const unheard = found
    .map(({ agent, path }) => heardFrom(directory, agent, path))
    .filter(({ at, stale }) => at === null || stale);
  const all = found.map(describe).join(', ');
  return unheard.length === 0
    ? ok('hooks', all)
    : warn('hooks', `${all}; ${unheard.map(unheardText).join('; ')}.`);
}

function describe({ agent, scope, mode }: Installed): string {
  return `${agent} (${scope}${mode === null ? '' : `, ${mode}`})`;
}

async function checkService({ directory }: Located, { env }: Context): Promise<Check> {
  const { port, mode } = readSettings(directory, env);
  if (mode !== 'locked') readToken(directory); // throws where others can read it
  const { service } = await askService(directory);
  const other = service === null ? null : otherBuildText(service, mode);
  if (other !== null) return warn('service', `${other}.`);
  if (service?.alive === true)
    return service.problem === null
      ? ok('service', `process ${service.pid}${service.port === null ? '' : `, port ${service.port}`}`)
      : warn('service', `${service.problem}.`);
  if (service?.problem && mode !== 'locked') return warn('service', `${service.problem}.`);
  if (mode === 'locked')
    return fail(
      'service',
      "doesn't answer, and nothing runs without it in locked mode. Start it again with `foil serve`.",
    );
  return ok('service', port === null ? 'not needed' : 'not running; the next session starts it');
}

/** A pause and what was missed are noted there. */
function checkNotes({ directory }: Located, { env }: Context): Check {
  const path = runtimeDirectory(directory, env);
  const there = nearest(path);
  try {
    accessSync(there, constants.W_OK);
  } catch {
    return fail('notes', `${there} can't be written, so foil can't note a pause or a gap there.`);
  }
  // Hooks pass over a directory that is not this user's alone, and so would lose every note.
  const foreign = [dirname(path), path].find((each) => isForeignDirectory(each));
  return foreign === undefined
    ? ok('notes', path)
    : fail('notes', `${foreign} isn't a directory that only you can write to. Look at it, then remove it.`);
}

/** A file that can't be understood takes content, or in guard every action, from the recording. */
function checkConfig({ cwd }: Context): Check {
  const path = join(workspaceRoot(cwd), 'counterfoil.yaml');
  readConfig(workspaceRoot(cwd), parseYaml);
  return ok('config', existsSync(path) ? path : 'no counterfoil.yaml, so the defaults apply');
}

function nearest(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearest(dirname(path));
}
