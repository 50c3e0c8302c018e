// The declarations that the package ships. tsc writes one for every file that it read, but whoever imports the package can
// only get to those that its entry points lead to. Names are followed past the doors of rooms (index.ts), which list
// everything that a room has, to the files behind them. What nothing leads to is removed.
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const LIST = /^(import|export)( type)? \{([^}]*)\} from '(\.[^']+)';$/gm;
const ANY = /(?:from |import\(|import )'(\.[^']+)'/g;

/** Of each entry point in package.json, the file with its types. */
export function typesOfExports(root) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [join(root, types)]));
}

/** Removes what none of the entries leads to, and folders that are empty then. */
export function keepReachable(folder, entries) {
  const reached = new Set(entries);
  for (const file of reached) {
    const text = pastDoors(file);
    writeFileSync(file, text);
    for (const [, to] of text.matchAll(ANY)) reached.add(declarationAt(file, to));
  }
  removeOthers(folder, reached);
}

const declarationAt = (file, to) => resolve(dirname(file), to.replace(/\.ts$/, '.d.ts'));

/** The names of a list, as [name there, name here, whether it is a type alone]. */
function namesIn(list) {
  return list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const [there, here = there] = item.replace(/^type /, '').split(' as ');
      return [there, here, item.startsWith('type ')];
    });
}

/** Where a name that a file offers was declared. */
function origin(file, name) {
  for (const [, kind, , list, from] of readFileSync(file, 'utf8').matchAll(LIST))
    for (const [there, here] of kind === 'export' ? namesIn(list) : [])
      if (here === name) return origin(declarationAt(file, from), there);
  return { file, name };
}

function pastDoors(path) {
  return readFileSync(path, 'utf8').replace(LIST, (line, kind, typed = '', list, from) => {
    const door = declarationAt(path, from);
    if (!door.endsWith('/index.d.ts') || !existsSync(door)) return line;
    return namesIn(list)
      .map(([there, here, isType]) => {
        const { file, name } = origin(door, there);
        const to = relative(dirname(path), file).replace(/\.d\.ts$/, '.ts');
        const named = name === here ? name : `${name} as ${here}`;
        return `${kind}${typed} { ${isType ? 'type ' : ''}${named} } from '${to.startsWith('.') ? to : `./${to}`}';`;
      })
      .join('\n');
  });
}

function removeOthers(folder, kept) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeOthers(path, kept);
    else if (!kept.has(path)) rmSync(path);
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
