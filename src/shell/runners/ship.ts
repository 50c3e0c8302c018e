// What leaves the work tree or becomes permanent: commits, pushes, releases, deployments, migrations.

import {
  each,
  firstBare,
  found,
  own,
  type Reader,
  readOptions,
  type Table,
  type Tool,
} from '../../ecosystems/index.ts';
import type { Found } from '../facts.ts';

const GIT: Tool = {
  kind: 'ship',
  runner: 'git',
  values: '-c --git-dir --work-tree --namespace',
  directory: '-C',
};

const git: Reader = (args) => {
  const at = firstBare(GIT, args);
  const before = readOptions({ ...GIT, bare: 'nothing' }, args.slice(0, at));
  const rest = args.slice(at + 1);
  const read = gitSub(args[at] ?? '', rest);
  return read && { ...read, directory: before.directory };
};

/** They end in a commit, unless they are told otherwise. */
const COMBINES = /^(?:merge|cherry-pick|revert|rebase|pull|am)$/;
const NO_COMMIT = /^--(?:abort|no-commit|quit|edit-todo|show-current-patch)$|^-n$/;
const LISTS_TAGS = /^(?:-l|--list|-d|--delete|-v|--verify|-n\d*|--contains|--points-at|--sort.*)$/;

function gitSub(sub: string, rest: readonly string[]): Found | null {
  const has = (option: RegExp): boolean => rest.some((arg) => option.test(arg));
  const dry = rest.find((arg) => arg === '--dry-run' || (arg === '-n' && sub === 'push')) ?? null;
  if (sub === 'commit' || sub === 'push') return found('ship', `git ${sub}`, { dry });
  if (COMBINES.test(sub)) return has(NO_COMMIT) ? null : found('ship', `git ${sub}`);
  if (sub === 'tag') return rest.length === 0 || has(LISTS_TAGS) ? null : found('ship', 'git tag');
  if (sub !== 'diff') return null;
  const targets = rest.includes('--') ? rest.slice(rest.indexOf('--') + 1).slice(0, 8) : [];
  // That there are no stray blanks is another thing than that there is no difference.
  if (rest.includes('--check')) return found('run', 'git diff --check', { targets });
  // With one of these it ends with 1 where there is a difference.
  return has(/^(?:--exit-code|--quiet)$/) ? found('run', 'git diff', { targets }) : null;
}

/** Other systems of versions. */
const versions =
  (name: string, verbs: RegExp): Reader =>
  (args) => {
    const at = firstBare({ values: '-R --repository --cwd -r' }, args);
    const verb = args[at] === 'git' ? `git ${args[at + 1] ?? ''}` : (args[at] ?? '');
    const dry = args.find((arg) => arg === '--dry-run') ?? null;
    return verbs.test(verb) ? found('ship', `${name} ${verb}`, { dry }) : null;
  };

/** To ask a system how it is. */
const LOOKS =
  /^(?:get|describe(?:-[a-z-]+)?|logs?|status|list(?:-[a-z-]+)?|ls|show|view|inspect|ps|exec|run|output|history|top|events|wait|checks|diff|info|invoke|test|query|select)$/;

/** What such a tool does for itself. */
const SETS_UP =
  /^(?:init|login|logout|config|configure|help|version|completion|auth|context|use|set|new|add|remove|install|uninstall|update|upgrade|link|plugin)$/;

/** `gh pr create`, `glab mr merge`: an area and a verb. */
const forge =
  (name: string): Reader =>
  (args) => {
    const [area = '', verb = ''] = args;
    const ships = /^(?:create|merge|upload|edit|close|reopen|ready|delete|comment|review)$/;
    if (/^(?:pr|mr|release|issue)$/.test(area) && ships.test(verb))
      return found('ship', `${name} ${area} ${verb}`, {
        dry: args.find((arg) => arg === '--dry-run' || arg === '--web') ?? null,
      });
    if (area === 'stack' && /^(?:submit|push|sync|merge)$/.test(verb))
      return found('ship', `${name} stack ${verb}`);
    if (area === 'repo' && verb === 'create' && args.includes('--push'))
      return found('ship', `${name} repo create --push`);
    if (area === 'workflow' && verb === 'run') return found('ship', `${name} workflow run`);
    if (area === 'ci' && verb === 'lint') return found('lint', `${name} ci lint`);
    return /^(?:pr|mr|run|ci|release|issue|workflow)$/.test(area) && LOOKS.test(verb)
      ? found('run', `${name} ${area} ${verb}`)
      : null;
  };

