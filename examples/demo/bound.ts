// The demo's fifth act: a session that says who, when and where. A key is presented, the session begins at a block and so on
// a branch, git tells it once more, and a stamp closes it from the other side. Hooks and commands are real processes; Bitcoin
// is a stand-in on this machine (regtest.ts), and the act says so. Then an insider rewrites the ledger, and moves a branch.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLedger } from '../../src/app/index.ts';
import { type JsonObject, sessionIdOf, type VerifierKey } from '../../src/core/index.ts';
import { verifyDirectory } from '../../src/entry/index.ts';
import {
  branchOf,
  type Entry,
  encodeStampName,
  GIT_DIR,
  parseSessionStart,
  STAMP_DIR,
} from '../../src/format/index.ts';
import { findGit, runGit } from '../../src/gate/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { harmless } from '../../src/report/index.ts';
import { takeOut } from './insider.ts';
import { type Regtest, startRegtest } from './regtest.ts';
import { hostMembers } from './scripted-agent.ts';
import { type Ended, foilWords, readEntries, runProgram, type Stage } from './stage.ts';

const SESSION = 'b7d2f0e4-3c55-4a8e-9b61-70f4c1d8e2a9';
const HEIGHT = 204;
/** So old is the newest block when the session begins. */
const AGE = 300_000;
const TURNS = [
  ['Which port does the shop listen on?', 'On port 8080.'],
  ['May I tell the customer about the outage?', 'No, better not.'],
  ['Which version runs?', 'Version 3.2.'],
] as const;
/** The interaction that somebody would rather not have had. */
const UNWANTED = 2;

type Told = Parameters<Stage['told']>;

interface Scene {
  readonly ledger: string;
  readonly env: NodeJS.ProcessEnv;
  readonly chain: Regtest;
  foil(...words: string[]): Promise<Ended>;
  /** Null where there is no git. */
  readonly git: ((...words: string[]) => Promise<string>) | null;
  tell(event: string, members: JsonObject): Promise<JsonObject>;
}

export async function* boundAct(stage: Stage): AsyncGenerator<string> {
  const { paint, told } = stage;
  const chain = await startRegtest(HEIGHT, stage.now() - AGE);
  try {
    const scene = await setScene(stage.base, chain);
    const { ledger, git } = scene;
    yield `${paint.bold('A session that says who, when and where.')} This process plays Bitcoin, on 127.0.0.1. It uses regtest, whose blocks\ntake no work and so prove nothing about time. With \`network: main\` the same steps prove it.\n\n`;
    yield `${paint.bold('`foil auth add laptop --present`,')} and an agent is asked three things.\n`;
    await converse(scene);
    const [start] = (await readEntries(ledger)).filter(({ kind }) => kind === 'session.start');
    if (start === undefined) throw new Error('no session began');
    yield told(...begun(start, chain.height()));

    yield `${paint.bold('The key is revoked,')} and the agent is asked once more.\n`;
    yield told(...(await revoked(scene)));
    await scene.tell('SessionEnd', { reason: 'other' });
    const entries = await readEntries(ledger);

    yield `${paint.bold('Every hash is recomputed from the content that was kept:')} \`foil audit session ${String(start.session_id).slice(0, 8)}\`\n`;
    yield told(...(await audited(scene, String(start.session_id))));

    if (git === null)
      yield `${paint.bold('There is no git on this machine,')} so the demo skips the two steps about its repository.\n\n`;
    else {
      const branch = branchOf(HEIGHT);
      yield `${paint.bold('The same story in git:')} \`git log --reverse ${branch}\` in the ledger's own bare repository.\n`;
      yield told(...(await toldByGit(scene, git, entries)));
    }

    yield `${paint.bold('`foil anchor stamp`,')} then a block is mined, and \`foil anchor upgrade\` completes the stamp. \`foil verify\`:\n`;
    const size = entries.length;
    yield told(...(await stamped(scene, size, stage.now())));
    const stamp = readFileSync(join(ledger, STAMP_DIR, encodeStampName(size, 'ots')));

    yield `${paint.bold('An insider with all keys rewrites the ledger')} without interaction ${UNWANTED}: every number,\nhash, signature and commit after it.\n`;
    const forged = locate({ ledger: join(stage.base, 'forged'), env: scene.env });
    await takeOut(ledger, UNWANTED, forged);
    if (git !== null) await scene.foil('anchor', 'git', '--ledger', forged.directory);
    const { firstKey } = await withLedger(locate({ ledger, env: scene.env }), (opened) => opened.identity());
    yield told(...(await unseen(forged.directory, firstKey)));
    yield `${paint.bold('Somebody else has a copy of the stamp:')} \`foil verify --stamp FILE\`\n`;
    yield told(...(await caught(forged.directory, firstKey, stamp)));

    if (git !== null) {
      yield `${paint.bold('Somebody moves a branch by hand,')} with \`git update-ref\`, in the real ledger's repository.\n`;
      yield told(...(await moved(scene, git, firstKey)));
    }
  } finally {
    chain.close();
  }
}

