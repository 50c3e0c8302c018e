// Tests of the command, the worker and the stand-alone verifier run what users get, so build it once first.
import { execFileSync } from 'node:child_process';

export default function setup(): void {
  execFileSync(process.execPath, ['scripts/build.mjs', '--no-types'], { stdio: 'inherit' });
}
