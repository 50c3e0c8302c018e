// Packs made and read as sets of files. The hashes themselves are held by test/harness/vectors.test.ts.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize, type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  buildPack,
  discloseFile,
  type HarnessPack,
  openDisclosure,
  type PackManifest,
  parsePackSettings,
  readPackFiles,
  type TreeFile,
} from '../../src/format/index.ts';
import { refusalOf } from '../harness/pack-vectors.ts';
import { file } from './tar-writer.ts';

const MANIFEST: PackManifest = { id: 'harness', templateVersion: 'none', outputs: [], verification: null };
const POLICY = file('config/tool-policy.json', '{"arguments":[],"deny":[]}');
const AGENTS = file('static/AGENTS.md', 'Be brief.\n');
const TESTS = {
  method: 'tests',
  command: ['node', '--test'],
  report: 'tap',
  reportFile: null,
  tests: ['adds'],
  timeoutSeconds: 300,
} as const;

const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const manifestOf = ({ files }: HarnessPack): JsonObject => {
  const found = files.find(({ path }) => path === 'manifest.json');
  return JSON.parse(Buffer.from(found?.bytes ?? []).toString()) as JsonObject;
};
const replaced = (pack: HarnessPack, manifest: JsonObject): TreeFile[] =>
  pack.files.map((each) => (each.path === 'manifest.json' ? file(each.path, canonicalize(manifest)) : each));

