// Hooks whose ledger can't be written: observe lets the agent work and tells of the gap once it can, guard refuses in
// the form that each host obeys: what a host is told there comes from a process. The tests run as root too, so
// permissions alone prove nothing.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { ClaudeSession } from './claude-host.ts';
import { forModel, HOSTS } from './hosts.ts';
import { makeProject, newProject, type Project, post } from './recorded-project.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const canLimit = spawnSync('prlimit', ['--version']).status === 0;

/** A file where the entries' directory should be. Nobody can write there, root neither. */
function breakLedger({ directory }: Project): void {
  renameSync(join(directory, 'ledger'), join(directory, 'ledger.away'));
  writeFileSync(join(directory, 'ledger'), '');
}

function mendLedger({ directory }: Project): void {
  rmSync(join(directory, 'ledger'));
  renameSync(join(directory, 'ledger.away'), join(directory, 'ledger'));
}

const REFUSAL =
  /^Counterfoil could not record this: \S.+ In guard mode nothing runs unrecorded\. A person has to put this right\.$/s;

describe.each(HOSTS)('$agent, and a ledger that can not be written', (host) => {
  const { agent } = host;

  it('K8, X7, B9a: guard refuses the call in the form the host obeys, and says why and how to go on', async () => {
    const project = await newProject();
    await project.tell(agent, host.prompt('s', 'go'), { mode: 'guard' });
    breakLedger(project);
    const { code, stdout, stderr } = await project.hook(agent, host.call('s', 'c1'), { mode: 'guard' });
    const answer = forModel(JSON.parse(stdout) as JsonObject);
    const reason = host.reason(answer);
    expect(reason).toMatch(REFUSAL);
    expect(answer).toEqual(host.deny(String(reason)));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    // What was refused was not recorded either; the next that can be says so.
    mendLedger(project);
    const before = project.entries().length;
    await project.tell(agent, host.call('s', 'c2'), { mode: 'guard' });
    const [gap, crash, ...rest] = project.entries().slice(before);
    expect(gap).toMatchObject({ kind: 'gap', payload: { reason: 'unrecorded', events: 1 } });
    expect(gap?.payload.calls).toEqual(host.ids ? ['c1'] : []);
    expect(crash).toMatchObject({ kind: 'crash', payload: { hook: `hook ${agent}`, from: 'fallback' } });
    expect(rest.map(({ kind }) => kind)).toContain('tool.call');
  });

  it('K8 guard refuses the prompt too, where the host lets it be refused', async () => {
    const project = await newProject();
    breakLedger(project);
    const { code, stdout } = await project.hook(agent, host.prompt('s', 'go'), { mode: 'guard' });
    const answer = forModel(JSON.parse(stdout) as JsonObject);
    expect(code).toBe(0);
    if (host.denyPrompt === null) expect(answer).toEqual(host.tell?.(String(answer.message)));
    else expect(answer).toEqual(host.denyPrompt(String(host.reason(answer))));
    expect(stdout).toMatch(/Counterfoil could not record this/);
  });

  it('observe lets it run, and the first event that can be recorded tells of the gap', async () => {
    const project = await newProject();
    const mode = 'observe';
    await project.tell(agent, host.prompt('s', 'go'), { mode });
    breakLedger(project);
    const since = Date.now();
    for (const event of [host.call('s', 'c1'), host.result('s', 'c1'), host.call('s', 'c2')]) {
      const { code, stdout } = await project.tell(agent, event, { mode });
      expect({ code, stdout }).toEqual({ code: 0, stdout: host.pass });
    }
    const { stdout, stderr } = await project.hook(agent, host.prompt('s', 'hm'), { mode });
    const told = host.tell === null ? stderr : stdout;
    expect(told).toMatch(/Counterfoil could not record this/);
    if (host.tell !== null) {
      const answer = JSON.parse(stdout) as JsonObject;
      expect(answer).toEqual(host.tell(String(answer.systemMessage ?? answer.message)));
    }
    const until = Date.now();
    mendLedger(project);
    const before = project.entries().length;
    await project.tell(agent, host.call('s', 'c3'), { mode });
    await project.tell(agent, host.result('s', 'c3'), { mode });
    const left = project.entries().slice(before);
    // Four failures of one hook: that is told, too.
    expect(left.map(({ kind }) => kind).filter((kind) => kind !== 'policy')).toEqual([
      'gap',
      ...Array.from({ length: 4 }, () => 'crash'),
      'tool.call',
      'notice',
      'tool.result',
    ]);
    expect(left[0]?.payload).toEqual({
      reason: 'unrecorded',
      since: expect.any(String),
      until: expect.any(String),
      events: 4,
      why: expect.stringMatching(/\S/),
      calls: host.ids ? ['c1', 'c1', 'c2'] : [],
    });
    const [from, to] = [left[0]?.payload.since, left[0]?.payload.until].map((at) => Date.parse(String(at)));
    expect(from).toBeGreaterThanOrEqual(since);
    expect(to).toBeLessThanOrEqual(until);
    expect(from).toBeLessThanOrEqual(to ?? 0);
    await project.expectIntact();
  });
});