async function setScene(base: string, chain: Regtest): Promise<Scene> {
  const project = join(base, 'desk');
  for (const name of [project, join(base, 'bound-home'), join(base, 'bound-run')])
    mkdirSync(name, { mode: 0o700 });
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: join(base, 'bound-home'),
    XDG_STATE_HOME: join(base, 'bound-state'),
    XDG_CONFIG_HOME: join(base, 'bound-config'),
    XDG_RUNTIME_DIR: join(base, 'bound-run'),
    TMPDIR: base,
  };
  const { url } = chain;
  const anchor = { network: 'regtest', blocks: [url], git: true, stamps: [url] };
  writeFileSync(join(project, 'counterfoil.yaml'), `${JSON.stringify({ anchor })}\n`);
  const { directory: ledger } = locate({ cwd: project, env });
  const foil = async (...words: string[]): Promise<Ended> =>
    runProgram([...foilWords(), ...words], { cwd: project, env });
  await foil('init', '--ledger', ledger);
  await foil('anchor', 'accept', '--ledger', ledger);
  // Who verifies says which chain counts; the project does not.
  const trust = join(base, 'bound-config/counterfoil/trust.yaml');
  writeFileSync(trust, 'bitcoin: { network: regtest }\n', { flag: 'a' });
  await foil('auth', 'add', 'laptop', '--present');
  return {
    ledger,
    env,
    chain,
    foil,
    git: findGit(base) === undefined ? null : (...words) => askRepository(join(ledger, GIT_DIR), words),
    async tell(event, members) {
      const input = JSON.stringify({
        ...hostMembers(SESSION, project),
        transcript_path: '',
        hook_event_name: event,
        ...members,
      });
      const words = [...foilWords(), 'hook', 'claude-code', '--ledger', ledger, '--mode', 'guard'];
      const { stdout } = await runProgram(words, { cwd: project, env, input });
      return stdout === '' ? {} : (JSON.parse(stdout) as JsonObject);
    },
  };
}

async function askRepository(directory: string, words: readonly string[]): Promise<string> {
  const git = findGit(directory);
  if (git === undefined) return '';
  const limits = { timeoutMs: 30_000, maxBytes: 1 << 20 };
  const printed = await runGit({ git, args: words, cwd: directory, env: { GIT_DIR: directory }, ...limits });
  return (printed ?? '').toString().trimEnd();
}

async function converse({ tell }: Scene): Promise<void> {
  await tell('SessionStart', { source: 'startup' });
  for (const [prompt, message] of TURNS) {
    await tell('UserPromptSubmit', { prompt });
    await tell('Stop', { stop_hook_active: false, last_assistant_message: message });
  }
}

function begun(entry: Entry, height: number): Told {
  const { block, branch, authKey } = parseSessionStart(entry.payload);
  const id = sessionIdOf({ authKey, blockHash: block?.hash ?? null, prevHash: entry.prev_hash });
  const held = block?.height === height && branch === branchOf(height) && id === entry.session_id;
  return [
    { name: 'a session at a block', verdict: `block ${block?.height}, ${branch}`, held },
    [
      `Session ${id.slice(0, 16)} began at block ${block?.height}, so on ${branch}: ${height} % 7 + 1.`,
      'Its id follows from its key, the block and its place in the ledger. Nobody knew the block before it was mined, so the',
      "session can't be older.",
    ],
  ];
}

async function revoked({ foil, tell }: Scene): Promise<Told> {
  await foil('auth', 'revoke', 'laptop');
  const { decision, reason } = await tell('UserPromptSubmit', { prompt: 'And the password?' });
  return [
    {
      name: 'a revoked key',
      verdict: decision === 'block' ? 'refused' : 'let through',
      held: decision === 'block' && /revoked/.test(String(reason)),
    },
    [`The next prompt is refused: ${harmless(String(reason))}`],
  ];
}

async function audited({ foil }: Scene, session: string): Promise<Told> {
  const { stdout, exit } = await foil('audit', 'session', session.slice(0, 8));
  const [answer = 'nothing'] = stdout.match(/(?<=^All hashes verified: ).+$/m) ?? [];
  const held = exit === 0 && answer === 'YES' && stdout.includes(`\nInteractions: ${TURNS.length}\n`);
  return [{ name: 'every hash again', verdict: answer, held }, stdout.trimEnd().split('\n')];
}

