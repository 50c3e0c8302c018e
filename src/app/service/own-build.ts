// The build that this foil is of, as scripts/build.mjs wrote it down beside foil.cjs: nobody computes a hash here, because
// hooks ask. Read anew each time: a process that lives through an upgrade starts services of the new build.
import { readFileSync } from 'node:fs';
import manifest from '../../../package.json' with { type: 'json' };
import { type Build, type BuildMark, parseBuildMark } from '../../service/index.ts';

const NAME = 'build.json';

export function ownBuild(): Build {
  return { version: manifest.version, build: markIn(__dirname) ?? markIn(`${__dirname}/../../../dist`) };
}

function markIn(directory: string): BuildMark | null {
  try {
    return parseBuildMark(JSON.parse(readFileSync(`${directory}/${NAME}`, 'utf8')));
  } catch {
    return null;
  }
}
