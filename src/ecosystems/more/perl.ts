// Perl.
import { add, type LineReader, n, type Output, take, wait } from '../report.ts';
import type { Traits } from '../runner.ts';
import { found, type Table } from '../tool.ts';

export const programs = (): Table => ({
  prove: {
    kind: 'test',
    runner: 'prove',
    values: '-I -j --jobs --formatter -e',
    flags: '-l -r -v -b --lib',
    dry: '-D --dry',
  },
  // With -i it is an editor.
  perl: (args) =>
    args.some((arg) => /^-(?![IMm])[a-zA-Z0-9]*i/.test(arg))
      ? null
      : args.includes('-c')
        ? found('build', 'perl -c', { targets: args.filter((arg) => !arg.startsWith('-')) })
        : args.some((arg) => /^-\w*[eE]/.test(arg))
          ? found('run', 'perl -e')
          : found('run', 'perl', { targets: args.filter((arg) => !arg.startsWith('-')).slice(0, 1) }),
});

// t/a.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
// Files=1, Tests=2,  0 wallclock secs ( … )
// Result: PASS
const read: LineReader = (line, report) => {
  const file = /^\S+\s+\(Wstat: .{1,60} Tests: \d{1,9} Failed: (\d{1,9})\)$/.exec(line);
  if (file) return wait(report, 'prove failed', n(file[1]));
  const files = /^Files=\d{1,9}, Tests=(\d{1,9}), /.exec(line);
  if (files) return wait(report, 'prove tests', n(files[1]));
  const result = /^Result: (PASS|FAIL|NOTESTS)$/.exec(line);
  if (!result || (!report.waiting.has('prove tests') && result[1] !== 'NOTESTS')) return false;
  const [total, listed] = [take(report, 'prove tests'), take(report, 'prove failed')];
  const failed = result[1] === 'FAIL' ? Math.max(1, listed) : 0;
  return add(report, 'prove', total - failed, failed, 0, Math.max(total, failed));
};

export const outputs: readonly Output[] = [{ signs: ['Result: '], read }];

export const traits: readonly Traits[] = [{ name: 'prove', finds: true, failing: ['Result: FAIL'] }];