describe('the other ways in which a ledger fails', () => {
  const host = new ClaudeSession('s');
  const denied = (stdout: string): unknown =>
    (JSON.parse(stdout) as { hookSpecificOutput: { permissionDecision: string } }).hookSpecificOutput
      .permissionDecision;

  it('K8 a limit on the size of files', async () => {
    const project = await newProject();
    const before = ['/bin/sh', '-c', 'ulimit -f 0 && exec "$@"', 'sh'];
    const guard = await project.hook('claude-code', host.call('c1'), { mode: 'guard', before });
    expect(guard.code).toBe(0);
    expect(denied(guard.stdout)).toBe('deny');
    expect(guard.stdout).toContain('ulimit -f');
    const observe = await project.hook('claude-code', host.call('c2'), { before });
    expect(observe).toMatchObject({ code: 0, stdout: '' });
    // Not even a note could be left: nothing is claimed about what nobody could write down.
    await project.tell('claude-code', host.call('c3'));
    expect(project.recorded().map(({ kind }) => kind)).toContain('tool.call');
    await project.expectIntact();
  });

  it.skipIf(!isRoot)('K8 a ledger of another user', async () => {
    const project = await newProject();
    rmSync(join(project.directory, 'settings')); // it names a place for notes that is not theirs
    chmodSync(project.root, 0o755);
    chmodSync(project.directory, 0o700);
    const own = join(project.root, 'nobody');
    mkdirSync(own);
    chownSync(own, NOBODY, NOBODY);
    const as = { uid: NOBODY, cwd: '/', env: { XDG_RUNTIME_DIR: own } };
    const guard = await project.hook('claude-code', host.call('c1'), { mode: 'guard', ...as });
    expect(guard.code).toBe(0);
    expect(denied(guard.stdout)).toBe('deny');
    const observe = await project.hook('claude-code', host.call('c2'), { mode: 'observe', ...as });
    expect(observe).toMatchObject({ code: 0, stdout: '' });
    expect(project.recorded()).toEqual([]);
    // Once the ledger is theirs, the notes they left are told.
    for (const path of [project.directory, project.located.keyDirectory])
      expect(spawnSync('chown', ['-R', `${NOBODY}`, path]).status).toBe(0);
    chmodSync(join(project.root, 'state'), 0o755);
    chmodSync(join(project.root, 'config'), 0o755);
    await project.hook('claude-code', host.call('c3'), as);
    const gap = project.recorded().find(({ kind }) => kind === 'gap');
    expect(gap?.payload).toMatchObject({ events: 2, calls: ['c1', 'c2'] });
  });

  it.skipIf(!isRoot)('K8 a full disk', async () => {
    const project = await makeProject();
    const disk = join(project.root, 'disk');
    mkdirSync(disk);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', disk]).status === 0;
    onTestFinished(async () => {
      if (mounted) spawnSync('umount', [disk]);
      await project.remove();
    });
    if (!mounted) return; // a container without the right to
    const ledger = join(disk, 'ledger');
    cpSync(project.directory, ledger, { recursive: true });
    const words = ['hook', 'claude-code', '--ledger', ledger];
    const foil = (event: JsonObject, mode: string) =>
      project.spawn([...words, '--mode', mode], { input: event });
    await foil(host.start(), 'guard');
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=1k']);
    const guard = await foil(host.call('c1'), 'guard');
    expect(denied(guard.stdout)).toBe('deny');
    expect(guard.stdout).toMatch(/space/i);
    expect((await foil(host.call('c2'), 'observe')).stdout).toBe('');
    rmSync(join(disk, 'filler'));
    expect((await foil(host.call('c3'), 'guard')).stdout).toBe('');
    const log = await project.foil(['log', '--json', '--ledger', ledger, '--kind', 'gap']);
    expect(log.stdout).toContain('"calls":["c1","c2"]');
    expect((await project.foil(['verify', ledger])).stdout).toContain('INTACT');
  });

  it('K8 a ledger that was named and is gone', async () => {
    const project = await newProject();
    rmSync(project.directory, { recursive: true });
    const guard = await project.tell('claude-code', host.call('c1'), { mode: 'guard' });
    expect(denied(guard.stdout)).toBe('deny');
    expect(guard.stdout).toMatch(/no ledger/);
    const observe = await project.tell('claude-code', host.prompt('hello'));
    expect(observe.code).toBe(0);
    expect((JSON.parse(observe.stdout) as JsonObject).systemMessage).toMatch(/no ledger/);
    // Nothing was made in its place: somebody who is looked for must not be replaced by an empty one.
    await expect(project.foil(['status', '--ledger', project.directory])).resolves.toMatchObject({ code: 3 });
  });

  it.skipIf(!canLimit)(
    'K8 over HTTP as well: guard refuses, observe lets it run, and the gap is told',
    async () => {
      const project = await newProject();
      const serving = await project.serve();
      for (let i = 0; i < 10; i++)
        await post(serving, 'claude-code', host.prompt('make the log longer than a note'));
      for (const mode of ['guard', 'observe']) {
        project.settings(mode);
        // Files may not grow beyond this: there is room for a note, but not for an entry.
        expect(spawnSync('prlimit', [`--pid=${serving.pid}`, '--fsize=4096:']).status).toBe(0);
        const { status, body } = await post(serving, 'claude-code', host.call(`c-${mode}`));
        expect(status).toBe(200);
        if (mode === 'guard') expect(denied(body)).toBe('deny');
        else expect(body).toBe('');
        expect(spawnSync('prlimit', [`--pid=${serving.pid}`, '--fsize=unlimited:']).status).toBe(0);
        const before = project.entries().length;
        expect(await post(serving, 'claude-code', host.result(`c-${mode}`))).toMatchObject({
          status: 200,
          body: '',
        });
        const gap = project
          .entries()
          .slice(before)
          .find(({ payload }) => payload.reason === 'unrecorded');
        expect(gap).toMatchObject({ kind: 'gap', payload: { events: 1, calls: [`c-${mode}`] } });
      }
      await project.expectIntact();
    },
  );

  it.each(['ledger', '.'])(
    'K8 a service whose files were deleted (%s) acknowledges nothing',
    async (name) => {
      const project = await newProject();
      project.settings('guard');
      const serving = await project.serve();
      expect(await post(serving, 'claude-code', host.prompt('go'))).toMatchObject({ status: 200, body: '' });
      // Moved first: the service may be writing a file there just now.
      const away = join(project.root, 'away');
      renameSync(join(project.directory, name), away);
      rmSync(away, { recursive: true, force: true, maxRetries: 5 });
      const { body } = await post(serving, 'claude-code', host.call('c1'));
      expect(denied(body)).toBe('deny');
    },
  );

  it('settings that are damaged do not loosen guard, and what happens is still recorded', async () => {
    const project = await newProject();
    const serving = await project.serve();
    writeFileSync(join(project.directory, 'settings'), '{"v":1,"mode":"gua');
    const fine = await post(serving, 'claude-code', host.call('c1'));
    expect(fine).toMatchObject({ status: 200, body: '' });
    expect(project.recorded().map(({ kind }) => kind)).toEqual(['session.start', 'tool.call']);
    const told = await project.tell('claude-code', host.prompt('hello'));
    expect((JSON.parse(told.stdout) as JsonObject).systemMessage).toMatch(/settings.*foil mode/s);
    breakLedger(project);
    expect(denied((await project.tell('claude-code', host.call('c2'))).stdout)).toBe('deny');
    expect(denied((await project.tell('claude-code', host.call('c3'))).stdout)).toBe('deny');
    mendLedger(project);
    await post(serving, 'claude-code', host.call('c4'));
    const gap = project.recorded().find(({ kind }) => kind === 'gap');
    expect(gap?.payload).toMatchObject({ events: 2, calls: ['c2', 'c3'] });
  });
});

