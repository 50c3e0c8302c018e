// C15: a pack is fetched from where a bundle says it is, from servers that do what they like.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { fetchPack } from '../../src/app/attest/fetch-pack.ts';

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/pack`;
}

it('C15 gives what the server sends', async () => {
  const uri = await serving((_, response) => response.end('a pack'));
  expect(await fetchPack(uri, { local: true })).toEqual({ archive: Buffer.from('a pack') });
});

it('C15 gives up on a server that stalls, before its headers and behind them', async () => {
  const silent = await serving(() => undefined);
  const stalling = await serving((_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('half');
  });
  for (const uri of [silent, stalling])
    expect(await fetchPack(uri, { local: true, patience: 300 })).toEqual({
      why: `can't fetch the pack from ${new URL(uri).origin}: the download took longer than 0.3 seconds.`,
    });
});

it('C15 says why there is none', async () => {
  const redirects = await serving((_, response) => response.writeHead(302, { location: '/other' }).end());
  const missing = await serving((_, response) => response.writeHead(404).end());
  const cut = await serving((_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('half', () => response.destroy());
  });
  const cases = [
    [redirects, "it redirects to another address, and foil doesn't follow redirects."],
    [missing, 'it answered 404.'],
    [cut, /: other side closed\.$/],
    ['http://127.0.0.1:1/', /: (?:connect ECONNREFUSED|bad port)/],
  ] as const;
  for (const [uri, why] of cases) {
    const fetched = await fetchPack(uri, { local: true });
    expect('why' in fetched ? fetched.why : '').toMatch(why);
  }
});

it.each([
  ['http://127.0.0.1:9/x', 'is an address of this machine. Pass --fetch-local if you mean it.'],
  ['https://localhost/x', 'is an address of this machine.'],
  ['http://[::1]/x', 'is an address of this machine.'],
  ['https://10.1.2.3/x', 'is an address of a private network. Pass --fetch-local if you mean it.'],
  ['https://169.254.169.254/latest', 'is an address of a private network.'],
  ['https://[::ffff:192.168.0.1]/x', 'is an address of a private network.'],
  ['https://[fd00::1]/x', 'is an address of a private network.'],
  ['https://2130706433/x', 'is an address of this machine.'],
  ['http://example.org/x', 'is not an https address.'],
  ['file:///etc/passwd', 'is not an https address.'],
  ['https://ann:word@example.org/', "contains a user name, or isn't an address."],
  ['pack.tar.gz', "contains a user name, or isn't an address."],
  [null, "the bundle doesn't say where its pack is."],
])('C15 asks nobody for %s', async (uri, why) => {
  const fetched = await fetchPack(uri, { local: false });
  expect('why' in fetched ? fetched.why : '').toContain(why);
});