const DRY = /^(?:--dry-run(?:=\w+)?|--dryrun|--check|--preview|--plan|--no-deploy)$/;

/** A tool some of whose subcommands ship, by a pattern over its first bare words; others are of the `kinds` told. */
const verbs =
  (name: string, pattern: RegExp, kinds: Readonly<Record<string, Found['kind']>> = {}, dry = DRY): Reader =>
  (args) => {
    const kind = own(kinds, args[0] ?? '');
    if (kind !== undefined) return found(kind, `${name} ${args[0]}`);
    const words = args.filter((arg) => !arg.startsWith('-'));
    // The word of an option that is not known may stand before the verb.
    const match = [0, 1, 2].map((from) => pattern.exec(words.slice(from, from + 3).join(' '))).find(Boolean);
    if (match === undefined || match === null)
      return words.length > 0 && !SETS_UP.test(words[0] ?? '') ? found('run', name) : null;
    const flag = args.find((arg) => dry.test(arg)) ?? null;
    return found('ship', `${name} ${match[0]}`.trim(), { dry: flag === '--dry-run=none' ? null : flag });
  };

const docker: Reader = (args) => {
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [first = '', second = ''] = words;
  const verb = first === 'image' || (first === 'buildx' && second === 'build') ? second : first;
  if (verb === 'push' || (first === 'compose' && words.includes('push'))) return found('ship', 'docker push');
  if (verb === 'build')
    return args.includes('--push') ? found('ship', 'docker build --push') : found('build', 'docker build');
  if (first === 'buildx' && second === 'bake') return found('build', 'docker buildx bake');
  if (first === 'compose') {
    const verb = words.find((word) => word === 'build' || word === 'up' || word === 'config');
    if (verb === 'build') return found('build', 'docker compose build');
    if (verb === 'up') return found('run', 'docker compose up');
    return verb === 'config' ? found('lint', 'docker compose config') : null;
  }
  return first === 'stack' && second === 'deploy' ? found('ship', 'docker stack deploy') : null;
};

const terraform: Reader = (args) => {
  const [sub = ''] = args.filter((arg) => !arg.startsWith('-'));
  const directory =
    args.map((arg) => /^-chdir=(.+)$/.exec(arg)?.[1]).find((path) => path !== undefined) ?? null;
  if (sub === 'apply' || sub === 'destroy' || sub === 'import')
    return found('ship', `terraform ${sub}`, { directory });
  if (sub === 'validate') return found('lint', 'terraform validate', { directory });
  if (sub === 'fmt') return found('format', 'terraform fmt', { rewrites: !args.includes('-check') });
  if (sub === 'test') return found('test', 'terraform test', { directory });
  return sub === 'plan' ? found('run', 'terraform plan', { directory }) : null;
};

