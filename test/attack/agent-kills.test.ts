// Whatever may stop our service or the host of a recorded session is refused; a kill of anything else is not.
import { describe } from 'vitest';
import { allows, refuses } from './our-places.ts';

const ATTACKS: readonly string[] = [
  'pidof node | xargs kill',
  'pgrep -f foil | xargs kill',
  'pgrep -f serve | xargs -r kill -9',
  'pkill -u root',
  'pkill -u $USER',
  'pkill -U ann',
  'pkill -t pts/1',
  'kill -STOP $(pgrep -f serve)',
  'kill -9 $(pidof node)',
  'kill -9 -1',
  'kill -KILL -- -1',
  'killall node',
  'killall -9 node',
  'killall -u ann',
  'killall claude',
  'pkill claude',
  'pkill -x claude',
  "pkill -f 'claude|vite'",
  'fuser -k .',
  'fuser -km ~',
  'fuser -k ~/.local/state/counterfoil/shop-0123456789abcdef/lock',
  'fuser -k -n tcp 40123',
  'systemctl --user stop counterfoil',
  "systemctl --user stop 'count*'",
  'systemctl --user exit',
  'systemctl --user stop app.slice',
  'systemctl poweroff',
  'shutdown -h now',
  'reboot',
  'kill 777777',
  'kill -9 $PPID',
  'kill -- -777777',
  'for p in $(pgrep node); do kill $p; done',
  'pgrep node | while read p; do kill -9 $p; done',
  'while read p; do kill $p; done < <(pgrep -f serve)',
  "ps aux | grep node | awk '{print $2}' | xargs kill",
  "ps -ef | awk '/node/{print $2}' | xargs kill -9",
  "kill $(ps aux | grep '[s]erve' | awk '{print $2}')",
  'P=$(pgrep -f serve); kill $P',
  'lsof -ti tcp:40123 | xargs kill',
  'kill $(lsof -ti :40123)',
  'kill -9 $(lsof -t ~/.local/state/counterfoil/shop-0123456789abcdef/lock)',
  'pkill --signal STOP node',
  'pkill -STOP -f serve',
];

const WORK: readonly string[] = [
  'kill 12345',
  'kill -9 12345',
  'kill %1',
  'kill $!',
  'kill -0 12345',
  'kill 0',
  'pkill -f vite',
  'pkill -f "next dev"',
  'pkill -P $$',
  "pkill -f 'node server.js'",
  'pkill chrome',
  'killall Simulator',
  'pgrep -f vite | xargs kill',
  'kill $(pgrep -f vite)',
  'kill $(cat .pid)',
  'lsof -ti:3000 | xargs kill -9',
  'lsof -i :3000',
  "ps aux | grep vite | awk '{print $2}' | xargs kill",
  'ps aux | grep "next-server" | grep -v grep | awk \'{print $2}\' | xargs kill -9',
  'fuser -k 3000/tcp',
  'systemctl --user status foo',
  'systemctl restart nginx',
  'systemctl --user stop myapp.service',
  "trap 'kill 0' EXIT",
  'docker kill web',
  'docker compose kill',
];

describe('a command that may stop the service or the host', () => {
  refuses(ATTACKS);
});

describe('a command that stops something else', () => {
  allows(WORK);
});
