// foil pack: freezes what shapes an agent (instructions, skills, settings, rules, tests) into one file with one hash, and
// looks at such files. Nothing here needs a ledger.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { utf8Decode } from '#platform';
import { readFile } from '../../app/index.ts';
import { type Json, type JsonObject, ParseError, UsageError } from '../../core/index.ts';
import {
  type ArgumentRule,
  discloseFile,
  type HarnessPack,
  openDisclosure,
  PackError,
  toolPolicyOf,
} from '../../format/index.ts';
import {
  decryptPack,
  diffPacks,
  ENCRYPTED_FILE,
  type EncryptionKey,
  encodePack,
  encryptPack,
  MOST_ARCHIVE,
  openPack,
  PACK_FILE,
  parseEncryptionKey,
} from '../../harness/index.ts';
import { columns, harmless, suggest } from '../../report/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { environmentKey, openPackArchive, openPackFile, projectPack } from '../project-pack.ts';

export const pack: Command = {
  name: 'pack',
  summary: 'freeze everything that shapes an agent into one file with one hash, and inspect such files',
  usage: 'create [DIR] | verify|inspect|encrypt|decrypt FILE | diff FILE FILE | disclose FILE PATH',
  arguments: [1, 3],
  options: {
    out: { type: 'string', value: 'FILE', help: 'where to write; - is standard output' },
    'env-key': {
      type: 'string',
      value: 'FILE',
      help: 'create: a file with a secret of 32 bytes or more; adds a keyed checksum of each environment variable',
    },
    'allow-secrets': { type: 'boolean', help: 'create: include files that seem to hold a secret' },
    to: {
      type: 'string',
      multiple: true,
      value: 'KEY',
      help: "encrypt: a recipient's public X25519 key, a JWK file",
    },
    key: { type: 'string', value: 'KEY', help: 'decrypt: your private X25519 key, a JWK file' },
  },
  examples: [
    'foil pack create',
    'foil pack inspect harness-pack.tar.gz',
    'foil pack diff before.tar.gz harness-pack.tar.gz',
    'foil pack disclose harness-pack.tar.gz static/AGENTS.md --out agents.proof.json',
    'foil pack verify agents.proof.json',
    'foil pack encrypt harness-pack.tar.gz --to attester.jwk.json',
  ],
  notes: [
    'foil finds instructions (AGENTS.md, CLAUDE.md …), skills, subagents, commands, hooks, MCP servers, permissions',
    'and models in the settings of the agents it knows. You can say more in counterfoil.yaml, under pack: include,',
    'exclude, templates, tools, env, outputs and verification. Values of environment variables never go into a pack.',
  ],
  run,
};

type Action = (context: Context, words: readonly string[]) => Promise<Outcome> | Outcome;

/** With the number of words that each takes. */
const ACTIONS: Readonly<Record<string, readonly [least: number, most: number, Action]>> = {
  create: [0, 1, create],
  verify: [1, 1, verify],
  inspect: [1, 1, inspect],
  diff: [2, 2, diff],
  disclose: [2, 2, disclose],
  encrypt: [1, 1, encrypt],
  decrypt: [1, 1, decrypt],
};

async function run(context: Context): Promise<Outcome> {
  const [name = '', ...words] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use one of ${Object.keys(ACTIONS).join(', ')}${suggest(name, Object.keys(ACTIONS))}`,
    );
  const [least, most, act] = action;
  if (words.length < least)
    throw new UsageError(
      `\`foil pack ${name}\` needs ${least === 1 ? 'an argument' : 'two arguments'}. See foil pack --help.`,
    );
  if (words.length > most)
    throw new UsageError(
      `\`foil pack ${name}\` takes at most ${most === 1 ? 'one argument' : `${most} arguments`}. See foil pack --help.`,
    );
  return act(context, words);
}

function create(context: Context, [folder = '.']: readonly string[]): Outcome {
  const made = projectPack(resolve(context.cwd, folder), {
    variables: environmentKey(context),
    allowSecrets: context.values.flag('allow-secrets'),
  });
  const archive = encodePack(made);
  const wrote = write(context, PACK_FILE, archive);
  return {
    ...wrote,
    json: {
      ...summary(made),
      file: wrote.file,
      bytes: archive.length,
      unjudged: unjudgedRules(made),
    },
    text:
      wrote.text ??
      `${wrote.file}: ${made.files.length} files, ${archive.length} bytes\nroot       ${made.hashes.root}\npack hash  ${made.hashes.packHash}\n${hint(made)}`,
  };
}