export const SHIP: Table = {
  git,
  hg: versions('hg', /^(?:commit|ci|push|merge|tag|backout|graft|rebase|amend)$/),
  sl: versions('sl', /^(?:commit|ci|push|rebase|amend)$/),
  svn: versions('svn', /^(?:commit|ci|merge)$/),
  jj: versions('jj', /^(?:commit|describe|squash|rebase|git push)$/),
  fossil: versions('fossil', /^(?:commit|ci|push|merge|tag)$/),
  ...each('gh glab', forge),
  hub: verbs('hub', /^(?:pull-request|release create|push)/),
  ...each('docker podman', () => docker),
  'docker-compose': (args, name) => docker(['compose', ...args], name),
  kubectl: verbs(
    'kubectl',
    /^(?:apply|create|delete|replace|patch|rollout (?:restart|undo)|set image|scale)/,
    {},
    /^--dry-run(?:=(?:client|server))?$/,
  ),
  oc: verbs('oc', /^(?:apply|rollout|start-build)/),
  helm: verbs('helm', /^(?:install|upgrade|rollback|push|uninstall)/, { lint: 'lint', template: 'build' }),
  helmfile: verbs('helmfile', /^(?:apply|sync)/),
  kustomize: (args) => (args[0] === 'build' ? found('build', 'kustomize build') : null),
  skaffold: verbs('skaffold', /^(?:run|deploy)/),
  ...each('terraform tofu terragrunt', () => terraform),
  pulumi: verbs('pulumi', /^(?:up|update|destroy)/),
  cdk: verbs('cdk', /^(?:deploy|destroy)/, { synth: 'build' }),
  sam: verbs('sam', /^deploy/, { build: 'build' }),
  'ansible-playbook': (args) =>
    found('ship', 'ansible-playbook', {
      dry: args.find((arg) => /^(?:-C|--check|--syntax-check|--list-tasks|--list-hosts)$/.test(arg)) ?? null,
    }),
  vercel: (args) => {
    const [sub = ''] = args.filter((arg) => !arg.startsWith('-'));
    if (sub === 'build') return found('build', 'vercel build');
    if (sub === 'dev') return found('run', 'vercel dev');
    const deploys =
      sub === ''
        ? args.length === 0 || args.includes('--prod')
        : /^(?:deploy|promote|rollback|redeploy)$/.test(sub);
    return deploys ? found('ship', 'vercel deploy') : null;
  },
  ...each('netlify firebase eb serverless', (name) => verbs(name, /^deploy/)),
  ...each('fly flyctl', () => verbs('fly', /^(?:deploy|launch)/)),
  wrangler: verbs('wrangler', /^(?:deploy|publish|pages deploy|d1 migrations apply)/, { dev: 'run' }),
  heroku: verbs('heroku', /^(?:container:release|releases:rollback|pipelines:promote)/),
  railway: verbs('railway', /^up/),
  gcloud: verbs('gcloud', /^(?:app deploy|run deploy|functions deploy|builds submit)/),
  aws: verbs(
    'aws',
    /^(?:s3 (?:sync|cp)|lambda update-function-code|cloudformation deploy|ecs update-service)/,
  ),
  az: verbs('az', /^(?:webapp (?:up|deploy)|functionapp|deployment)/),
  sls: verbs('serverless', /^deploy/),
  cap: verbs('cap', /^\w+ deploy/),
  prisma: verbs('prisma', /^(?:migrate (?:deploy|dev|reset)|db push)/, { validate: 'lint' }),
  'drizzle-kit': verbs('drizzle-kit', /^(?:push|migrate)/),
  knex: verbs('knex', /^(?:migrate:latest|migrate:up|migrate:rollback)/),
  ...each('sequelize sequelize-cli', () => verbs('sequelize', /^db:migrate/)),
  typeorm: verbs('typeorm', /^(?:migration:run|schema:sync)/),
  flyway: verbs('flyway', /^migrate/),
  liquibase: verbs('liquibase', /^update/),
  dbmate: verbs('dbmate', /^(?:up|migrate)/),
  goose: verbs('goose', /(?:up|down)$/),
  migrate: verbs('migrate', /(?:up|down)/),
  supabase: verbs('supabase', /^(?:db push|functions deploy)/),
  ...each('gem chart', (name) => verbs(name, /^push/)),
  fastlane: verbs('fastlane', /^(?:\w+ )?(?:beta|release|deploy|upload\w*|deliver|supply|pilot)/),
  eas: verbs('eas', /^(?:submit|update)/),
  ...each('vsce ovsx changeset', (name) => verbs(name, /^publish/)),
  crane: verbs('crane', /^(?:push|copy)/),
  skopeo: verbs('skopeo', /^copy/),
  argocd: verbs('argocd', /^app sync/),
  flux: verbs('flux', /^reconcile/),
  nomad: verbs('nomad', /^job run/),
  kamal: verbs('kamal', /^(?:deploy|redeploy|rollback)/),
  dokku: verbs('dokku', /^(?:ps:rebuild|deploy)/),
  ...each('surge semantic-release', (name) => verbs(name, /^/)),
  goreleaser: (args) =>
    args[0] === 'release'
      ? found('ship', 'goreleaser release', {
          dry: args.find((arg) => arg === '--snapshot' || arg === '--skip=publish') ?? null,
        })
      : args[0] === 'build'
        ? found('build', 'goreleaser build')
        : null,
  scp: () => found('ship', 'scp'),
  rsync: (args) =>
    args.some((arg) => /^[\w.@-]+:/.test(arg))
      ? found('ship', 'rsync', { dry: args.find((arg) => arg === '-n' || arg === '--dry-run') ?? null })
      : null,
};
