// What a project decides about its recording, what is kept under each choice, and several programs on one ledger.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { DEFAULT_CONFIG } from '../../src/config/index.ts';
import { contentCommitment, type JsonObject, ParseError } from '../../src/core/index.ts';
import { openRecorder } from '../../src/entry/index.ts';
import { parseSalt } from '../../src/format/index.ts';
import { decryptContent, Intake, RecordError, Recorder } from '../../src/record/index.ts';
import { makeRedactor } from '../../src/redact/index.ts';
import { openFileStore, openKeyring } from '../../src/store/files/index.ts';
import { MemoryStore } from '../../src/store/memory/index.ts';
import { expectIntact } from '../file-ledger.ts';
import { notes, readEntries } from '../read-log.ts';
import { seededRandom, temporary } from '../temporary.ts';
import { kinds, record } from './recording.ts';

const PASSED = '\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n';

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));
}

async function twoTurns(yaml: string | undefined, config?: unknown) {
  const recording = await record({
    ...(yaml === undefined ? {} : { yaml }),
    ...(config === undefined ? {} : { config }),
  });
  const session = await recording.recorder.session();
  await session.prompt('attack at dawn');
  await session.tool('sh', { command: 'npm test', path: 'src' }, () => ({ stdout: PASSED }), {
    exitCode: () => 0,
  });
  const salt = parseSalt(readFileSync(join(recording.directory, 'salts', session.id)));
  return { ...recording, session, salt, all: await recording.done() };
}

describe('G13 content', () => {
  const prompt = new TextEncoder().encode('attack at dawn');

  it('keep: beside the chain, under a hash with the salt of the session', async () => {
    const { all, salt, content, directory } = await twoTurns(undefined);
    expect(all[0]?.payload).toMatchObject({ content: 'keep', hashes: 'salted', config_hash: null });
    const { prompt_hash, text } = (all[1]?.payload ?? {}) as { prompt_hash: string; text: JsonObject };
    expect(prompt_hash).toBe(contentCommitment('keyed-sha256', salt, prompt));
    expect(text.$content).toBe(`keyed-sha256:${prompt_hash}`);
    expect(await content(all[1], 'text')).toBe('attack at dawn');
    const log = readFileSync(join(directory, 'ledger/0000000000000001.jsonl'), 'utf8');
    expect(log).not.toContain('attack');
  });

  it('none: nothing of it anywhere, and the facts that are needed later are in the entries', async () => {
    const { all, salt, directory } = await twoTurns('content: none\n');
    expect(all[1]?.payload).toMatchObject({
      text: null,
      prompt_hash: contentCommitment('keyed-sha256', salt, prompt),
      text_bytes: 14,
    });
    expect(all[2]?.payload).toMatchObject({ args: null, paths: ['src'] });
    expect(all[3]?.payload).toMatchObject({
      output: null,
      exit_code: 0,
      exit_origin: 'host',
      tests: { runner: 'vitest', passed: 2, failed: 0 },
      output_bytes: expect.any(Number),
    });
    for (const file of filesUnder(directory)) {
      const bytes = readFileSync(file, 'latin1');
      expect(bytes.includes('attack') || bytes.includes('npm test'), file).toBe(false);
    }
  });

  it('encrypt: ciphertext, whose hash is another than that of what it holds', async () => {
    const { all, salt, directory, place } = await twoTurns('content: encrypt\n');
    const { prompt_hash, text } = (all[1]?.payload ?? {}) as { prompt_hash: string; text: JsonObject };
    expect(prompt_hash).toBe(contentCommitment('keyed-sha256', salt, prompt));
    expect(text.$content).not.toContain(prompt_hash);
    expect(text.type).toContain('encrypted');
    const pack = readFileSync(join(directory, 'blobs', String(all[1]?.session_id), 'pack'));
    expect(pack.includes('attack')).toBe(false);
    const opening =
      readFileSync(join(directory, 'ledger/0000000000000001.jsonl'), 'utf8').split('\n')[0] ?? '';
    const origin = `counterfoil/${(JSON.parse(opening) as { entry_hash: string }).entry_hash.slice(0, 16)}`;
    const key = await openKeyring(place.keyDirectory).contentKey(origin);
    const store = openFileStore(directory);
    const stored = await store.getContent(String(all[1]?.session_id), {
      algorithm: 'keyed-sha256',
      hash: String(text.$content).slice('keyed-sha256:'.length),
      bytes: Number(text.bytes),
    });
    await store.close();
    const opened = decryptContent(key as Uint8Array, String(all[1]?.session_id), stored as Uint8Array);
    expect(new TextDecoder().decode(opened)).toBe('attack at dawn');
  });

  it('hashes: plain gives SHA-256 of what may be written', async () => {
    const { all, content } = await twoTurns('hashes: plain\n');
    expect(all[1]?.payload.prompt_hash).toBe(sha256Hex(prompt));
    expect(await content(all[1], 'text')).toBe('attack at dawn');
  });
});

