// The attester's server, in this process, with a stand-in for its work.
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex, utf8Encode } from '#platform';
import { isDsseSignedBy, type Json, parseDidDocument, parseDsse } from '../../src/core/index.ts';
import { encodeTar } from '../../src/format/index.ts';
import { JobQueue, QUEUE_LIMITS } from '../../src/service/attester/job-queue.ts';
import { JobStore } from '../../src/service/attester/job-store.ts';
import { MOST_WRONG, WrongTokens } from '../../src/service/attester/wrong-tokens.ts';
import { attesterFiles, makeAttesterDirectory, startAttester } from '../../src/service/index.ts';
import { temporary } from '../temporary.ts';
import { attesting, get, post, refusal, result, view } from './attesting.ts';
import { standIn, submission } from './stand-in.ts';

const files = (state: string): string[] => [
  ...readdirSync(join(state, 'jobs')),
  ...readdirSync(join(state, 'results')),
];

describe('a submission', () => {
  it('C11 is accepted, queued, run and answered with an attestation that the attester signed', async () => {
    const server = await attesting();
    const body = submission('good');
    const accepted = await post(server, body);
    const id = sha256Hex(body);
    expect(accepted.status).toBe(202);
    expect(view(accepted)).toMatchObject({ id });
    expect(accepted.headers.location).toBe(`/v1/attestations/${id}`);
    const done = await result(server, id);
    expect(done).toMatchObject({ id, status: 'done', attempt: 1 });
    const envelope = parseDsse(done.attestation as Json);
    expect(isDsseSignedBy(envelope, server.running.identity.signer.publicKey)).toBe(true);
    expect(files(server.state)).toEqual([`${id}.json`]);
  });

  it('is one job for two clients at once, and for a third one after a restart', async () => {
    const server = await attesting();
    const body = submission('same');
    const replies = await Promise.all([post(server, body), post(server, body)]);
    expect(new Set(replies.map((reply) => view(reply).id))).toEqual(new Set([sha256Hex(body)]));
    const done = await result(server, sha256Hex(body));
    server.running.stop();
    await server.running.ended;
    const next = await attesting({ state: server.state });
    const again = await post(next, body);
    expect(again.status).toBe(200);
    expect(view(again)).toEqual(done);
    expect([server.begun(), next.begun()]).toEqual([1, 0]);
  });

  it('is answered with a refusal in words, which stays', async () => {
    const server = await attesting();
    const body = submission('refuse this');
    await post(server, body);
    const refused = await result(server, sha256Hex(body));
    expect(refused).toMatchObject({
      status: 'refused',
      error: { code: 'OTHER_ARTIFACTS', message: 'These are other artifacts.' },
    });
    expect(view(await post(server, body))).toEqual(refused);
    expect(server.begun()).toBe(1);
  });

  it('that was refused for a fault of the attester may be posted anew, as another attempt', async () => {
    const server = await attesting();
    const body = submission('no sandbox');
    await post(server, body);
    expect(await result(server, sha256Hex(body))).toMatchObject({
      attempt: 1,
      error: { code: 'NO_SANDBOX' },
    });
    expect((await post(server, body)).status).toBe(202);
    expect(await result(server, sha256Hex(body))).toMatchObject({
      attempt: 2,
      error: { code: 'NO_SANDBOX' },
    });
  });

  it('is tried again where the attester fails, a few times, and nothing of the failure is told', async () => {
    const server = await attesting({ limits: { tries: 3, pauseMs: 1 } });
    const body = submission('fail');
    await post(server, body);
    const refused = await result(server, sha256Hex(body));
    expect(refused).toMatchObject({ status: 'refused', attempt: 3, error: { code: 'ATTESTER_FAILED' } });
    expect(JSON.stringify(refused)).not.toContain('secret');
    expect(server.logged.join('\n')).not.toContain('secret');
    expect(server.begun()).toBe(3);
  });

  it.each([
    ['no archive', utf8Encode('x'.repeat(600)), 'NOT_TAR'],
    ['an empty archive', encodeTar([]), 'MISSING_FILE'],
    ['another file', encodeTar([{ path: 'x', bytes: new Uint8Array(1) }]), 'STRAY_FILE'],
    [
      'two packs',
      encodeTar(
        ['harness-pack.tar.gz', 'harness-pack.jwe.json'].map((path) => ({ path, bytes: new Uint8Array(1) })),
      ),
      'STRAY_FILE',
    ],
    ['no artifacts', encodeTar([{ path: 'harness-pack.tar.gz', bytes: new Uint8Array(1) }]), 'MISSING_FILE'],
    ['something behind its end', Buffer.concat([submission('x'), new Uint8Array(512)]), 'TRAILING'],
  ])('that is none is refused: %s', async (_, body, code) => {
    const server = await attesting();
    expect(refusal(await post(server, body))).toBe(`400 ${code}`);
    expect(files(server.state)).toEqual([]);
  });
});