/** Subject, author and the chain hash of each commit, against what the entries say. */
async function toldByGit(
  { foil }: Scene,
  git: NonNullable<Scene['git']>,
  entries: readonly Entry[],
): Promise<Told> {
  await foil('anchor', 'git');
  const branch = branchOf(HEIGHT);
  const log = await git('log', '--reverse', '--format=%s  %an', branch);
  const ids = (await git('rev-list', '--reverse', branch)).split('\n');
  const hashes = await Promise.all(ids.map((id) => git('show', `${id}:chain_entry`)));
  const told = entries.flatMap(({ kind, session_id, payload }) => {
    const author = String(session_id).slice(0, 16);
    if (kind === 'response') return [`interaction-${payload.sequence}  ${author}  ${payload.chain_hash}`];
    const final = String(payload.final_hash).slice(0, 16);
    return kind === 'session.end'
      ? [`session_end:${final}:btc-${HEIGHT}  ${author}  ${payload.chain_hash}`]
      : [];
  });
  const found = log.split('\n').map((line, i) => `${line}  ${hashes[i]}`);
  const same = JSON.stringify(found) === JSON.stringify(told);
  return [
    {
      name: 'git tells the same',
      verdict: `${found.length} commits`,
      held: same && found.length === TURNS.length + 1,
    },
    [
      ...log.split('\n'),
      'The author is the session. Each commit holds the hashes of one interaction, and they match the ledger.',
    ],
  ];
}

async function stamped({ foil, chain }: Scene, size: number, now: number): Promise<Told> {
  await foil('anchor', 'stamp');
  chain.mine(now);
  await foil('anchor', 'upgrade');
  const { stdout, exit } = await foil('verify', '-v', '--require', 'signed,anchored');
  const lines = stdout.split('\n').filter((line) => /^(INTACT|SIGNED|time) /.test(line.replace(':', ' ')));
  const anchored = stdout.includes(`ANCHORED 1–${size} (regtest block ${HEIGHT + 1}`);
  const interval =
    stdout.includes(`not before block ${HEIGHT} (`) && stdout.includes(`not after block ${HEIGHT + 1} (`);
  return [
    {
      name: 'both sides of time',
      verdict: anchored ? 'ANCHORED' : 'not anchored',
      held: exit === 0 && anchored && interval,
    },
    lines.map(harmless),
  ];
}

async function unseen(directory: string, key: VerifierKey): Promise<Told> {
  const options = { keys: [key], network: 'regtest', require: ['signed', 'anchored'] } as const;
  const { verdict, marks, required, facets } = await verifyDirectory(directory, options);
  const held = verdict === 'INTACT' && marks.signed !== null && facets.sessions.status === 'pass';
  return [
    { name: 'rewritten with the same keys', verdict, held: held && required.missing.join() === 'anchored' },
    [
      `${verdict}, signed by the key that you pinned, and NOT detected from inside: everything in it is consistent.`,
      "But it isn't anchored: `--require anchored` refuses it, and a stamp made now only proves that it existed now.",
    ],
  ];
}

async function caught(directory: string, key: VerifierKey, stamp: Uint8Array): Promise<Told> {
  const options = { keys: [key], network: 'regtest', keptStamps: [stamp] } as const;
  const { verdict, facets } = await verifyDirectory(directory, options);
  const found = facets.time.findings.find(({ code }) => code === 'STAMP_NOT_KEPT');
  return [
    { name: 'whoever holds the stamp', verdict, held: verdict === 'BROKEN' && found !== undefined },
    [`${verdict}: ${found?.message ?? 'nothing was found'}.`],
  ];
}

async function moved({ ledger }: Scene, git: NonNullable<Scene['git']>, key: VerifierKey): Promise<Told> {
  const branch = branchOf(HEIGHT);
  await git('update-ref', `refs/heads/${branch}`, `${branch}~2`);
  const { verdict, facets } = await verifyDirectory(ledger, { keys: [key], network: 'regtest' });
  const found = facets.sessions.findings.find(({ code }) => code === 'GIT_BRANCH_MOVED');
  return [
    {
      name: 'a branch moved by hand',
      verdict,
      held: verdict === 'BROKEN' && found?.message.startsWith(branch) === true,
    },
    [
      `${verdict}: ${harmless(found?.message ?? 'nothing was found')}`,
      'The ledger itself is intact: `foil anchor git --repair` restores the repository from it.',
    ],
  ];
}
