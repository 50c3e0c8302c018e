// The checkers that people call by their names, and whether one of them, or what may hold it, was run.
import { isEveryCheck, projectScript } from '../ecosystems/index.ts';
import type { Check, Claim } from '../format/index.ts';
import type { Run } from './evidence.ts';

/** Checkers that people name; what sets them up is not what they found. */
export const CHECKERS =
  'golint|golangci-lint|staticcheck|eslint|stylelint|mypy|pyright|pylint|flake8|ruff|doctest|clippy|shellcheck|hadolint|yamllint|rubocop|phpstan|ktlint|mutmut|stryker|pitest|linkchecker|lychee|pa11y|semgrep|bandit|trivy|snyk|pip-audit|govulncheck|terraform|tflint|checkov';
export const CHECKER = new RegExp(
  `\\b(${CHECKERS})\\b(?!['’\`]*s?[ -](?:configs?|configuration|rules?|setup|plugins?|settings|version|disable|comments?|directives?)\\b|[./])`,
  'i',
);
const OTHERS: readonly string[] = ['lint', 'types', 'format'];

/** "`golint` has no complaints", where neither it nor a script that may hold it was run. */
export function missingChecker({ type, quote }: Claim, runs: readonly Run[]): string | null {
  const name = type === 'checked' ? CHECKER.exec(quote)?.[1]?.toLowerCase() : undefined;
  if (name === undefined) return null;
  return runs.some(({ checks }) => checks.some((check) => mayBeChecker(name, check)))
    ? null
    : `a run of ${name}`;
}

/** It is a run of that checker, or of what may hold one. */
export function mayBeChecker(name: string, check: Check): boolean {
  return (
    check.command.toLowerCase().includes(name) ||
    (projectScript(check) !== null && (name === 'doctest' || OTHERS.includes(check.kind))) ||
    isEveryCheck(check) ||
    check.kind === 'ship' ||
    (name === 'doctest' && check.runner.startsWith('cargo'))
  );
}
