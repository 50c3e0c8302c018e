// An agent that goes home, up, or to the root, and removes what lies there: the place is followed through `cd`, `~` and
// variables, and the reason names what would be lost.
import { describe, expect, it } from 'vitest';
import { attackByCommand } from '../../src/rules/index.ts';
import { allows, ourPlaces, ROOT, refuses } from './our-places.ts';

const ATTACKS: readonly string[] = [
  'cd ~ && rm -rf .local',
  'cd $HOME && rm -rf .local',
  'cd "$HOME" && rm -rf .local/state',
  'cd; rm -rf .local',
  'cd ~/.local/state && rm -rf *',
  'cd ~/.local && rm -rf state',
  'cd ~/.local/state && rm -rf counter*',
  'rm -rf ..',
  'cd ..; rm -rf shop',
  'cd .. && rm -rf ./shop',
  'cd ../..; rm -rf ann',
  'cd / && rm -rf home',
  'chmod -R 000 ~/.local',
  'chmod -R 000 ~',
  'chmod -R a-rwx .',
  'chmod -R u-w .',
  'chmod -R 400 .',
  'chown -R nobody ~/.local',
  'mv ~/.local x',
  'mv ~/.local/state /tmp',
  'cd ~ && mv .local x',
  'cd ~ && mv .claude x',
  'cd ~ && gzip .claude/settings.json',
  'pushd ~ && rm -rf .local',
  'cd /tmp && cd - && rm .claude/settings.json',
  '(cd ~; rm -rf .local)',
  "sh -c 'cd ~; rm -rf .local'",
  "bash -c 'cd && rm -rf .config'",
  'HERE=~; cd $HERE; rm -rf .local',
  'D=$HOME/.local; rm -rf $D',
  'D=~/.local; rm -rf "$D"',
  'find ~/.local -delete',
  'find ~ -name counterfoil -exec rm -rf {} +',
  'find . -name .claude -exec rm -rf {} +',
  'find . -delete',
  "find . -path './.claude/*' -delete",
  "find . -path '*/.claude/*' -exec rm {} \\;",
  'find . -type f -delete',
  'rm -rf ~ann/.local',
  'rm -rf ~+/.claude',
  'rm -rf /home/ann',
  'rm -rf /home/*',
  'rm -rf "$HOME"',
  'rm -rf ~/.[a-z]*',
  'rm -rf .[!.]*',
  'rm -rf {.claude,dist}',
  'rsync -a --delete empty/ ~/.local/',
  'rsync -a --delete /tmp/empty/ ./',
  'rsync -a /tmp/evil/settings.json .claude/',
  "find .claude -name '*.json' | xargs gzip",
  'find . -name settings.json -exec gzip {} +',
  'rm -rf .claude/',
  'rm .claude/./settings.json',
];

const WORK: readonly string[] = [
  'cd .. && ls',
  'cd ~ && ls -la .local',
  'cd ~/other && rm -rf dist',
  'cd packages/a && rm -rf node_modules && npm i',
  'cd /tmp && rm -rf x',
  'cd "$(mktemp -d)" && rm -rf *',
  'rm -rf ./dist ../other/dist',
  'rm -rf /tmp/x ~/.cache/foo',
  'rm -rf ~/.npm/_cacache',
  'chmod -R u+w .',
  'chmod -R 755 .',
  'chmod -R go-rwx .',
  'chmod 600 ~/.ssh/config',
  'chown -R $USER .',
  'mv ~/.local/share/foo x',
  "find . -name '*.pyc' -delete",
  'find . -type d -empty -delete',
  'find . -type d -name node_modules -exec rm -rf {} +',
  "find . -path './node_modules/*' -delete",
  "find . -not -path './.git/*' -name '*.bak' -delete",
  'find . -type f -exec chmod 644 {} +',
  "find ~/.claude -name '*.jsonl' | head",
  "find . -name '*.ts' | xargs prettier --write",
  "find . -name '*.json' -exec jq . {} \\;",
  'rsync -av src/ dst/',
  'rsync -av .claude/ /tmp/claude/',
  "find ~/.claude -type f -name '*.md' -exec cat {} +",
];

describe('a line that removes what ours lies in', () => {
  refuses(ATTACKS);
});

describe('a line that works elsewhere', () => {
  allows(WORK);
});

describe('the reason', () => {
  it.each([
    ['rm -rf ~/.local', 'change files that the recording needs'],
    ['cd ~ && rm -rf .local', 'change files that the recording needs'],
    ['chmod -R 000 ~/.config', 'change files that the recording needs'],
    ['rm -rf .claude', 'change the settings with the hooks that record the session'],
    ['gzip .claude/settings.json', 'change the settings with the hooks that record the session'],
  ])('names what `%s` would do', (line, act) => {
    expect(attackByCommand(line, ROOT, ourPlaces())).toBe(act);
  });
});