describe('a pack', () => {
  it('C1 says in its manifest what the specification lists, and nothing else', () => {
    const pack = buildPack({ ...MANIFEST, outputs: ['src/**'], verification: TESTS }, [AGENTS, POLICY]);
    const empty = { arguments: [], deny: [] };
    const staticHash = sha256(JSON.stringify([['static/AGENTS.md', sha256('Be brief.\n')]]));
    const configHash = sha256(JSON.stringify({ 'tool-policy.json': empty }));
    const whole = Buffer.concat([Buffer.from(staticHash + configHash, 'hex'), Buffer.from('none')]);
    expect(manifestOf(pack)).toEqual({
      schema: 'harness_pack.v1',
      id: 'harness',
      template_version: 'none',
      outputs: ['src/**'],
      verification: {
        method: 'tests',
        command: ['node', '--test'],
        report: 'tap',
        report_file: null,
        tests: ['adds'],
        timeout_seconds: 300,
      },
      static_file_hashes: { 'static/AGENTS.md': sha256('Be brief.\n') },
      file_hashes: { 'config/tool-policy.json': sha256(JSON.stringify(empty)) },
      static_hash: staticHash,
      config_hash: configHash,
      tool_policy_hash: sha256(JSON.stringify(empty)),
      pack_hash_b64u: createHash('sha256').update(whole).digest('base64url'),
    });
  });

  it('C1 is the same whatever order its files come in', () => {
    const files = [AGENTS, POLICY, file('template/a'), file('env/variables.json', '{}'), file('static/b')];
    const pack = buildPack(MANIFEST, files);
    fc.assert(
      fc.property(fc.shuffledSubarray(files, { minLength: files.length }), (shuffled) => {
        expect(buildPack(MANIFEST, shuffled)).toEqual(pack);
        expect(readPackFiles([...pack.files].reverse())).toEqual(pack);
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['a static file', { static: true, config: false, root: true }, file('static/AGENTS.md', 'Be long.\n')],
    ['a setting', { static: false, config: true, root: true }, file('config/x.json', '1')],
    ['a template', { static: false, config: false, root: true }, file('template/t', 'x')],
    ['a variable', { static: false, config: false, root: true }, file('env/variables.json', '{"A":null}')],
    ['a test', { static: false, config: false, root: true }, file('verification/t.js', 'x')],
  ])('C2 has other hashes for %s: %j', (_, changes, changed) => {
    const before = buildPack(MANIFEST, [AGENTS, POLICY]).hashes;
    const kept = [AGENTS, POLICY].filter(({ path }) => path !== changed.path);
    const { hashes } = buildPack(MANIFEST, [...kept, changed]);
    expect(hashes.staticHash !== before.staticHash).toBe(changes.static);
    expect(hashes.configHash !== before.configHash).toBe(changes.config);
    expect(hashes.packHash !== before.packHash).toBe(changes.static || changes.config);
    expect(hashes.root !== before.root).toBe(changes.root);
  });

  it.each([
    ['the id', { id: 'other' }, false],
    ['the outputs', { outputs: ['x'] }, false],
    ['the verification', { verification: TESTS }, false],
    ['the version of the template', { templateVersion: '2' }, true],
  ])('C2 has another root for %s', (_, change, inPackHash) => {
    const before = buildPack(MANIFEST, [AGENTS, POLICY]).hashes;
    const { hashes } = buildPack({ ...MANIFEST, ...change }, [AGENTS, POLICY]);
    expect(hashes.root).not.toBe(before.root);
    expect(hashes.packHash !== before.packHash).toBe(inPackHash);
  });

  it('can hold names that objects have by themselves', () => {
    const odd = ['config/__proto__', 'config/constructor', 'static/__proto__', 'template/toString'];
    const pack = buildPack(MANIFEST, [POLICY, ...odd.map((path) => file(path, '{"__proto__":1}'))]);
    expect(readPackFiles(pack.files)).toEqual(pack);
    const without = buildPack(MANIFEST, [
      POLICY,
      ...odd.slice(1).map((path) => file(path, '{"__proto__":1}')),
    ]);
    expect(without.hashes.configHash).not.toBe(pack.hashes.configHash);
  });

  it.each([
    ['NO_TOOL_POLICY', [AGENTS]],
    ['STRAY_FILE', [POLICY, file('README.md')]],
    ['STRAY_FILE', [POLICY, file('statics/a')]],
    ['STRAY_FILE', [POLICY, file('Static/a')]],
    ['STRAY_FILE', [POLICY, file('static')]],
    ['BAD_CONFIG', [POLICY, file('config/x.json', '{ }')]],
    ['BAD_CONFIG', [POLICY, file('config/x.json')]],
    ['BAD_CONFIG', [file('config/tool-policy.json', '{"deny":[],"arguments":[]}')]],
    ['BAD_PATH', [POLICY, file('static/../x')]],
    ['DOUBLED_PATH', [POLICY, AGENTS, file('static/agents.md')]],
    ['STRAY_FILE', [POLICY, file('manifest.json', '{}')]],
  ])('is not made where it would be refused: %s', (code, files) => {
    expect(refusalOf(() => buildPack(MANIFEST, files))).toBe(code);
  });

  it('is refused for any manifest but its own', () => {
    const pack = buildPack({ ...MANIFEST, verification: TESTS }, [AGENTS, POLICY]);
    const manifest = manifestOf(pack);
    for (const name of Object.keys(manifest))
      for (const value of [undefined, null, 0, '', 'x', [], {}, [1], { a: 1 }, true]) {
        const { [name]: own, ...others } = manifest;
        if (canonicalize(own ?? null) === canonicalize(value ?? 'no such value')) continue;
        // These say what the project says: another text is another pack, with its own root.
        const isFree =
          (name === 'id' && typeof value === 'string') ||
          (name === 'outputs' && Array.isArray(value) && value.length === 0) ||
          (name === 'verification' && value === null);
        const changed = value === undefined ? others : { ...others, [name]: value };
        const code = refusalOf(() => readPackFiles(replaced(pack, changed as JsonObject)));
        if ((code === undefined) !== isFree) throw new Error(`${name} = ${JSON.stringify(value)}: ${code}`);
      }
  });

  it('gives nothing but a PackError for a manifest of any JSON', () => {
    const pack = buildPack(MANIFEST, [AGENTS, POLICY]);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const files = pack.files.map((each) =>
          each.path === 'manifest.json' ? file(each.path, text) : each,
        );
        expect(refusalOf(() => readPackFiles(files))).toBe('BAD_MANIFEST');
      }),
    );
  });

  it('gives nothing but a PackError for a verification of any JSON', () => {
    const pack = buildPack({ ...MANIFEST, verification: TESTS }, [AGENTS, POLICY]);
    const manifest = manifestOf(pack);
    const own = manifest.verification as JsonObject;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(own)), fc.jsonValue(), (name, value) => {
        const verification = { ...own, [name]: value } as JsonObject;
        const code = refusalOf(() => readPackFiles(replaced(pack, { ...manifest, verification })));
        expect([undefined, 'BAD_MANIFEST']).toContain(code);
      }),
    );
  });
});

