// Code on a command line, of python, node, perl and their kin, that writes our files, runs our commands or kills our
// processes; and code that only reads or prints such words.
import { describe } from 'vitest';
import { allows, refuses } from './our-places.ts';

const ATTACKS: readonly string[] = [
  'python3 rewrite.py --file=.claude/settings.json',
  'awk \'{print > ".claude/settings.json"}\' x',
  'awk -v f=.claude/settings.local.json \'BEGIN{print "{}" > f}\'',
  'awk -vf=.claude/settings.local.json \'BEGIN{printf "{}" > f}\'',
  'awk \'BEGIN{f=".claude/settings.json"; print "{}" > f}\'',
  "awk '{print > f}' f=.claude/settings.local.json x",
  'awk -i inplace 1 .claude/settings.json',
  'python3 -c "import os; os.kill(4242, 9)"',
  'node -e "process.kill(4242)"',
  'node -e "process.kill(process.ppid)"',
  "perl -e 'kill 9, 4242'",
  "python3 -c \"import subprocess; subprocess.run(['pkill','-f','foil'])\"",
  'python3 -c "import os; os.system(\'pkill node\')"',
  "node -e \"require('child_process').execSync('kill 4242')\"",
  'python3 -c "import shutil; shutil.rmtree(\'.claude\')"',
  "python3 -c \"import os; os.remove(os.path.join('.claude','settings.json'))\"",
  "python3 -c \"from pathlib import Path; (Path('.claude') / 'settings.json').write_text('{}')\"",
  "python3 -c \"from pathlib import Path; Path('.claude/settings.json').write_text('{}')\"",
  "python3 -c \"open('.claude' + '/settings.json','w')\"",
  'python3 -c "import os; os.system(\'rm -rf .claude\')"',
  "python3 -c \"import subprocess; subprocess.run(['rm','-rf','.claude'])\"",
  'python3 -c "import subprocess as s; s.run(\'gzip .claude/settings.json\', shell=True)"',
  'python3 -c "import pathlib; pathlib.Path(\'.claude/settings.json\').unlink()"',
  "python3 - <<'EOF'\nopen('.claude/settings.json','w').write('{}')\nEOF",
  "node -e \"require('fs').rmSync('.claude',{recursive:true})\"",
  "node -e \"require('fs').writeFileSync(process.argv[1],'{}')\" .claude/settings.json",
  "node -e \"require('child_process').execSync('rm -rf .claude')\"",
  "node -e \"require('child_process').spawnSync('rm',['-rf','.claude'])\"",
  "node -p \"require('fs').renameSync('.claude','x')\"",
  'deno eval "Deno.removeSync(\'.claude/settings.json\')"',
  "bun -e \"require('fs').unlinkSync('.claude/settings.json')\"",
  'perl -e \'open F, ">.claude/settings.json"\'',
  'perl -e \'open(my $f, ">", ".claude/settings.json")\'',
  'perl -e \'rename ".claude","x"\'',
  "perl -i -pe 's/foil//' .claude/settings.json",
  'ruby -e \'File.write(".claude/settings.json","{}")\'',
  'ruby -e \'File.delete(".claude/settings.json"); File.unlink(".claude/settings.json")\'',
  'ruby -rfileutils -e \'FileUtils.rm_rf(".claude")\'',
  'php -r \'file_put_contents(".claude/settings.json","{}");\'',
  'lua -e \'os.remove(".claude/settings.json")\'',
  "cd .claude && python3 -c \"open('settings.json','w')\"",
  "cd .claude && node -e \"fs.writeFileSync('settings.json','')\"",
];

const WORK: readonly string[] = [
  'pkill -9 -f "python manage.py runserver"',
  'python3 -m json.tool .claude/settings.json',
  "awk '{print $1}' .claude/settings.json",
  'awk \'{print > "out.txt"}\' .claude/settings.json',
  "awk -v f=out.txt '{print > f}' x",
  "awk '$3 > max {print}' .claude/settings.json",
  "python3 -c \"import json; print(json.load(open('.claude/settings.json'))['hooks'])\"",
  "node -e \"console.log(JSON.parse(require('fs').readFileSync('.claude/settings.json')).hooks.map(x => x.a))\"",
  'node -p "require(\'./.claude/settings.json\').hooks"',
  'ruby -e \'puts File.read(".claude/settings.json")\'',
  "perl -ne 'print if /hooks/' .claude/settings.json",
  "awk '/hooks/' .claude/settings.json",
  "awk 'NR > 3 {print $1}' .claude/settings.json",
  'python3 - <<\'EOF\'\nprint("foil install")\nEOF',
  "python3 - <<'EOF'\nopen('README.md','w').write('Run `foil install` and see .claude/settings.json')\nEOF",
  'python3 scripts/x.py --dir .claude/skills',
  'python3 -c "print(\'kill 4242\')" | cat',
];

describe('code that turns against the record', () => {
  refuses(ATTACKS);
});

describe('code that reads, or only speaks of it', () => {
  allows(WORK);
});
