// For esbuild: what a file imports through a room's door (index.ts), it imports from the file behind the door. The
// bundler follows every line of a door it meets, so two commands that use one function each of a room would both be
// given all of it. Rooms have no side effects, so nothing but the amount loaded depends on the way taken.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const IMPORT = /^import \{([^}]*)\} from '(\.[^']*\/index\.ts)';/gm;
const EXPORT = /^export \{([^}]*)\} from '(\.[^']*)';/gm;

/** The names in braces that are values, as [name there, name here]. */
function values(list) {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && !item.startsWith('type '))
    .map((item) => {
      const [there, here = there] = item.split(' as ');
      return [there, here];
    });
}

const doors = new Map();

/** Where each name that a door passes on comes from. What it defines itself is not among them. */
function behind(door) {
  let found = doors.get(door);
  if (found === undefined) {
    found = new Map();
    doors.set(door, found);
    for (const [, list, from] of readFileSync(door, 'utf8').matchAll(EXPORT))
      for (const [there, here] of values(list))
        found.set(here, { name: there, file: resolve(dirname(door), from) });
  }
  return found;
}

function past(source, path) {
  return source.replace(IMPORT, (_, list, from) =>
    values(list)
      .map(([there, here]) => {
        const { name, file } = behind(resolve(dirname(path), from)).get(there) ?? { name: there, file: from };
        return `import { ${name} as ${here} } from ${JSON.stringify(file)};`;
      })
      .join(' '),
  );
}

export const pastDoors = {
  name: 'past-doors',
  setup(build) {
    build.onLoad({ filter: /[\\/](?:src|examples)[\\/].*\.ts$/ }, ({ path }) => ({
      contents: past(readFileSync(path, 'utf8'), path),
      loader: 'ts',
    }));
  },
};