describe('what was signed for other tools', () => {
  it('X8 is kept with the attestation and given on request, also after a restart', async () => {
    const server = await attesting();
    const body = submission('good');
    await post(server, body);
    const id = sha256Hex(body);
    expect(Object.keys(await result(server, id))).not.toContain('others');
    const ask = (of: typeof server, name: string) => get(of, `/v1/attestations/${id}/${name}`);
    expect([(await ask(server, 'in-toto')).body, (await ask(server, 'vsa')).body]).toEqual([
      '{"in-toto":1}',
      '{"vsa":1}',
    ]);
    server.running.stop();
    await server.running.ended;
    const next = await attesting({ state: server.state });
    expect((await ask(next, 'vsa')).body).toBe('{"vsa":1}');
    expect(next.begun()).toBe(0);
    expect((await get(next, `/v1/attestations/${id}/vsa`, {})).status).toBe(401);
    expect(refusal(await ask(next, 'key'))).toBe('404 NOT_FOUND');
  });

  it.each([
    ['none for others', '404 NOT_FOR_OTHERS'],
    ['of old', '404 NOT_FOR_OTHERS'],
    ['refuse', '404 OTHER_ARTIFACTS'],
  ])('is nothing where it says: %s', async (wish, expected) => {
    const server = await attesting();
    const body = submission(wish);
    await post(server, body);
    await result(server, sha256Hex(body));
    expect(refusal(await get(server, `/v1/attestations/${sha256Hex(body)}/vsa`))).toBe(expected);
  });

  it('is not there before the result is, nor of a job that nobody posted', async () => {
    const server = await attesting();
    const body = submission('hang');
    await post(server, body);
    expect(refusal(await get(server, `/v1/attestations/${sha256Hex(body)}/vsa`))).toBe('404 NOT_DONE');
    expect(refusal(await get(server, `/v1/attestations/${'0'.repeat(64)}/vsa`))).toBe('404 NOT_FOUND');
    expect(refusal(await get(server, '/v1/attestations/x/vsa'))).toBe('404 NOT_FOUND');
  });
});

