// Resolves names to addresses in a way that can be given up. The system's own lookup holds a thread until the name
// server answers, and a process does not end before its threads do, not even with process.exit: a network that
// swallows packets would hold a hook for many seconds. So names are looked up over sockets first. The system is asked
// only if that gave an answer without an address: for a name in the hosts file, or one that needs a search list.
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

const LOCAL: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** No answer at all: the system would wait for the same one. */
const SILENT: readonly unknown[] = ['ETIMEOUT', 'ECANCELLED', 'EDESTRUCTION'];

/** `servers`: name servers instead of the system's. */
export function cancellableLookup(signal: AbortSignal, servers?: readonly string[]): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (found: readonly LookupAddress[]): void => {
      const [first] = found;
      if (first === undefined) callback(new Error('no address'), '');
      else if (options.all === true) callback(null, [...found]);
      else callback(null, first.address, first.family);
    };
    // RFC 6761: never a matter for a name server.
    if (hostname === 'localhost') return process.nextTick(answer, LOCAL);
    const { Resolver, lookup } = process.getBuiltinModule('node:dns');
    const resolver = new Resolver({ timeout: 1000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const found: LookupAddress[][] = [];
    let silent = false;
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    const done = (error: NodeJS.ErrnoException | null, addresses: readonly string[], family: 4 | 6): void => {
      if (error !== null && SILENT.includes(error.code)) silent = true;
      const list = error === null ? addresses.map((address) => ({ address, family })) : [];
      if (family === 4) found.unshift(list);
      else found.push(list);
      if (found.length < 2) return;
      signal.removeEventListener('abort', cancel);
      const all = found.flat();
      if (all.length > 0 || silent || signal.aborted) answer(all);
      else lookup(hostname, options, callback);
    };
    resolver.resolve4(hostname, (error, addresses) => done(error, addresses, 4));
    resolver.resolve6(hostname, (error, addresses) => done(error, addresses, 6));
  };
}