describe('C2 a disclosure', () => {
  const others = Array.from({ length: 7 }, (_, i) => file(`static/${i}.md`, `words ${i}`));
  const pack = buildPack(MANIFEST, [AGENTS, POLICY, ...others]);

  it('proves each file of a pack, and carries nothing of the others', () => {
    for (const { path, bytes } of pack.files) {
      const shown = discloseFile(pack, path) as JsonObject;
      expect(openDisclosure(shown)).toEqual({ root: pack.hashes.root, path, bytes });
      for (const other of pack.files)
        if (other.path !== path) expect(JSON.stringify(shown)).not.toContain(other.path);
    }
  });

  it('is not made of a file that is not there', () => {
    expect(discloseFile(pack, 'static/none.md')).toBeUndefined();
  });

  it('gives nothing but a ParseError for any other JSON', () => {
    const shown = discloseFile(pack, AGENTS.path) as JsonObject;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(shown)), fc.jsonValue(), (name, value) => {
        if (canonicalize(shown[name] ?? null) === JSON.stringify(value)) return;
        expect(() => openDisclosure({ ...shown, [name]: value } as JsonObject)).toThrow(ParseError);
      }),
    );
    for (const value of [null, [], 'x', 1]) expect(() => openDisclosure(value)).toThrow(ParseError);
  });
});

describe('what a project says of its pack', () => {
  const refused = (value: JsonObject): string => {
    try {
      parsePackSettings(value);
    } catch (error) {
      expect(error).toBeInstanceOf(ParseError);
      return (error as ParseError).message;
    }
    throw new Error('was taken');
  };
  const verification = { method: 'tests', command: ['node', '--test'], tests: ['adds'] };

  it('may be nothing, or auto', () => {
    expect(parsePackSettings(null).auto).toBe(false);
    expect(parsePackSettings('auto').auto).toBe(true);
    expect(parsePackSettings({ auto: true }).auto).toBe(true);
  });

  it('has defaults for tests', () => {
    expect(parsePackSettings({ verification }).verification).toEqual({ ...TESTS, tests: ['adds'] });
  });

  it('names a rubric as it lies in the project, and packs it', () => {
    const rubric = { method: 'rubric', rubric: 'docs/rubric.md', model: 'm', votes: 3, threshold: 70 };
    const { verification: read, verificationFiles } = parsePackSettings({ verification: rubric });
    expect(read).toEqual({ ...rubric, rubric: 'verification/docs/rubric.md' });
    expect(verificationFiles).toEqual(['docs/rubric.md']);
  });

  it.each<[member: string, value: JsonObject]>([
    ['pack.incldue', { incldue: [] }],
    ['pack.auto', { auto: 'yes' }],
    ['pack.id', { id: '' }],
    ['pack.id', { id: 'x'.repeat(129) }],
    ['pack.template_version', { template_version: 2 }],
    ['pack.include', { include: 'src/**' }],
    ['pack.templates', { templates: [1] }],
    ['pack.exclude', { exclude: {} }],
    ['pack.outputs', { outputs: Array.from({ length: 257 }, () => 'x') }],
    ['pack.tools', { tools: ['Bash'] }],
    ['pack.env', { env: { A: 'b' } }],
    ['pack.verification', { verification: 'tests' }],
    ['pack.verification.method', { verification: { method: 'hope' } }],
    ['pack.verification.tests', { verification: { ...verification, tests: [] } }],
    ['pack.verification.tests', { verification: { ...verification, tests: ['a', 'a'] } }],
    ['pack.verification.command', { verification: { ...verification, command: 'npm test' } }],
    ['pack.verification.command', { verification: { ...verification, command: [] } }],
    ['pack.verification.report', { verification: { ...verification, report: 'text' } }],
    ['pack.verification.timeout_seconds', { verification: { ...verification, timeout_seconds: 0 } }],
    ['pack.verification.timeout_seconds', { verification: { ...verification, timeout_seconds: 3601 } }],
    ['pack.verification.files', { verification: { ...verification, files: 'test/**' } }],
    ['pack.verification.rubric', { verification: { ...verification, rubric: 'x' } }],
  ])('is refused by the name of its member: %s', (member, value) => {
    expect(refused(value)).toMatch(new RegExp(`counterfoil\\.yaml: ${member.replaceAll('.', '\\.')}\\b`));
  });
});
