// esbuild, which notes what of other people's code it put into a bundle, and the file with their licences. What is bundled is
// no dependency of the package, so its licences don't come with an install.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';

const PACKAGE = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//;
const bundled = new Set();

export async function build(options) {
  const built = await esbuild.build({ ...options, metafile: true });
  for (const path of Object.keys(built.metafile.inputs)) {
    const [, name] = PACKAGE.exec(path) ?? [];
    if (name !== undefined) bundled.add(name);
  }
  return built;
}

/** Of everything that was built so far. */
export function writeLicences(root, path) {
  const texts = [...bundled].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[sc]e/i.test(each));
    const text = file === undefined ? `${license}\n` : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  const head = 'The files beside this one contain code of these packages.\n';
  writeFileSync(path, [head, ...texts].join(`\n${'-'.repeat(80)}\n\n`));
}