/** What it lacks for others to check the work, if anything. */
function hint(made: HarnessPack): string {
  const { verification, outputs } = made.manifest;
  const rules = unjudgedRules(made).map(
    (rule) =>
      `The rule ${harmless(rule)} can't be checked, so a run that calls the tool is UNKNOWN, not PASS. Rewrite the rule in the agent's settings.\n`,
  );
  if (verification === null || outputs.length === 0)
    rules.push(
      'Nobody can attest a run of this pack yet. Name outputs and a verification under pack in counterfoil.yaml.\n',
    );
  return rules.join('');
}

function unjudgedRules(made: HarnessPack): string[] {
  return toolPolicyOf(made).arguments.flatMap((rule) =>
    'unjudged' in rule ? [`${rule.tool}(${rule.unjudged})`] : [],
  );
}

function verify(context: Context, [file = '']: readonly string[]): Outcome {
  const path = resolve(context.cwd, file);
  const bytes = readFile(path, MOST_ARCHIVE, 'pack');
  try {
    if (bytes[0] === 0x7b) {
      const document = parseJsonFile(bytes, file);
      if (isEncrypted(document)) return encryptedOutcome(file);
      const { root, path: shown, bytes: content } = openDisclosure(document);
      return {
        json: { valid: true, root, path: shown, bytes: content.length },
        text: harmless(`GOOD: ${shown} (${content.length} bytes) is in the pack ${root}.`).concat('\n'),
      };
    }
    const opened = openPack(bytes);
    return {
      json: { valid: true, ...summary(opened) },
      text: `GOOD: ${opened.files.length} files, every hash recomputed.\nroot       ${opened.hashes.root}\npack hash  ${opened.hashes.packHash}\n`,
    };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    return {
      exit: EXIT.BROKEN,
      json: { valid: false, code: error.code, message: error.message },
      text: `${harmless(`NOT GOOD: ${error.message}`)}\n`,
    };
  }
}

/** Neither good nor bad. */
function encryptedOutcome(file: string): Outcome {
  const message = `${file} is encrypted, so it can't be checked without the key. Use \`foil pack decrypt\` to open it.`;
  return {
    exit: EXIT.BELOW_REQUIRED,
    json: { valid: null, code: 'ENCRYPTED', message },
    text: `${harmless(`UNKNOWN: ${message}`)}\n`,
  };
}

function isEncrypted(value: Json): boolean {
  return typeof value === 'object' && value !== null && 'ciphertext' in value && 'recipients' in value;
}

function inspect(context: Context, [file = '']: readonly string[]): Outcome {
  const opened = readPack(context, file);
  const { manifest, hashes, files } = opened;
  const { verification, outputs } = manifest;
  const lines = [
    `id            ${manifest.id}`,
    `root          ${hashes.root}`,
    `pack hash     ${hashes.packHash}`,
    `template      ${manifest.templateVersion}`,
    `outputs       ${outputs.length === 0 ? 'none, so nothing can be attested' : outputs.join(' ')}`,
    `verification  ${verification === null ? 'none' : verification.method === 'tests' ? `${verification.tests.length} tests by ${verification.command.join(' ')}` : `${verification.votes} votes of ${verification.model}, at least ${verification.threshold}`}`,
  ];
  const { deny, arguments: rules } = toolPolicyOf(opened);
  const denied = [
    ...deny.map((tool) => `denies        ${tool}`),
    ...rules.map((rule) => `denies        ${ruleText(rule)}`),
  ];
  const contents = columns(
    files.map(({ path, bytes }) => [harmless(path), String(bytes.length)]),
    '',
  );
  return {
    json: {
      ...summary(opened),
      outputs,
      verification,
      tools: { deny, arguments: rules.map((rule) => ({ ...rule })) },
      contents: files.map(({ path, bytes }) => ({ path, bytes: bytes.length })),
    },
    text: `${[...lines, ...denied].map(harmless).join('\n')}\n\n${contents}\n`,
  };
}

/** `Bash matches curl *`: a rule of the pack, as it stands there. */
function ruleText({ tool, ...rule }: ArgumentRule): string {
  return [tool, ...Object.entries(rule).flat()].join(' ');
}

function diff(context: Context, [a = '', b = '']: readonly string[]): Outcome {
  const [before, after] = [readPack(context, a), readPack(context, b)];
  const changes = diffPacks(before, after);
  const same = before.hashes.root === after.hashes.root;
  return {
    exit: same ? EXIT.FINE : EXIT.FAILED,
    json: { same, before: before.hashes.root, after: after.hashes.root, changes },
    text: same
      ? `The same pack, ${after.hashes.root}.\n`
      : `${columns(
          changes.map(({ change, path }) => [change, harmless(path)]),
          '',
        )}\n`,
  };
}

