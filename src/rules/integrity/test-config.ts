// What a test configuration says that makes a pass worth less: tests left out, failures let through, thresholds, and
// whether its test commands run anything. Each is one short fact, so that two versions are compared by their facts and
// a moved line changes none. Files of many languages, read by lines and members, not by their grammars.
import { configs, configWords, isConfigName, isPipeline, scriptKind } from '../../ecosystems/index.ts';
import { checkerFacts, MOST_FACTS, nameOf } from './checker-facts.ts';
import { commandFacts, type Fact, runsTests, type Sort } from './command-facts.ts';
import { BY_HOOK, placeFacts, STANDS_IN } from './config-changes.ts';
import { configMembers, iniMembers, type Member, recipeMembers, yamlMembers } from './config-members.ts';
import { pipelineFacts } from './pipeline-facts.ts';
import { standsIn } from './redirected-modules.ts';

const SCRIPTED = /\.(?:[cm]?[jt]s|json|jsonc|nycrc|c8rc|taprc)$|\.(?:mocharc|nycrc|c8rc)$/;
const SECTIONED = /\.(?:ini|cfg|toml|coveragerc)$|\.coveragerc$/;
const RECIPES = /(?:^|\/)(?:gnu)?makefile$|\.mk$|(?:^|\/)justfile$/i;
const LISTED = /\.mocharc\.ya?ml$/;

/** Facts of a file that configures tests or a checker, or of a pipeline, by their words; none where nothing of it is of interest. */
export function readConfig(path: string, text: string): ReadonlyMap<string, Fact> {
  const facts = new Map<string, Fact>();
  const add = (fact: Fact): void => {
    if (facts.size < MOST_FACTS) facts.set(fact.words, fact);
  };
  const source = text.slice(0, 256 * 1024);
  for (const fact of placeFacts(path, source)) add(fact);
  checkerFacts(path, source, add);
  if (isPipeline(path)) for (const fact of pipelineFacts(source)) add(fact);
  const members = SCRIPTED.test(path) ? configMembers(source) : [];
  for (const [at, member] of members.entries())
    if (standsIn(member, members[at - 1]))
      noting(member.keys.join('.'), member.line, add)('loosen', STANDS_IN);
  if (!isConfigName(nameOf(path)) && !/\.ya?ml$/.test(path)) return facts;
  for (const member of members) scripted(path, member, add);
  if (SECTIONED.test(path)) for (const member of iniMembers(source)) sectioned(member, add);
  if (LISTED.test(path)) for (const member of yamlMembers(source)) scripted(path, member, add);
  if (RECIPES.test(path))
    for (const { keys, value, line } of recipeMembers(source))
      for (const fact of commandFacts(keys.join('.'), value, line, sortOf(keys.at(-1) ?? ''))) add(fact);
  for (const [kind, file, form, head] of configs().flatMap(({ lines = [] }) => lines)) {
    if (!file.test(path)) continue;
    const lines = source.split('\n');
    for (const [at, raw] of lines.entries()) {
      const line = raw.slice(0, 400).trim();
      const match = form.exec(path.includes('.gradle') ? `${headOf(lines, at)} ${line}` : line);
      if (line.startsWith('#') || line.startsWith('//') || match === null) continue;
      if (head?.test(headOf(lines, at)) === false) continue;
      const about = /\.ya?ml$/.test(path) ? testIn(lines, at) : line;
      const note = noting(nameOf(path), line, add);
      if (kind === 'reach') note('reach', match[1]);
      else if (kind === 'only') note('deselect', `only ${line}`);
      else if (about !== null)
        add({ kind, words: `${kind} ${about}`.slice(0, 180) + (head ? BY_HOOK : ''), line, value: 0 });
    }
  }
  return facts;
}

const MOST_OF_A_BLOCK = 50;

/** The line with which the block around a line begins. */
function headOf(lines: readonly string[], at: number): string {
  const depth = (lines[at] ?? '').search(/\S/);
  return (
    lines
      .slice(Math.max(0, at - MOST_OF_A_BLOCK), at)
      .findLast((line) => /\S/.test(line) && line.search(/\S/) < depth) ?? ''
  );
}

const MOST_OF_A_JOB = 400;

