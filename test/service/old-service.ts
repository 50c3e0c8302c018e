// A service of another version or build, as an upgrade finds it. Run with the words of `foil serve`, its version, and when
// its build was made where it tells.
import { join } from 'node:path';
import { openLedger } from '../../src/entry/index.ts';
import { startService } from '../../src/service/index.ts';

const [, , , directory = '', version = '', made] = process.argv;
const ledger = openLedger({ directory, keyDirectory: join(directory, 'keys') });
const pass = async () => {
  await ledger.append({ kind: 'note', payload: { version }, source: 'sdk' });
  return { exit: 0, stdout: '', stderr: version };
};
const service = await startService({
  ledger: directory,
  ledgerId: '',
  version,
  build: made === undefined ? null : { hash: '0123456789abcdef', made: Number(made) },
  mode: () => 'observe',
  open: async () => ({
    hook: pass,
    tooLarge: pass,
    seal: async () => void (await ledger.seal()),
    upkeep: async () => null,
    openSessions: async () => 1,
    close: () => ledger.close(),
  }),
  port: null,
});
process.on('SIGTERM', () => service.stop('signal'));
process.stdout.write('ready\n');
process.stdout.write(`${await service.ended}\n`);