describe('limits', () => {
  it('a submission that is too large is refused by what it announces, and by what comes', async () => {
    const server = await attesting({ maxBytes: 8192 });
    expect(refusal(await post(server, submission('x', 8192)))).toBe('413 TOO_LARGE');
    const chunked = await post(server, submission('x', 8192), { 'transfer-encoding': 'chunked' });
    expect(refusal(chunked)).toBe('413 TOO_LARGE');
    expect((await post(server, submission('x', 1024))).status).toBe(202);
  });

  it('half a body leaves nothing, and the next caller is served', async () => {
    const server = await attesting();
    const body = submission('half');
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(
          `POST /v1/attestations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/x-tar\r\ncontent-length: ${body.length}\r\n\r\n`,
        );
        socket.write(body.subarray(0, 700), () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    expect((await get(server, `/v1/attestations/${sha256Hex(body)}`)).status).toBe(404);
    expect(files(server.state)).toEqual([]);
    await post(server, body);
    expect((await result(server, sha256Hex(body))).status).toBe('done');
  });

  it('a caller that sends nothing more is turned away when its time is over', async () => {
    const server = await attesting({
      listen: { host: '127.0.0.1', port: 0, tls: null, limits: { headersMs: 50, requestMs: 50 } },
    });
    const text = await new Promise<string>((resolve, reject) => {
      let answer = '';
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(
          `POST /v1/attestations HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.token}\r\ncontent-type: application/x-tar\r\ncontent-length: 5000\r\n\r\nx`,
        );
      });
      socket.on('data', (piece) => (answer += piece.toString()));
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(files(server.state)).toEqual([]);
  });

  it('a full queue says so, and when to come again; what is in it may be asked for', async () => {
    const server = await attesting({ limits: { jobs: 1, waiting: 3 } });
    const bodies = ['hang 1', 'hang 2', 'hang 3'].map((wish) => submission(wish));
    for (const body of bodies) expect((await post(server, body)).status).toBe(202);
    const full = await post(server, submission('hang 4'));
    expect(refusal(full)).toBe('429 QUEUE_FULL');
    expect(Number(full.headers['retry-after'])).toBeGreaterThan(0);
    expect((await post(server, bodies[2] ?? '')).status).toBe(202);
    const states = await Promise.all(
      bodies.map((body) => get(server, `/v1/attestations/${sha256Hex(body)}`)),
    );
    expect(states.map((reply) => view(reply).status)).toEqual(['running', 'queued', 'queued']);
  });

  it('so does one that would take too much room', async () => {
    const server = await attesting({ limits: { jobs: 1, waitingBytes: 10_000 } });
    expect((await post(server, submission('hang 1', 2000))).status).toBe(202);
    expect(refusal(await post(server, submission('hang 2', 8000)))).toBe('429 QUEUE_FULL');
  });

  it('counts what is being written to disk, for memory and for the queue', async () => {
    const state = attesterFiles(join(temporary(), 'attester'));
    makeAttesterDirectory(state);
    // The one that is refused counts until it is told so.
    const limits = { ...QUEUE_LIMITS, jobs: 0, enteringBytes: 20_000, waiting: 4 };
    const queue = new JobQueue(
      new JobStore(state),
      () => Promise.reject(new Error('unused')),
      limits,
      () => undefined,
    );
    const bodies = ['a', 'b', 'c', 'd', 'e'].map((wish) => submission(wish, wish === 'b' ? 20_000 : 0));
    const ends = await Promise.allSettled(bodies.map((body) => queue.submit(body)));
    const told = ends.map((end) => (end.status === 'fulfilled' ? end.value.status : String(end.reason)));
    expect(told).toEqual([
      'queued',
      expect.stringContaining('arriving at once'),
      'queued',
      'queued',
      expect.stringContaining('queue is full'),
    ]);
  });

  it('as many jobs run at a time as were asked for, and the others wait for them', async () => {
    const server = await attesting({ limits: { jobs: 2 } });
    for (const wish of ['hang 1', 'hang 2', 'good']) await post(server, submission(wish));
    const reply = await get(server, `/v1/attestations/${sha256Hex(submission('good'))}?wait=0`);
    expect(view(reply)).toMatchObject({ status: 'queued', attempt: 0 });
    expect(server.begun()).toBe(2);
  });

  it.each(['hang', 'deaf'])('a job that takes too long is ended, and the next one runs: %s', async (wish) => {
    const server = await attesting({ limits: { jobs: 1, timeoutMs: 20, graceMs: 1 } });
    const body = submission(wish);
    await post(server, body);
    await post(server, submission('good'));
    expect(await result(server, sha256Hex(body))).toMatchObject({
      status: 'refused',
      error: { code: 'TIMEOUT' },
    });
    expect((await result(server, sha256Hex(submission('good')))).status).toBe('done');
  });

  it('a client that goes away does not lose its job, nor do others who wait for it', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await attesting({
      attest: (identity) => {
        const work = standIn(identity, () => 1);
        return async (job, signal) => held.then(() => work(job, signal));
      },
    });
    const body = submission('left alone');
    const path = `/v1/attestations/${sha256Hex(body)}?wait=60`;
    await post(server, body);
    await new Promise<void>((resolve) => {
      const waiting = request({
        host: '127.0.0.1',
        port: server.port,
        path,
        headers: { authorization: `Bearer ${server.token}` },
      });
      waiting.on('error', () => resolve()).on('socket', (socket) => socket.on('close', () => resolve()));
      waiting.end(() => waiting.destroy());
    });
    const other = get(server, path);
    release();
    expect(view(await other).status).toBe('done');
  });

  it('waiting ends with its seconds, and more than a minute is refused', async () => {
    const server = await attesting();
    await post(server, submission('hang'));
    const path = `/v1/attestations/${sha256Hex(submission('hang'))}`;
    expect(view(await get(server, `${path}?wait=1`)).status).toBe('running');
    for (const wait of ['61', '-1', '1.5', 'x', '', '1e9'])
      expect(refusal(await get(server, `${path}?wait=${wait}`))).toBe('400 BAD_WAIT');
  });
});