/** The command that runs tests in the step or job of a pipeline whose member stands at a line; null where none does. */
function testIn(lines: readonly string[], at: number): string | null {
  // The first member of a list's item stands behind the dash.
  const depth = (line: string): number => /^[\s-]*/.exec(line)?.[0].length ?? 0;
  const inside = depth(lines[at] ?? '');
  const isOut = (line: string): boolean => line.trim() !== '' && depth(line) < inside;
  const isItem = (line: string): boolean => /^\s*- /.test(line) && depth(line) === inside;
  let from = at;
  while (from > 0 && at - from < MOST_OF_A_JOB && !isItem(lines[from] ?? '') && !isOut(lines[from - 1] ?? ''))
    from--;
  let to = at + 1;
  while (to < lines.length && to - at < MOST_OF_A_JOB && !isOut(lines[to] ?? '') && !isItem(lines[to] ?? ''))
    to++;
  for (const line of lines.slice(from, to)) {
    const command = line.replace(/^[\s-]*(?:(?:run|script|command|test):)?\s*["'|>]?/, '').trim();
    if (command !== '' && !/^\w[\w-]*:/.test(command) && runsTests(command)) return command;
  }
  return null;
}

const TEST_SCRIPT = /^(?:test|tests|check|verify|spec|e2e|unit|coverage)(?:[:._-][\w:.-]*)?$/;

/** What a script or a target of that name is for; of others that of tests. */
function sortOf(name: string): Sort {
  const kind = TEST_SCRIPT.test(name) ? 'test' : scriptKind(name);
  return kind === 'types' || kind === 'lint' ? kind : 'test';
}

const LEFT_OUT = new Set(configWords('leavesOut'));
const LET_THROUGH = new Set(configWords('letsThrough'));
const REACHES = new Set(configWords('reaches'));
const SECTIONS = new Set(configWords('sections'));
/** Left out by everybody: no tests of the project are there. */
const USUAL =
  /node_modules|(?:^|[/*<>.\\])(?:dist|build|out|coverage|vendor|target|fixtures?|__fixtures__|\.?venv|\.git|\.next|\.nuxt|\.cache|\.tox|\.idea|lib|cypress|\.output|worktrees)(?:[/*\\$]|$)/;

/** By these pytest finds what it would find by itself. */
const USUAL_NAMES = /^\*?(?:[tT]ests?_?)?\*?(?:\.py)?$|^\*_test\.py$/;

type Add = (fact: Fact) => void;

const noting =
  (where: string, line: string, add: Add) =>
  (kind: Fact['kind'], words = ''): void =>
    add({ kind, words: `${kind} ${where} ${words}`.slice(0, 200).trimEnd(), line, value: 0 });

function scripted(path: string, { keys, value, line }: Member, add: Add): void {
  const last = keys.at(-1) ?? '';
  const where = keys.join('.');
  const note = noting(where, line, add);
  const isPackage = /(?:^|\/)(?:package|deno|composer|project|turbo|nx)\.jsonc?$/.test(path);
  if (isPackage && /^(?:scripts|tasks)$/.test(keys[0] ?? '')) {
    const sort = sortOf(last);
    if (keys.length === 2 && (TEST_SCRIPT.test(last) || sort !== 'test'))
      for (const fact of commandFacts(where, value, line, sort)) add(fact);
    return;
  }
  if (isPackage && !SECTIONS.has(keys[0] ?? '')) return;
  const isCoverage =
    keys.some((key) => /coverage|nyc|c8|typecheck|benchmark/i.test(key)) || /\.(?:nycrc|c8rc)/.test(path);
  const number = Number(value);
  const isThreshold =
    keys.some((key) => /threshold/i.test(key)) ||
    (isCoverage && /^(?:lines|branches|functions|statements)$/.test(last));
  if (isThreshold && value !== '' && Number.isFinite(number) && number >= 0)
    add({ kind: 'threshold', words: `threshold ${where}`, line, value: number });
  if (LET_THROUGH.has(last) && value === 'true') note('loosen');
  if (isCoverage) return;
  const isOfTests = keys.some((key) => SECTIONS.has(key)) || SECTIONS.has(runnerOf(path));
  if (REACHES.has(last) && isOfTests && /^\S+$/.test(value)) note('reach', value);
  const isInside = keys.some((key) => SECTIONS.has(key)) || (isOfTests && keys.length === 1);
  const isExclude = /^(?:exclude|ignore)$/.test(last) && isInside;
  if ((LEFT_OUT.has(last) || isExclude) && !USUAL.test(value) && value !== '') note('deselect', value);
}

/** `jest.config.js`, `.mocharc.json`: what a configuration is called after. */
function runnerOf(path: string): string {
  return /^\.?(\w+?)(?:rc)?(?:\.|$)/.exec(nameOf(path))?.[1] ?? '';
}

function sectioned({ keys, value, line }: Member, add: Add): void {
  const [section = '', last = ''] = [keys[0], keys.at(-1)];
  const where = keys.join('.');
  const rows = configs().flatMap(({ members = [] }) => members);
  const [, , means, program] =
    rows.find(([inside, member]) => inside.test(section) && member.test(last)) ?? [];
  const note = noting(where, line, add);
  const words = value.split(/[\s,[\]"']+/).filter((word) => word !== '');
  switch (means) {
    case 'options':
      for (const fact of commandFacts(where, `${program} ${asWords(value)}`, line))
        if (fact.kind !== 'runs') add(fact);
      return;
    case 'command':
      for (const fact of commandFacts(where, value, line)) add(fact);
      return;
    case 'threshold':
      if (Number.isFinite(Number(value)))
        add({ kind: 'threshold', words: `threshold ${where}`, line, value: Number(value) });
      return;
    case 'loosens':
      if (/^true$/i.test(value)) note('loosen');
      return;
    case 'leaves-out':
      for (const word of words) if (!USUAL.test(`/${word}/`) && !/^\.|\{/.test(word)) note('deselect', word);
      return;
    case 'chooses':
      if (words.length > 0 && !words.some((word) => USUAL_NAMES.test(word)))
        note('deselect', `only ${words.join()}`);
      return;
    case 'reaches':
      for (const word of words) note('reach', word);
      return;
    case 'runs-tests':
      if (value === 'false') note('deselect');
  }
}

/** Options over several lines, or in a list of TOML, as a command line has them. */
function asWords(value: string): string {
  if (!value.startsWith('[')) return value.replaceAll('\n', ' ');
  const words = [...value.matchAll(/"([^"\n]*)"|'([^'\n]*)'/g)].map(
    ([, double, single]) => double ?? single ?? '',
  );
  return words.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
}
