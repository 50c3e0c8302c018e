// The client of an attester, against a real one in this process, and against servers that are none.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { utf8Decode, utf8Encode } from '#platform';
import { type AttestationRequest, requestAttestation } from '../../src/app/attest/attester-client.ts';
import { isDsseSignedBy, type Json, parseDsse } from '../../src/core/index.ts';
import { temporary } from '../temporary.ts';
import { attesting } from './attesting.ts';

function wanted(server: string, token: string, wish = 'good'): AttestationRequest {
  const [pack, bundle, artifacts] = ['pack', 'bundle', wish].map(utf8Encode);
  if (pack === undefined || bundle === undefined || artifacts === undefined)
    throw new TypeError('three parts');
  return { server, token, pack, bundle, artifacts, timeoutMs: 30_000 };
}

async function other(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const TOKEN = '0'.repeat(64);

describe('requestAttestation', () => {
  it('gives the signed envelope, and the same one when it is asked for again', async () => {
    const { running, token, begun } = await attesting();
    const seen: string[] = [];
    const request = { ...wanted(running.url, token), progress: (status: string) => void seen.push(status) };
    const bytes = await requestAttestation(request);
    const envelope = parseDsse(JSON.parse(utf8Decode(bytes)) as Json);
    expect(isDsseSignedBy(envelope, running.identity.signer.publicKey)).toBe(true);
    expect(await requestAttestation(request)).toEqual(bytes);
    expect(begun()).toBe(1);
    expect(seen.at(-1)).toBe('done');
  });

  it('tells a refusal with its code and words', async () => {
    const { running, token } = await attesting();
    await expect(requestAttestation(wanted(running.url, token, 'refuse'))).rejects.toMatchObject({
      code: 'OTHER_ARTIFACTS',
      message: 'These are other artifacts.',
    });
  });

  it('does not go on with a wrong token', async () => {
    const { running } = await attesting();
    await expect(requestAttestation(wanted(running.url, TOKEN))).rejects.toMatchObject({
      code: 'WRONG_TOKEN',
    });
  });

  it('comes again where the queue is full', async () => {
    const { running, token } = await attesting();
    let times = 0;
    const busy = await other((incoming, outgoing) => {
      if (++times === 1) {
        incoming.resume();
        outgoing.writeHead(429, { 'content-type': 'application/json' });
        outgoing.end('{"error":{"code":"QUEUE_FULL","message":"The queue is full."}}');
        return;
      }
      // From then on it stands for the real one.
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('end', async () => {
        const { method = 'GET', headers } = incoming;
        const { authorization = '', 'content-type': type = '' } = headers;
        const answer = await fetch(new URL(incoming.url ?? '/', running.url), {
          method,
          headers: { authorization, 'content-type': type },
          ...(method === 'POST' ? { body: Buffer.concat(pieces) } : {}),
        });
        outgoing.writeHead(answer.status).end(await answer.text());
      });
    });
    expect((await requestAttestation(wanted(busy, token))).length).toBeGreaterThan(0);
    expect(times).toBeGreaterThan(1);
  });

  it('says that nobody answers, once its time is over', async () => {
    const request = { ...wanted('http://127.0.0.1:1', TOKEN), timeoutMs: 1 };
    await expect(requestAttestation(request)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  it('says at once that it does not trust the certificate, and does not come again', async () => {
    const files = temporary();
    const [cert, key] = [join(files, 'cert.pem'), join(files, 'key.pem')];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
        .concat(['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'])
        .concat(['-keyout', key, '-out', cert]),
      { stdio: 'ignore' },
    );
    const tls = { cert: new Uint8Array(readFileSync(cert)), key: new Uint8Array(readFileSync(key)) };
    const { running, token } = await attesting({ listen: { host: '127.0.0.1', port: 0, tls } });
    let connections = 0;
    // Passes everything on, and counts.
    const counting = createTcpServer((socket) => {
      connections++;
      const to = connect(Number(new URL(running.url).port), '127.0.0.1');
      for (const each of [socket, to]) each.on('error', () => undefined);
      socket.pipe(to).pipe(socket);
    });
    await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void counting.close());
    const server = `https://127.0.0.1:${(counting.address() as AddressInfo).port}`;
    const request = { ...wanted(server, token), timeoutMs: 3_600_000 };
    await expect(requestAttestation(request)).rejects.toMatchObject({
      code: 'UNTRUSTED',
      message: expect.stringMatching(
        /^the certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted here: \w+\. Set NODE_EXTRA_CA_CERTS/,
      ),
    });
    expect(connections).toBe(1);
  });

  it.each([
    ['no JSON', 'hello', 'UNCLEAR'],
    ['another job', `{"id":"${'1'.repeat(64)}","status":"done"}`, 'UNCLEAR'],
    ['a list', '[]', 'UNCLEAR'],
  ])('is not taken in by %s', async (_, body, code) => {
    const url = await other((incoming, outgoing) => {
      incoming.resume();
      incoming.on('end', () => outgoing.end(body));
    });
    await expect(requestAttestation(wanted(url, TOKEN))).rejects.toMatchObject({ code });
  });

  it('stops reading an answer that never ends', async () => {
    const url = await other((incoming, outgoing) => {
      incoming.resume();
      const more = (): void => {
        while (outgoing.write(Buffer.alloc(1 << 20, 0x20)));
        outgoing.once('drain', more);
      };
      outgoing.on('error', () => undefined);
      incoming.on('end', more);
    });
    await expect(requestAttestation(wanted(url, TOKEN))).rejects.toMatchObject({ code: 'UNCLEAR' });
  });

  it('takes its token nowhere else: neither where it is led to, nor over a network in clear', async () => {
    let shown = 0;
    const elsewhere = await other((_, outgoing) => {
      shown++;
      outgoing.end('{}');
    });
    const url = await other((_, outgoing) => outgoing.writeHead(307, { location: elsewhere }).end());
    const led = { ...wanted(url, TOKEN), timeoutMs: 1 };
    await expect(requestAttestation(led)).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(shown).toBe(0);
    for (const server of [
      'http://example.org',
      'ftp://127.0.0.1',
      'https://a:b@example.org',
      'x',
      'http://127.0.0.1.example.org',
    ])
      await expect(requestAttestation(wanted(server, TOKEN))).rejects.toMatchObject({ code: 'BAD_SERVER' });
  });
});