describe('the configuration', () => {
  it('is that of the project, by the hash of the file; or what the program hands over', async () => {
    const yaml = 'content: keep\nredact:\n  add:\n    - {id: badge, pattern: "BADGE-[0-9]{6}"}\n';
    const { recorder, done, content } = await record({ yaml });
    const session = await recorder.session();
    await session.prompt('mine is BADGE-123456');
    const [start, prompt] = await done();
    expect(start?.payload.config_hash).toBe(sha256Hex(yaml));
    expect(await content(prompt, 'text')).not.toContain('123456');
    expect(prompt?.payload.redacted).toEqual({ badge: 1 });
    const given = await twoTurns('content: none\n', { hashes: 'plain', content: 'keep' });
    expect(given.all[0]?.payload).toMatchObject({
      content: 'keep',
      hashes: 'plain',
      config_hash: sha256Hex('{"content":"keep","hashes":"plain"}'),
    });
  });

  it.each([
    ['content: [', /not YAML: .* at line 1/s],
    ['content: sometimes', /counterfoil\.yaml, line 1: content: must be one of keep, encrypt, none/],
    ['contents: keep', /counterfoil\.yaml, line 1: contents: unknown; remove it, or write one of/],
    ['- content', /must be a mapping of content, hashes, redact/],
    ['redact: {add: [{id: x1, pattern: "("}]}', /counterfoil\.yaml, line 1: redact\.add\[0\]\.pattern/],
    ['redact: {remove: [no-such-rule]}', /no rule is called `no-such-rule`/],
    ['a: &a [x]\nb: *a', /not YAML|unknown/],
  ])('that is malformed is refused, and the message says what to do: %s', async (yaml, message) => {
    const opening = record({ yaml });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.toBeInstanceOf(ParseError);
  });

  it('that can not be read is refused, and nothing is made', async () => {
    const root = temporary();
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, 'counterfoil.yaml'));
    const place = { directory: join(root, 'ledger'), keyDirectory: join(root, 'keys') };
    await expect(openRecorder({ cwd: root, place })).rejects.toThrow(
      /not a plain file. Ask the user to remove it/,
    );
    expect(readdirSync(root).sort()).toEqual(['.git', 'counterfoil.yaml']);
    writeFileSync(join(root, 'x'), '');
    await expect(openRecorder({ cwd: root, place, config: { content: 'no' } })).rejects.toThrow(ParseError);
  });
});

describe('secrets', () => {
  it('K3 are in no file of the ledger, wherever the program put them, and are counted', async () => {
    const secret = `ghp_${'x7Kq'.repeat(9)}`;
    const { recorder, directory, done } = await record();
    await recorder.prompt(`early ${secret}`);
    const session = await recorder.session({ agent: secret, agentSession: secret, trigger: secret });
    await session.prompt(`use ${secret}`);
    await session.response(secret, { model: secret });
    await session.tool(secret, { deep: [{ x: secret }], [secret]: 1 }, () => ({ out: secret }), {
      intent: secret,
      role: secret,
      notes: secret,
      planHash: secret,
      phaseId: secret,
      invariantId: secret,
      toolUseId: secret,
      file: { path: `/tmp/${secret}`, members: ['content'] },
    });
    const failing = session.tool('x', {}, () => {
      throw Object.assign(new Error(secret), { code: secret, stderr: Buffer.from(secret) });
    });
    await expect(failing).rejects.toThrow(secret);
    await session.end({ reason: secret });
    const entries = await done();
    for (const file of filesUnder(directory))
      expect(readFileSync(file, 'latin1').includes(secret), file).toBe(false);
    const counted = entries.filter(({ payload }) => payload.redacted !== undefined).map(({ kind }) => kind);
    expect(new Set(counted)).toEqual(
      new Set(['session.start', 'prompt', 'response', 'tool.call', 'tool.result', 'session.end']),
    );
  });
});