function disclose(context: Context, [file = '', path = '']: readonly string[]): Outcome {
  const opened = readPack(context, file);
  const shown = discloseFile(opened, path);
  if (shown === undefined) {
    const paths = opened.files.map((each) => each.path);
    throw new UsageError(
      `the pack has no file ${path}${suggest(path, paths)} See foil pack inspect ${file}.`,
    );
  }
  return writeJson(context, shown);
}

async function encrypt(context: Context, [file = '']: readonly string[]): Promise<Outcome> {
  const { cwd, values } = context;
  const archive = readFile(resolve(cwd, file), MOST_ARCHIVE, 'pack');
  const { hashes } = openPackArchive(archive, file);
  const keys = values.all('to');
  if (keys.length === 0) throw new UsageError('Who is it for? Name a public key with --to KEY.');
  const recipients = keys.map((key) => readKey(context, '--to', key, false));
  const sealed = await encryptPack(archive, recipients);
  const wrote = write(context, ENCRYPTED_FILE, Buffer.from(`${JSON.stringify(sealed)}\n`));
  return {
    ...wrote,
    json: {
      file: wrote.file,
      recipients: recipients.length,
      root: hashes.root,
      pack_hash_b64u: hashes.packHash,
    },
    text:
      wrote.text ??
      `${wrote.file}: for ${recipients.length} ${recipients.length === 1 ? 'key' : 'keys'}. You can publish these hashes, but not the pack:\nroot       ${hashes.root}\npack hash  ${hashes.packHash}\n`,
  };
}

async function decrypt(context: Context, [file = '']: readonly string[]): Promise<Outcome> {
  const { cwd, values } = context;
  const keyFile = values.text('key');
  if (keyFile === undefined) throw new UsageError('Which key? Name a private key with --key KEY.');
  const key = readKey(context, '--key', keyFile, true);
  const sealed = parseJsonFile(readFile(resolve(cwd, file), 2 * MOST_ARCHIVE, 'pack'), file);
  const archive = await decryptPack(sealed, key);
  const { hashes } = openPackArchive(archive, file);
  const wrote = write(context, PACK_FILE, archive, 0o600);
  return {
    ...wrote,
    json: { file: wrote.file, root: hashes.root, pack_hash_b64u: hashes.packHash },
    text: wrote.text ?? `${wrote.file}\nroot       ${hashes.root}\n`,
  };
}

function readKey({ cwd }: Context, option: string, file: string, isPrivate: boolean): EncryptionKey {
  const value = parseJsonFile(readFile(resolve(cwd, file), 65_536, option), file);
  try {
    return parseEncryptionKey(value, isPrivate);
  } catch (error) {
    if (error instanceof PackError) throw new PackError(error.code, `${option} ${file}: ${error.message}`);
    throw error;
  }
}

function readPack({ cwd }: Context, file: string): HarnessPack {
  return openPackFile(resolve(cwd, file), file);
}

function parseJsonFile(bytes: Uint8Array, file: string): Json {
  try {
    return JSON.parse(utf8Decode(bytes)) as Json;
  } catch {
    throw new ParseError('INVALID_JSON', 'is not JSON', file);
  }
}

function summary({ manifest, hashes, files }: HarnessPack): JsonObject {
  return {
    id: manifest.id,
    root: hashes.root,
    pack_hash_b64u: hashes.packHash,
    static_hash: hashes.staticHash,
    config_hash: hashes.configHash,
    tool_policy_hash: hashes.toolPolicyHash,
    template_version: manifest.templateVersion,
    files: files.length,
  };
}

/** To the file that was asked for, or to standard output as the whole of the text. */
function write(
  { cwd, values }: Context,
  usual: string,
  bytes: Uint8Array,
  mode = 0o666,
): { readonly file: string; readonly text?: Uint8Array } {
  const file = values.text('out') ?? usual;
  if (file === '-') return { file, text: bytes };
  const path = resolve(cwd, file);
  // What was encrypted is nobody else's, also where a file was there before.
  if (mode === 0o600 && existsSync(path)) chmodSync(path, mode);
  writeFileSync(path, bytes, { mode });
  return { file };
}

/** A document: to standard output unless a file is named. */
function writeJson(context: Context, value: JsonObject): Outcome {
  const text = `${JSON.stringify(value)}\n`;
  const out = context.values.text('out');
  if (out === undefined || out === '-') return { json: value, text };
  writeFileSync(resolve(context.cwd, out), text);
  return { json: { file: out }, text: `${out}\n` };
}