describe('what was missed', () => {
  const host = new ClaudeSession('s');

  it('is told once, by many processes and requests at once', async () => {
    const project = await newProject();
    const serving = await project.serve();
    breakLedger(project);
    await Promise.all(['m1', 'm2', 'm3'].map((id) => project.hook('claude-code', host.call(id))));
    await post(serving, 'claude-code', host.call('m4'));
    mendLedger(project);
    await Promise.all([
      ...Array.from({ length: 10 }, (_, i) => project.hook('claude-code', host.call(`p${i}`))),
      ...Array.from({ length: 10 }, (_, i) => post(serving, 'claude-code', host.call(`h${i}`))),
    ]);
    const gaps = project.recorded().filter(({ kind }) => kind === 'gap');
    expect(gaps).toHaveLength(1);
    expect(gaps[0]?.payload.events).toBe(4);
    const calls = gaps.flatMap(({ payload }) => payload.calls as string[]);
    expect(calls.sort()).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(project.recorded().filter(({ kind }) => kind === 'tool.call')).toHaveLength(20);
  });

  it('is told though its ids are long, strange or many', async () => {
    const project = await newProject();
    breakLedger(project);
    const odd = [
      `${'x'.repeat(199)}😀`,
      '\u0001'.repeat(3000),
      '語'.repeat(3000),
      'a\ud800b',
      '__proto__',
      '',
      '../../etc/passwd\u0000',
    ];
    await Promise.all(odd.map((id) => project.tell('claude-code', host.call(id))));
    for (let i = 0; i < 150; i++) {
      const line = {
        at: Date.now(),
        agent: 'claude-code',
        event: 'PreToolUse',
        call: '\u0001'.repeat(500),
        why: 'x',
      };
      writeFileSync(join(project.runtime, 'failed'), `${JSON.stringify(line)}\n`, { flag: 'a' });
    }
    mendLedger(project);
    expect(await project.tell('claude-code', host.call('next'), { mode: 'guard' })).toMatchObject({
      code: 0,
      stdout: '',
    });
    const entries = project.recorded().filter(({ kind }) => kind !== 'crash' && kind !== 'notice');
    expect(entries.map(({ kind }) => kind)).toEqual(['session.start', 'gap', 'tool.call']);
    expect(entries[1]?.payload.events).toBe(157);
    await project.expectIntact();
  });

  it('is not told twice where the second event of one call fails', async () => {
    const project = await newProject();
    breakLedger(project);
    await project.tell('claude-code', host.call('m1'));
    mendLedger(project);
    // A call with a large member is two entries; the second one's content finds no place.
    const large = host.call('two', { command: 'ls' }, 'Bash', { reasoning: 'x'.repeat(200_000) });
    const before = ['/bin/sh', '-c', 'ulimit -f 100 && exec "$@"', 'sh'];
    await project.hook('claude-code', large, { before });
    await project.tell('claude-code', host.call('next'));
    const gaps = project.recorded().filter(({ kind }) => kind === 'gap');
    const told = gaps.flatMap(({ payload }) => payload.calls as string[]);
    expect(told.filter((id) => id === 'm1')).toEqual(['m1']);
  });

  it('of a recorder that was killed with the notes in hand is told by the next', async () => {
    const project = await newProject();
    breakLedger(project);
    await project.tell('claude-code', host.call('m1'));
    mendLedger(project);
    const gone = spawnSync(process.execPath, ['-e', '']);
    renameSync(join(project.runtime, 'failed'), join(project.runtime, `failed.taken-${gone.pid}`));
    await project.tell('claude-code', host.call('next'));
    expect(project.recorded().find(({ kind }) => kind === 'gap')?.payload.calls).toEqual(['m1']);
  });
});