/** A recorder on a store that fails as it is told to. */
async function failing(fails: () => boolean) {
  const store = new MemoryStore(seededRandom());
  await store.append((head) => notes(head, 'the first entry'));
  const redactor = makeRedactor({});
  const recorder = new Recorder({
    store: {
      head: () => store.head(),
      read: (from, to) => store.read(from, to),
      append: (build, options) => (fails() ? Promise.reject(new Error('no')) : store.append(build, options)),
    },
    intake: new Intake({ store, redactor, policy: DEFAULT_CONFIG }),
    config: DEFAULT_CONFIG,
    redaction: redactor.id,
    agent: 'test',
    source: 'sdk',
    workspaceRoot: '/work',
    seal: async () => undefined,
    close: () => store.close(),
  });
  return { recorder, entries: async () => (await readEntries(store)).slice(1) };
}

describe('K8', () => {
  it('K8c when tool and audit both fail the audit error wins, and keeps the reason', async () => {
    let down = false;
    const { recorder } = await failing(() => down);
    const session = await recorder.session();
    const both = session.tool('x', {}, () => {
      down = true;
      throw new Error('the tool itself');
    });
    const error = await both.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RecordError);
    expect(error).toMatchObject({ code: 'AUDIT_APPEND_FAILED', cause: { message: 'no' } });
    expect(String(error)).not.toContain('the tool itself');
    down = false;
    expect(await session.tool('again', {}, () => 1)).toBe(1);
  });

  it('an end that could not be recorded can be tried again, and until then the session is open', async () => {
    let down = false;
    const { recorder, entries } = await failing(() => down);
    const session = await recorder.session();
    down = true;
    await expect(session.end()).rejects.toMatchObject({ code: 'AUDIT_APPEND_FAILED' });
    down = false;
    expect(await session.tool('x', {}, () => 1)).toBe(1);
    await session.end();
    expect(kinds(await entries())).toEqual(['session.start', 'tool.call', 'tool.result', 'session.end']);
  });
});

describe('several programs', () => {
  it('K5a, G3 begin at one time where there is no ledger yet: one makes it, none is lost, no two sessions are one', async () => {
    const root = temporary();
    mkdirSync(join(root, '.git'));
    const child = join(import.meta.dirname, 'recorder-child.mjs');
    const outputs = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) =>
        promisify(execFile)(process.execPath, [child, root, name, '20']),
      ),
    );
    const ids = outputs.map(({ stdout }) => stdout);
    expect(new Set(ids).size).toBe(5);
    const directory = join(root, 'ledger');
    await expectIntact(directory);
    const store = openFileStore(directory);
    const entries = await readEntries(store);
    await store.close();
    expect(entries.filter(({ kind }) => kind === 'ledger.open')).toHaveLength(1);
    expect(entries[0]?.kind).toBe('ledger.open');
    for (const id of ids) {
      const own = entries.filter(({ session_id }) => session_id === id);
      expect(own.filter(({ kind }) => kind === 'tool.result')).toHaveLength(20);
      expect(own.at(0)?.kind).toBe('session.start');
      expect(own.at(-1)?.payload.counts).toMatchObject({ prompts: 1, calls: 20, results: 20 });
      const calls = new Map(
        own.filter(({ kind }) => kind === 'tool.call').map((entry) => [entry.seq, entry]),
      );
      for (const result of own.filter(({ kind }) => kind === 'tool.result'))
        expect(calls.get(result.cause ?? 0)?.payload.args_hash).toBe(result.payload.args_hash);
    }
  });
});