describe('who may ask', () => {
  it('a wrong token is refused before a body is read, and after too many nobody there is listened to', async () => {
    const server = await attesting();
    const wrong = { authorization: `Bearer ${'0'.repeat(64)}` };
    for (const headers of [wrong, { authorization: 'Bearer x' }, { authorization: `Basic ${server.token}` }])
      expect(refusal(await post(server, submission('x'), headers))).toBe('401 WRONG_TOKEN');
    for (let i = 3; i < MOST_WRONG; i++) await get(server, '/v1/attestations/x', wrong);
    const turnedAway = await post(server, submission('x'));
    expect(refusal(turnedAway)).toBe('429 TOO_MANY_GUESSES');
    expect(Number(turnedAway.headers['retry-after'])).toBeGreaterThan(0);
    expect(files(server.state)).toEqual([]);
    expect((await get(server, '/healthz')).status).toBe(200);
  });

  it('an address is listened to again after a minute; networks of IPv6 count as one; memory is bounded', () => {
    const tokens = new WrongTokens();
    for (let i = 0; i < MOST_WRONG; i++) tokens.add(`2001:db8::${i.toString(16)}`, 1000 * i);
    expect(tokens.waitFor('2001:db8:0:0:ffff::1', 30_000)).toBe(30);
    expect(tokens.waitFor('2001:db8:0:1::1', 30_000)).toBe(0);
    expect(tokens.waitFor('2001:db8::1', 60_000)).toBe(0);
    for (let i = 0; i < 11_000; i++) tokens.add(`10.0.${i >> 8}.${i & 255}`, 30_000);
    expect(tokens.waitFor('2001:db8::1', 30_000)).toBe(0);
    for (let i = 0; i < MOST_WRONG; i++) tokens.add('::ffff:10.9.9.9', 40_000);
    expect(tokens.waitFor('10.9.9.9', 40_000)).toBe(60);
  });

  it('web pages are turned away, also with the token', async () => {
    const server = await attesting();
    const reply = await post(server, submission('x'), { origin: 'http://127.0.0.1' });
    expect(refusal(reply)).toBe('403 NOT_FOR_PAGES');
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  it.each([
    ['PUT', '/v1/attestations', '405 WRONG_METHOD'],
    ['GET', '/v1/attestations', '405 WRONG_METHOD'],
    ['GET', '/v1/attestations/..%2f..%2fkey', '404 NOT_FOUND'],
    ['GET', `/v1/attestations/${'A'.repeat(64)}`, '404 NOT_FOUND'],
    ['GET', '/v1/other', '404 NOT_FOUND'],
    ['GET', '/key', '404 NOT_FOUND'],
    ['GET', '/.well-known/did.json', '404 NOT_FOUND'],
  ])('%s %s is %s', async (method, path, code) => {
    const server = await attesting();
    const { send } = await import('../service/serving.ts');
    const headers = { authorization: `Bearer ${server.token}` };
    expect(refusal(await send({ host: '127.0.0.1', port: server.port, path, method, headers }))).toBe(code);
  });

  it('a compressed body, or one that is no tar by its own word, is refused', async () => {
    const server = await attesting();
    expect(refusal(await post(server, 'x', { 'content-type': 'application/json' }))).toBe('415 NOT_TAR');
    expect(refusal(await post(server, 'x', { 'content-encoding': 'gzip' }))).toBe('415 NOT_TAR');
  });

  it('without TLS it serves this machine alone', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.org', '127.0.0.1.example.org'])
      await expect(attesting({ listen: { host, port: 0, tls: null } })).rejects.toThrow('without TLS');
  });
});

describe('the state', () => {
  it("is its user's alone: keys, token, jobs and results", async () => {
    const { state, running } = await attesting();
    for (const name of ['', 'key', 'encryption-key.jwk.json', 'token', 'lock', 'jobs', 'results'])
      expect(statSync(join(state, name)).mode & 0o077, name).toBe(0);
    expect(running.identity.did).toMatch(/^did:key:z6Mk/);
  });

  it('keeps its keys and its token over a restart', async () => {
    const first = await attesting();
    first.running.stop();
    await first.running.ended;
    const second = await attesting({ state: first.state });
    expect(second.running.identity.did).toBe(first.running.identity.did);
    expect(second.token).toBe(first.token);
  });

  it('is used by one attester at a time, and is never a ledger', async () => {
    const { state } = await attesting();
    await expect(attesting({ state })).rejects.toThrow('another attester already uses');
    const ledger = temporary();
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(ledger, 'ledger'));
    await expect(attesting({ state: ledger })).rejects.toThrow('is a ledger');
    expect(existsSync(join(ledger, 'key'))).toBe(false);
  });

  it.each(['key', 'encryption-key.jwk.json', 'token'])(
    'is refused where others could read its %s',
    async (name) => {
      const { state, running } = await attesting();
      running.stop();
      await running.ended;
      const { chmodSync } = await import('node:fs');
      chmodSync(join(state, name), 0o644);
      await expect(attesting({ state })).rejects.toThrow('other users may use');
    },
  );

  it('a job that the disk changed is not attested', async () => {
    const server = await attesting({ limits: { jobs: 1 } });
    const body = submission('changed');
    await post(server, submission('hang'));
    await post(server, body);
    const id = sha256Hex(body);
    server.running.stop();
    await server.running.ended;
    writeFileSync(join(server.state, 'jobs', `${id}.tar`), submission('other'));
    const next = await attesting({ state: server.state, limits: { tries: 2, pauseMs: 1 } });
    expect(await result(next, id)).toMatchObject({ status: 'refused', error: { code: 'ATTESTER_FAILED' } });
    expect(next.begun()).toBe(1);
  });

  it('what a crash left of a write is removed, and a result counts where its job is still there', async () => {
    const server = await attesting();
    const body = submission('twice');
    const id = sha256Hex(body);
    await post(server, body);
    const done = await result(server, id);
    server.running.stop();
    await server.running.ended;
    writeFileSync(join(server.state, 'jobs', `${id}.tar`), body);
    writeFileSync(join(server.state, 'jobs', `${id}.tries`), '1 1\n');
    writeFileSync(join(server.state, 'jobs', `${'0'.repeat(64)}.tar.7.0.tmp`), 'half');
    writeFileSync(join(server.state, 'jobs', `${'0'.repeat(64)}.tries`), '1 1\n');
    writeFileSync(join(server.state, 'results', `${id}.json.7.0.tmp`), 'half');
    const next = await attesting({ state: server.state });
    expect(files(server.state)).toEqual([`${id}.json`]);
    expect(await result(next, id)).toEqual(done);
  });

  it('old results go, and the oldest where there are too many', async () => {
    const server = await attesting();
    const ids = [];
    for (const wish of ['a', 'b', 'c', 'd']) {
      const body = submission(wish);
      await post(server, body);
      await result(server, sha256Hex(body));
      ids.push(sha256Hex(body));
    }
    server.running.stop();
    await server.running.ended;
    const [old = '', older = '', kept, newest] = ids;
    const year = 365 * 86_400;
    utimesSync(join(server.state, 'results', `${old}.json`), year, year);
    utimesSync(
      join(server.state, 'results', `${older}.json`),
      Date.now() / 1000 - 60,
      Date.now() / 1000 - 60,
    );
    const next = await attesting({ state: server.state, limits: { keepCount: 2 } });
    expect(files(server.state).sort()).toEqual([`${kept}.json`, `${newest}.json`].sort());
    expect((await get(next, `/v1/attestations/${old}`)).status).toBe(404);
  });

  it('told to leave, it lets a job end that runs, answers who waits, and keeps the others', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await attesting({
      drainMs: 60_000,
      limits: { jobs: 1 },
      attest: (identity) => {
        const work = standIn(identity, () => 1);
        return async (job, signal) => held.then(() => work(job, signal));
      },
    });
    const [first, second] = [submission('first'), submission('second')];
    await post(server, first);
    await post(server, second);
    const waiting = get(server, `/v1/attestations/${sha256Hex(second)}?wait=60`);
    await get(server, '/healthz');
    server.running.stop();
    expect(view(await waiting).status).toBe('queued');
    await expect(get(server, '/healthz')).rejects.toThrow('ECONNREFUSED');
    release();
    await server.running.ended;
    expect(files(server.state)).toEqual([`${sha256Hex(second)}.tar`, `${sha256Hex(first)}.json`]);
    const next = await attesting({ state: server.state });
    expect(await result(next, sha256Hex(second))).toMatchObject({ status: 'done', attempt: 1 });
  });

  it('a job that it cut off when it left is begun again, and counts as another attempt', async () => {
    const server = await attesting();
    await post(server, submission('hang'));
    server.running.stop();
    await server.running.ended;
    const id = sha256Hex(submission('hang'));
    const tries = readFileSync(join(server.state, 'jobs', `${id}.tries`), 'latin1');
    expect(tries).toBe('1 0\n');
    const next = await attesting({ state: server.state });
    expect(view(await get(next, `/v1/attestations/${id}`))).toMatchObject({ status: 'running', attempt: 2 });
  });
});

describe('the identity', () => {
  it('C15 a did:web document names the key that signs, for everybody', async () => {
    const did = 'did:web:attest.example.org';
    const server = await attesting({ did });
    const reply = await get(server, '/.well-known/did.json', {});
    expect(reply.status).toBe(200);
    const document = JSON.parse(reply.body) as Json;
    const { signer } = server.running.identity;
    expect(parseDidDocument(document, did)).toEqual([signer.publicKey]);
    expect(server.running.identity.did).toBe(did);
    expect(reply.body).not.toContain('"d"');
  });

  it('stands where its path says', async () => {
    const server = await attesting({ did: 'did:web:example.org:attesters:one' });
    expect((await get(server, '/attesters/one/did.json', {})).status).toBe(200);
    expect((await get(server, '/.well-known/did.json', {})).status).toBe(404);
  });
});

it('a start that fails lets go of the state', async () => {
  const state = join(temporary(), 'attester');
  const broken = startAttester({
    state,
    listen: { host: '127.0.0.1', port: 0, tls: null },
    log: () => undefined,
    attest: () => Promise.reject(new Error('no work')),
  });
  await expect(broken).rejects.toThrow('no work');
  expect((await get(await attesting({ state }), '/healthz')).status).toBe(200);
});
