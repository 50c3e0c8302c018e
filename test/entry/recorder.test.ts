// The recorder for programs, as docs/library.md and spec/recording.md promise it: on real files, through the package's door.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '#platform';
import { contentCommitment, type JsonObject, parseHex } from '../../src/core/index.ts';
import { openRecorder } from '../../src/entry/index.ts';
import { parseSalt } from '../../src/format/index.ts';
import { RecordError } from '../../src/record/index.ts';
import { deferred, kinds, record } from './recording.ts';

const SECRET = `ghp_${'x7Kq'.repeat(9)}`;

describe('a session', () => {
  it('G3 has an id made of zeros, zeros and the hash before its start, as the lines tell', async () => {
    const { recorder, directory, done } = await record();
    const one = await recorder.session({ agent: 'reviewer', agentSession: 'run 7' });
    const other = await recorder.session({ resumes: one.id });
    await one.prompt('go');
    await done();
    const lines = readFileSync(join(directory, 'ledger/0000000000000001.jsonl'), 'utf8').trim().split('\n');
    const starts = lines.map((line) => JSON.parse(line)).filter(({ kind }) => kind === 'session.start');
    expect(starts.map(({ session_id }) => session_id)).toEqual([one.id, other.id]);
    expect(one.id).not.toBe(other.id);
    for (const { session_id, prev_hash } of starts) {
      const input = new Uint8Array(96);
      input.set(parseHex(prev_hash), 64);
      expect(session_id).toBe(sha256Hex(input));
    }
    expect(starts[0].payload).toMatchObject({
      agent: 'reviewer',
      agent_session: 'run 7',
      interaction: 'sdk',
      auth_key: '0'.repeat(64),
      block: null,
      branch: null,
      pack: null,
      capabilities: null,
      resumes: null,
      mode: 'observe',
    });
    expect(starts[1].payload).toMatchObject({ agent: 'program', resumes: one.id });
  });

  it('records prompts, responses, calls and results, each with what caused it', async () => {
    const { recorder, done, content } = await record({ role: 'planner' });
    const session = await recorder.session();
    await session.prompt('add two numbers');
    const sum = await session.tool('add', { a: 1, b: 2 }, async () => 3, { intent: 'to know' });
    await session.response(`it is ${sum}`, { model: 'a-model' });
    await session.end({ reason: 'finished', exitCode: 0 });
    const entries = await done();
    expect(kinds(entries)).toEqual([
      'session.start',
      'prompt',
      'tool.call',
      'tool.result',
      'response',
      'session.end',
    ]);
    const [start, prompt, call, result, response, end] = entries;
    expect([prompt?.cause, call?.cause, result?.cause, response?.cause, end?.cause]).toEqual([
      null,
      prompt?.seq,
      call?.seq,
      prompt?.seq,
      null,
    ]);
    expect(new Set(entries.map(({ session_id }) => session_id))).toEqual(new Set([session.id]));
    expect(new Set(entries.map(({ source }) => source))).toEqual(new Set(['sdk']));
    expect(await content(prompt, 'text')).toBe('add two numbers');
    expect(await content(call, 'args')).toEqual({ a: 1, b: 2 });
    expect(await content(result, 'output')).toBe(3);
    expect(await content(response, 'text')).toBe('it is 3');
    expect(response?.payload.model).toBe('a-model');
    expect(start?.payload.workspace_root).toBe(call?.payload.workspace_root);
    expect(end?.payload).toEqual({
      reason: 'finished',
      entries: 5,
      entries_root: expect.stringMatching(/^[0-9a-f]{64}$/),
      exit_code: 0,
      counts: { prompts: 1, responses: 1, calls: 1, results: 1, denied: 0, redacted: 0 },
      block: null,
      interactions: 1,
      chain_hash: response?.payload.chain_hash,
      final_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('K2 has every member on the entries of a tool, null where nothing was said', async () => {
    const { recorder, done, work } = await record({ role: 'executor' });
    const session = await recorder.session();
    await session.tool('bare', null, () => undefined);
    await session.tool('full', { path: 'src/a.ts' }, () => 'x', {
      role: 'planner',
      intent: 'i',
      planHash: 'ab'.repeat(32),
      phaseId: 'p1',
      invariantId: 'inv',
      notes: 'n',
      toolUseId: 'toolu_1',
    });
    const [, bareCall, bareResult, fullCall, fullResult] = await done();
    const shared = {
      tool: 'bare',
      tool_use_id: null,
      agent_id: null,
      workspace_root: work,
      role: 'executor',
      intent: null,
      plan_hash: null,
      phase_id: null,
      invariant_id: null,
      notes: null,
      args_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      paths: [],
    };
    expect(bareCall?.payload).toEqual({ ...shared, args: expect.anything(), args_bytes: 4 });
    expect(bareResult?.payload).toEqual({
      ...shared,
      args_hash: bareCall?.payload.args_hash,
      result: 'ok',
      error_code: null,
      output: expect.anything(),
      output_bytes: 4,
      result_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      exit_code: null,
      exit_origin: 'unknown',
      duration_ms: expect.any(Number),
      tests: null,
      files: [],
    });
    const full = {
      role: 'planner',
      intent: 'i',
      plan_hash: 'ab'.repeat(32),
      phase_id: 'p1',
      invariant_id: 'inv',
      notes: 'n',
      tool_use_id: 'toolu_1',
      paths: ['src/a.ts'],
    };
    expect(fullCall?.payload).toMatchObject(full);
    expect(fullResult?.payload).toMatchObject(full);
  });

  it('waits for its calls when it ends, also for those that are only beginning, and refuses new ones', async () => {
    const { recorder, done } = await record();
    const session = await recorder.session();
    const gate = deferred();
    const running = session.tool('slow', {}, async () => {
      await gate.promise;
      return session.tool('inner', {}, () => "own tool calls can't end the session");
    });
    const beginning = session.tool('just begun', {}, () => 'value');
    const ending = session.end();
    await expect(session.tool('late', {}, () => 1)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    await expect(session.prompt('late')).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    gate.resolve();
    expect(await Promise.all([running, beginning])).toEqual([
      "own tool calls can't end the session",
      'value',
    ]);
    await ending;
    await session.end();
    await expect(session.tool('later', {}, () => 1)).rejects.toBeInstanceOf(RecordError);
    const entries = await done();
    expect(kinds(entries).at(-1)).toBe('session.end');
    expect(kinds(entries).filter((kind) => kind === 'session.end')).toHaveLength(1);
    expect(entries.at(-1)?.payload.counts).toMatchObject({ calls: 3, results: 3 });
  });

  it('can not be ended, nor its recorder closed, from within one of its own calls', async () => {
    const { recorder, done } = await record();
    const session = await recorder.session();
    await expect(session.tool('suicidal', {}, () => session.end())).rejects.toThrow(TypeError);
    await expect(session.tool('worse', {}, () => recorder.close())).rejects.toThrow(TypeError);
    expect(await session.tool('fine', {}, () => 1)).toBe(1);
    expect(kinds(await done()).at(-1)).toBe('session.end');
  });

  it('is ended by closing the recorder, every one of them, and closing again is no harm', async () => {
    const { recorder, entries } = await record();
    await recorder.session();
    await recorder.session();
    await Promise.all([recorder.close(), recorder.close()]);
    await recorder.close();
    expect(kinds(await entries())).toEqual(['session.start', 'session.start', 'session.end', 'session.end']);
    await expect(recorder.session()).rejects.toMatchObject({ code: 'SESSION_ENDED' });
    await expect(recorder.prompt('x')).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  });

  it('joins the one that FOIL_SESSION names, tells of itself there, and does not end it', async () => {
    const outer = await record();
    const { id } = await outer.recorder.session();
    vi.stubEnv('FOIL_SESSION', id);
    vi.stubEnv('FOIL_LEDGER', `${outer.place.directory}-other`);
    try {
      // Of another ledger: it means nothing here.
      await (await openRecorder({ place: outer.place, cwd: outer.work })).close();
      vi.stubEnv('FOIL_LEDGER', outer.place.directory);
      const inner = await openRecorder({ place: outer.place, cwd: outer.work });
      const session = await inner.session({ agent: 'child' });
      expect(session.id).toBe(id);
      await session.prompt('hello');
      await inner.close();
      vi.stubEnv('FOIL_SESSION', 'not an id');
      await expect(openRecorder({ place: outer.place, cwd: outer.work })).rejects.toThrow(
        /FOIL_SESSION.*Unset it/,
      );
      vi.stubEnv('FOIL_SESSION', '');
      await (await openRecorder({ place: outer.place, cwd: outer.work })).close();
    } finally {
      vi.unstubAllEnvs();
    }
    const entries = await outer.done();
    expect(kinds(entries)).toEqual(['session.start', 'agent.start', 'prompt', 'agent.end', 'session.end']);
    expect(entries[1]?.payload).toMatchObject({ agent: 'child', trigger: 'program' });
    expect(entries[3]?.payload.counts).toMatchObject({ prompts: 1 });
  });

  it('seals by itself when many entries are unsealed', async () => {
    const { recorder, directory } = await record();
    const session = await recorder.session();
    await Promise.all(Array.from({ length: 150 }, (_, i) => session.tool('n', i, () => i)));
    // It happens beside the calls, in its own time.
    while (readdirSync(join(directory, 'checkpoints')).length < 2) await session.tool('n', 0, () => 0);
  });
});

describe('causes', () => {
  it('are the call that a call is made within, across awaits and Promise.all; sessions do not mix', async () => {
    const { recorder, done } = await record();
    const one = await recorder.session();
    const two = await recorder.session();
    await Promise.all([one.prompt('one'), two.prompt('two')]);
    const leaf = async (session: typeof one, name: string) => {
      await new Promise((resolve) => setImmediate(resolve));
      return session.tool(name, {}, async () => name);
    };
    await Promise.all([
      one.tool('outer', {}, async () => {
        await Promise.all([leaf(one, 'a'), leaf(one, 'b'), leaf(two, 'other')]);
        await one.tool('middle', {}, () => leaf(one, 'deep'));
        await leaf(two, 'through').then(() => undefined);
      }),
      leaf(one, 'beside'),
    ]);
    const entries = await done();
    const calls = new Map(
      entries.filter(({ kind }) => kind === 'tool.call').map((entry) => [String(entry.payload.tool), entry]),
    );
    const cause = (name: string) => calls.get(name)?.cause;
    const seq = (name: string) => calls.get(name)?.seq;
    const prompts = entries.filter(({ kind }) => kind === 'prompt');
    const promptOf = (id: string) => prompts.find(({ session_id }) => session_id === id)?.seq;
    expect(cause('outer')).toBe(promptOf(one.id));
    expect(cause('beside')).toBe(promptOf(one.id));
    expect([cause('a'), cause('b'), cause('middle')]).toEqual([seq('outer'), seq('outer'), seq('outer')]);
    expect(cause('deep')).toBe(seq('middle'));
    expect([cause('other'), cause('through')]).toEqual([promptOf(two.id), promptOf(two.id)]);
    for (const [name, call] of calls) {
      const results = entries.filter(({ kind, cause: by }) => kind === 'tool.result' && by === call.seq);
      expect(
        results.map(({ payload }) => payload.tool),
        name,
      ).toEqual([name]);
    }
  });

  it('K5b are right for hundreds of calls at once', async () => {
    const { recorder, done, content } = await record();
    const session = await recorder.session();
    const values = await Promise.all(
      Array.from({ length: 300 }, (_, i) => session.tool('square', { i }, async () => i * i)),
    );
    expect(values).toEqual(values.map((_, i) => i * i));
    const entries = await done();
    const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
    const results = entries.filter(({ kind }) => kind === 'tool.result');
    expect(results).toHaveLength(300);
    for (const result of results.slice(0, 40)) {
      const call = bySeq.get(result.cause ?? 0);
      const { i } = (await content(call, 'args')) as { i: number };
      expect(await content(result, 'output')).toBe(i * i);
    }
    expect(new Set(results.map(({ cause }) => cause)).size).toBe(300);
  });
});

describe('what a tool does', () => {
  const hostile: [string, unknown, string, unknown][] = [
    ['nothing', undefined, 'TOOL_ERROR', { error: null }],
    ['a string', 'boom', 'TOOL_ERROR', { error: 'boom' }],
    [
      'a frozen object',
      Object.freeze({ code: 'E_MINE', why: 1 }),
      'E_MINE',
      { error: { code: 'E_MINE', why: 1 } },
    ],
    [
      'an error with a code',
      Object.assign(new RangeError('no'), { code: 'E1', cause: new Error('deeper') }),
      'E1',
      {
        error: { name: 'RangeError', message: 'no', code: 'E1', cause: { name: 'Error', message: 'deeper' } },
      },
    ],
    [
      'an error of another realm',
      runInNewContext('new TypeError("elsewhere")'),
      'TOOL_ERROR',
      { error: { name: 'TypeError', message: 'elsewhere' } },
    ],
    [
      'an error that can not be looked at',
      new Proxy(new Error('x'), {
        get() {
          throw new Error('get');
        },
        getPrototypeOf() {
          throw new Error('prototype');
        },
      }),
      'TOOL_ERROR',
      { error: '[unreadable]' },
    ],
    [
      'an error whose members throw',
      Object.defineProperties(new Error(), {
        message: {
          get() {
            throw new Error('message');
          },
        },
        code: {
          get() {
            throw new Error('code');
          },
        },
      }),
      'TOOL_ERROR',
      { error: { name: 'Error', message: '[unreadable]', code: '[unreadable]' } },
    ],
  ];

  it.each(hostile)(
    'throwing %s is a result, and is thrown on as it is',
    async (_, thrown, code, expected) => {
      const { recorder, done, content } = await record();
      const session = await recorder.session();
      const asynchronous = await session
        .tool('bad', {}, async () => {
          throw thrown;
        })
        .then(
          () => 'it gave something',
          (error: unknown) => ({ error }),
        );
      const synchronous = await session
        .tool('bad', {}, () => {
          throw thrown;
        })
        .then(
          () => 'it gave something',
          (error: unknown) => ({ error }),
        );
      for (const caught of [asynchronous, synchronous])
        expect((caught as { error: unknown }).error === thrown).toBe(true);
      const results = (await done()).filter(({ kind }) => kind === 'tool.result');
      for (const result of results) {
        expect(result.payload).toMatchObject({ result: 'error', error_code: code, exit_code: null });
        expect(await content(result, 'output')).toEqual(expected);
      }
    },
  );

  it('ends as aborted or as a time-out whether or not it listens', async () => {
    const { recorder, done } = await record();
    const session = await recorder.session();
    const never = new Promise<never>(() => undefined);
    const controller = new AbortController();
    const why = new Error('the user left');
    let heard: unknown;
    const aborted = session.tool(
      'deaf',
      {},
      ({ signal }) => {
        signal.addEventListener('abort', () => {
          heard = signal.reason;
        });
        controller.abort(why);
        return never;
      },
      { signal: controller.signal },
    );
    await expect(aborted).rejects.toBe(why);
    expect(heard).toBe(why);
    let ran = false;
    const never1 = session.tool(
      'before',
      {},
      () => {
        ran = true;
      },
      { signal: AbortSignal.abort(why) },
    );
    await expect(never1).rejects.toBe(why);
    expect(ran).toBe(false);
    await expect(session.tool('slow', {}, () => never, { timeoutMs: 1 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    await expect(
      session.tool('slow', {}, () => never, { signal: AbortSignal.timeout(1) }),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await session.tool('quick', {}, () => 1, { timeoutMs: 2 ** 40 })).toBe(1);
    const results = (await done()).filter(({ kind }) => kind === 'tool.result');
    expect(results.map(({ payload }) => [payload.tool, payload.result, payload.error_code])).toEqual([
      ['deaf', 'aborted', 'ABORTED'],
      ['before', 'aborted', 'ABORTED'],
      ['slow', 'timeout', 'TIMEOUT'],
      ['slow', 'timeout', 'TIMEOUT'],
      ['quick', 'ok', null],
    ]);
  });

  it('to its arguments afterwards is not in the record; neither arguments nor result are touched', async () => {
    const { recorder, done, content } = await record();
    const session = await recorder.session();
    const args = { list: [1, 2], token: SECRET, inner: { n: 1 } };
    const before = structuredClone(args);
    const result = Object.freeze({ token: SECRET, deep: Object.freeze([Object.freeze({ a: 1 })]) });
    const given = await session.tool('mutate', args, () => {
      expect(args).toEqual(before);
      args.list.push(3);
      args.inner.n = 2;
      return result;
    });
    const changing = { n: 1 };
    const pending = session.tool('raced', changing, () => 1);
    changing.n = 2;
    await pending;
    expect(given).toBe(result);
    const [, call, answer, raced] = await done();
    expect(await content(call, 'args')).toMatchObject({ list: [1, 2], inner: { n: 1 } });
    expect(await content(raced, 'args')).toEqual({ n: 1 });
    expect(JSON.stringify(await content(answer, 'output'))).not.toContain(SECRET);
    expect(Object.values((call?.payload.redacted ?? {}) as JsonObject)).toEqual([1]);
  });

  it('may give what JSON has no word for: it is recorded as well as can be, and handed on as it is', async () => {
    const { recorder, done, content } = await record();
    const session = await recorder.session();
    const cyclic: Record<string, unknown> = { name: 'c' };
    cyclic.self = cyclic;
    class Account {
      readonly name = 'a';
      readonly #hidden = 1;
      get twice(): number {
        return this.#hidden * 2;
      }
    }
    const stream = Readable.from(['unread']);
    const web = new ReadableStream();
    const values: [unknown, unknown, boolean][] = [
      [cyclic, { name: 'c', self: '[circular]' }, true],
      [12345678901234567890n, '12345678901234567890', true],
      [new Account(), { name: 'a' }, false],
      [Buffer.from('text'), 'text', true],
      [stream, '[stream]', true],
      [web, '[stream]', true],
      [Number.NaN, 'NaN', true],
      [new Map([['k', 1]]), { k: 1 }, true],
      ['lone \ud800', 'lone \ufffd', true],
    ];
    for (const [value] of values) expect(await session.tool('odd', {}, () => value)).toBe(value);
    expect(stream.readableDidRead).toBe(false);
    stream.destroy();
    const results = (await done()).filter(({ kind }) => kind === 'tool.result');
    for (const [i, [, expected, lossy]] of values.entries()) {
      expect(await content(results[i], 'output')).toEqual(expected);
      expect(results[i]?.payload.lossy !== undefined, `${i}`).toBe(lossy);
    }
  });

  it('may be as large as it likes: 100 MB of text are kept in part, and come back whole', async () => {
    const { recorder, done } = await record();
    const session = await recorder.session();
    const large = 'lorem ipsum '.repeat(100_000_000 / 12);
    expect(await session.tool('large', { large }, () => large)).toBe(large);
    const [, call, result] = await done();
    for (const entry of [call, result]) expect(entry?.payload.lossy).toBe(1);
  }, 120_000);

  it('and what is said of it always fits into an entry', async () => {
    const { recorder, done } = await record();
    const session = await recorder.session();
    for (const text of ['\u0001'.repeat(100_000), '€'.repeat(100_000), '"\\'.repeat(50_000)]) {
      const options = { intent: text, role: text, planHash: text, phaseId: text, invariantId: text };
      const paths = Array.from({ length: 100 }, (_, i) => `/${i}/${'ü'.repeat(1000)}`);
      const error = Object.assign(new Error(text), { code: text });
      const call = session.tool(
        text,
        { paths, text },
        () => {
          throw error;
        },
        { ...options, notes: text, toolUseId: text, file: { path: text, members: ['text'] } },
      );
      await expect(call).rejects.toBe(error);
    }
    expect((await done()).filter(({ kind }) => kind === 'tool.result')).toHaveLength(3);
  });

  it('an exit code is what the program says, and unknown where it does not say it well', async () => {
    const { recorder, done } = await record();
    const session = await recorder.session();
    const exits: ((result: unknown) => number | null)[] = [
      () => 0,
      () => 3,
      () => null,
      () => Number.NaN,
      () => 'x' as unknown as number,
      () => {
        throw new Error('mine');
      },
    ];
    const output = { stdout: '\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n' };
    for (const exitCode of exits) await session.tool('sh', {}, () => output, { exitCode });
    const failing = session.tool('sh', {}, () => Promise.reject(new Error('x')), { exitCode: () => 0 });
    await expect(failing).rejects.toThrow('x');
    const results = (await done()).filter(({ kind }) => kind === 'tool.result');
    expect(results.map(({ payload }) => [payload.exit_code, payload.exit_origin])).toEqual([
      [0, 'host'],
      [3, 'host'],
      ...Array.from({ length: 5 }, () => [null, 'unknown']),
    ]);
    expect(results[0]?.payload.tests).toMatchObject({ runner: 'vitest', passed: 2 });
  });

  it('a mistake in the call shows before anything is recorded or run', async () => {
    const { recorder, done } = await record();
    const session = await recorder.session();
    const wrong = (options: unknown, name: unknown = 'x', args: unknown = {}, run: unknown = () => 1) =>
      expect(
        session.tool(name as string, args, run as () => number, options as { timeoutMs: number }),
      ).rejects.toThrow(/must be/);
    await wrong({ timeoutMs: Number.NaN });
    await wrong({ timeoutMs: -1 });
    await wrong({ signal: {} });
    await wrong({ intent: 5 });
    await wrong({ exitCode: 0 });
    await wrong({}, 5);
    await wrong({}, 'x', {}, 'not a function');
    await wrong({ file: { path: 'a', members: ['content'] } }, 'x', 'the content itself');
    await expect(recorder.session({ resumes: SECRET })).rejects.toThrow(RangeError);
    expect(kinds(await done())).toEqual(['session.start', 'session.end']);
  });
});

describe('K4 content of files', () => {
  it('is never kept: path, hash and length in bytes are', async () => {
    const { recorder, directory, done, content } = await record();
    const session = await recorder.session();
    const text = `käse ${'p'.repeat(40)}\n`;
    const binary = Uint8Array.from([0xff, 0xfe, 0, 1]);
    const write = (member: unknown, more: { resultMembers?: string[] } = {}) =>
      session.tool('write', { path: 'src/a.txt', content: member }, () => ({ old: text, ok: true }), {
        file: { path: 'src/a.txt', members: ['content'], ...more },
      });
    await write(text, { resultMembers: ['old'] });
    await write(Buffer.from(text), { resultMembers: ['old'] });
    await write(binary, { resultMembers: ['old'] });
    await session.tool('edit', { before: 'p'.repeat(40), after: 'q', path: 'src/a.txt' }, () => null, {
      file: { path: 'src/a.txt', members: ['before', 'after'] },
    });
    const salt = parseSalt(readFileSync(join(directory, 'salts', session.id)));
    const entries = await done();
    const results = entries.filter(({ kind }) => kind === 'tool.result');
    const bytes = new TextEncoder().encode(text);
    const whole = { path: 'src/a.txt', op: 'write' };
    expect(results.map(({ payload }) => payload.files)).toEqual([
      [{ ...whole, hash: contentCommitment('keyed-sha256', salt, bytes), bytes: bytes.length }],
      [{ ...whole, hash: contentCommitment('keyed-sha256', salt, bytes), bytes: bytes.length }],
      [{ ...whole, hash: contentCommitment('keyed-sha256', salt, binary), bytes: 4 }],
      [{ ...whole, op: 'edit', hash: null, bytes: null }],
    ]);
    const calls = entries.filter(({ kind }) => kind === 'tool.call');
    expect(await content(calls[0], 'args')).toEqual({
      path: 'src/a.txt',
      content: { content_hash: contentCommitment('keyed-sha256', salt, bytes), content_bytes: bytes.length },
    });
    expect(await content(results[0], 'output')).toEqual({
      old: { content_hash: contentCommitment('keyed-sha256', salt, bytes), content_bytes: bytes.length },
      ok: true,
    });
    const pack = readFileSync(join(directory, 'blobs', session.id, 'pack'), 'utf8');
    expect(pack).not.toContain('p'.repeat(40));
  });
});
