// A service of another version, as an upgrade finds it. Run by processes.test.ts with the words of `foil serve`.
import { join } from 'node:path';
import { openLedger } from '../../src/entry/index.ts';
import { startService } from '../../src/service/index.ts';

const [, , , directory = '', version = ''] = process.argv;
const ledger = openLedger({ directory, keyDirectory: join(directory, 'keys') });
const pass = async () => {
  await ledger.append({ kind: 'note', payload: { version }, source: 'sdk' });
  return { exit: 0, stdout: '', stderr: version };
};
const service = await startService({
  ledger: directory,
  ledgerId: '',
  version,
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
