// Programs of every day, of which a reader of lines knows what their words can do. What is not here may do anything.
//
// A program is `calm` if it does nothing but what its words say, to the files that they name. One that is not runs the code
// of the project or of its packages, too: tests, builds, linters, package managers. No reader of lines sees what that does.

export interface EverydayProgram {
  readonly isCalm: boolean;
  /** What its first word may be; null for anything. */
  readonly does: ReadonlySet<string> | null;
  /** Options before that one that have a value in the next word. */
  readonly valued: RegExp | null;
  /** Words by which it may run or read something else. */
  readonly hides: RegExp | null;
  /** Without such a word it takes what it does from elsewhere. */
  readonly needs: RegExp | null;
  /** With such a word, folders among its words are taken with all that is in them. */
  readonly takesAll: RegExp | null;
  /** None of its words is a file. */
  readonly namesNoFiles: boolean;
}

type More = Partial<Omit<EverydayProgram, 'isCalm' | 'does'>> & { readonly does?: string };

function row(
  isCalm: boolean,
  names: string,
  { does, ...more }: More,
): (readonly [string, EverydayProgram])[] {
  const program: EverydayProgram = {
    isCalm,
    valued: null,
    hides: null,
    needs: null,
    takesAll: null,
    namesNoFiles: false,
    ...more,
    does: does === undefined ? null : new Set(does.split(' ')),
  };
  return names.split(' ').map((name) => [name, program] as const);
}

const calm = (names: string, more: More = {}): ReturnType<typeof row> => row(true, names, more);
const own = (names: string, more: More = {}): ReturnType<typeof row> => row(false, names, more);

/** Files and folders. */
const FILES = [
  calm('uniq tree xxd hexdump hd pr fmt expand unexpand join csplit shuf iconv dos2unix unix2dos'),
  calm('mkfifo chown chgrp dd mktemp printenv sync nm objdump readelf size ldd identify'),
  calm('file', { hides: /^(?:-[a-zA-Z]*[fm]|--(?:fi|m))/ }),
  calm('jq', { hides: /\b(?:import|include)\b/ }),
  calm('yq', { hides: /load|env|system|include|import/ }),
  calm('less more', { hides: /^(?:\+|-[a-zA-Z]*[kTo]|--(?:lesskey|log-file|tag))/i }),
  calm('bat batcat', { hides: /^--(?:pager|config|map-syntax)/ }),
  calm('split', { hides: /^--f/ }),
  calm('gzip gunzip zcat bzip2 bunzip2 bzcat xz unxz xzcat zstd unzstd lz4', {
    hides: /^(?:-[a-zA-Z0-9]*[rD]|--(?:r|fi|pat))/,
  }),
  calm('shasum b2sum md5 sha224sum sha384sum', { hides: /^(?:-[a-zA-Z]*c|--c)/ }),
  calm('install', { hides: /^(?:-[a-zA-Z]*s|--st)/ }),
  calm('unzip', { hides: /^-[a-zA-Z]*[@]/ }),
  calm('fd fdfind', { hides: /^(?:-[a-zA-Z]*[xX]|--exec)/ }),
  calm('zip 7z 7za 7zz rar', {
    takesAll: /^/,
    hides: /^(?:-@|-[a-zA-Z]*T|-TT|@|-i@|--unz|-x@|-si)/,
  }),
  calm('tar bsdtar gtar', {
    // The beginning of a long option is as good as the whole.
    hides:
      /^--(?!(?:create|extract|get|list|append|update|diff|compare|file|verbose|gzip|gunzip|bzip2|xz|zstd|auto-compress|directory|exclude|exclude-vcs|strip-components|transform|wildcards|totals|no-same-owner|no-same-permissions|preserve-permissions|keep-old-files|overwrite|owner|group|mode|mtime|sort|numeric-owner|format|one-top-level|dereference|help|version)(?:=|$)|$)|^-?[a-zA-Z]*[TIF]/,
  }),
  calm('rsync', {
    takesAll: /^/,
    hides: /^(?:-[a-zA-Z]*e|--(?:rsh|rsync-path|files-from|include-from|exclude-from|filter))/,
  }),
  calm('scp sftp', { takesAll: /^/, hides: /^-[a-zA-Z0-9]*[SoFDbP]$|^-[oSFDb]/ }),
  calm('cloc tokei scc', { hides: /^--(?:list-file|vcs|read-|config|stdin)/ }),
];

/** The machine and the network. */
const MACHINE = [
  calm(
    'ps kill df lsof pgrep pkill killall free uptime vmstat iostat lscpu lsblk lsmod lsusb lspci groups w who last locale cal',
    { namesNoFiles: true },
  ),
  calm(
    'factor numfmt tput clear reset stty ss netstat ifconfig ping ping6 nslookup whois traceroute dirs popd uuidgen getent',
    { namesNoFiles: true },
  ),
  calm('top sw_vers getconf nvidia-smi pg_isready disown fg bg', { namesNoFiles: true }),
  calm('dig host ip dmesg findmnt', { hides: /^-[a-zA-Z]*[fbF]/ }),
  calm('pushd'),
  calm('history', { hides: /^-/ }),
  calm('man', { hides: /^(?:-[a-zA-Z]*[PHtLCl]|--)/ }),
  calm('openssl', { hides: /^-(?:engine|provider|config|conf|rand|loadable)/, needs: /./ }),
  calm('systemctl', {
    does: 'status start stop restart reload is-active is-enabled is-failed list-units list-timers show cat daemon-reload enable disable',
    valued: /^(?:-n|-t|--type|--state)$/,
  }),
  calm('journalctl', { hides: /^--(?:file|directory|root|image)|^-D/ }),
  calm('service'),
  calm('curl', { hides: /^(?:-[a-zA-Z]*K|--conf|--eng)/ }),
  calm('wget', { hides: /^(?:-[a-zA-Z]*[ei]|--(?:e|use-a|conf|input))/ }),
  calm('nc ncat netcat', { hides: /^(?:-[a-z]*[ec]|--(?:e|sh|lua))/ }),
  calm('redis-cli', { hides: /^(?:--eval|--rdb|--pipe|-x)|^(?:eval|script|function|module|config)$/i }),
  calm('psql', {
    hides:
      /\\(?!(?:d\S*|l\+?|x|timing|conninfo)(?:\s|$))|^-$|^-[abehlnqstwxz01]*o|^--o|program|pg_read|pg_ls|lo_import|copy|dblink|plpython|plperl/i,
    needs: /^(?:-[a-zA-Z]*[cfl]|--(?:command|file|list|version|help))/,
  }),
  calm('sqlite sqlite3', {
    hides:
      /^\s*\.(?!(?:tables|schema|indexes|databases|headers|mode|dump)\b)|readfile|writefile|fsdir|zipfile|load_extension|edit\s*\(|attach|\n\s*\.|^-{1,2}(?:cmd|init|a)/i,
    needs: /\s|^\.|^--?(?:version|help)$/,
  }),
  calm('mysql mariadb', {
    hides: /[\\!]|system|source|pager|load|outfile|tee|edit|--init|--def/i,
    needs: /^(?:-[a-zA-Z]*e|--execute|--version)/,
  }),
  calm('pg_dump pg_dumpall createdb dropdb'),
  calm('apt apt-get', {
    does: 'install remove update upgrade list search show policy autoremove purge clean',
    hides: /^(?:-o|--option|-c$|--config)/,
  }),
  calm('apk dnf yum brew', {
    does: 'add del install remove uninstall update upgrade list search info show outdated deps leaves cleanup',
    hides: /^--(?:setopt|config|load-plugin)/,
  }),
  calm('dpkg', { needs: /^-[lLsS]$/ }),
  calm('dpkg-query apt-cache', { hides: /^-[oc]/ }),
];

/** Node and the web. */
const NODE = [
  calm('tsc vue-tsc svelte-check tsc-alias'),
  own(
    'eslint stylelint oxlint biome xo standard knip depcheck madge cspell markdownlint markdownlint-cli2 commitlint',
  ),
  own('prettier', { hides: /^--plugin/ }),
  own('vitest jest mocha ava tap playwright cypress karma wdio jasmine qunit uvu tstyche tsd', {
    hides: /exec-?argv|node-?(?:arg|opt)/i,
  }),
  own(
    'vite webpack rollup swc babel parcel next nuxt nuxi astro svelte-kit gatsby remix expo react-scripts storybook',
  ),
  own('tsup ng turbo typedoc api-extractor changeset lint-staged husky size-limit publint attw'),
  own(
    'prisma drizzle-kit knex sequelize typeorm wrangler vercel netlify tailwindcss sass postcss browserslist',
  ),
  own('lerna nx', { hides: /^exec$/ }),
  own('tsc-watch', { hides: /^--on/ }),
  own('license-checker npm-check-updates ncu rimraf mkdirp'),
  own('esbuild', { hides: /^--(?:loader|inject|alias|define|banner|footer|plugin)/, needs: /^[^-].*\.\w+$/ }),
];

/** Other languages. */
const LANGUAGES = [
  own('pytest tox nox behave flake8 pylint black isort pyright bandit autopep8 pyflakes mypy ruff', {
    hides: /^(?:-[pc]$|--(?:plugin|init-hook|load-plugins|trace|pdb|usepdb))/,
  }),
  own('coverage', { does: 'report html xml erase combine json' }),
  own('pre-commit', { does: 'run install autoupdate uninstall' }),
  own('pip', {
    does: 'install uninstall list show freeze check download wheel index cache inspect',
    hides: /^--(?:gl|conf|pyt|install-o)/,
  }),
  own('uv', { does: 'sync pip add remove lock venv init tree build version export python' }),
  own('poetry pipenv pdm hatch', {
    does: 'install add remove update lock show build check version init export sync list outdated env graph fmt test',
  }),
  own('conda mamba', { does: 'install list create update remove info env search' }),
  own('alembic', { does: 'upgrade downgrade revision history current heads check stamp' }),
  own('flask', { does: 'run db routes' }),
  own('django-admin'),
  own('uvicorn gunicorn celery', { hides: /^(?:-c$|--(?:config|env-file))/ }),
  own('cargo', {
    does: 'build b check c test t run r clippy fmt doc d bench add remove update tree metadata clean new init fetch search version fix install generate-lockfile nextest audit deny outdated',
    hides: /^(?:--config|-Z|-C|--(?:rustc|linker))|linker|^--manifest-path=\/dev/,
  }),
  calm('rustup', { does: 'show update target component toolchain default check', valued: null }),
  calm('rustfmt gofmt goimports clang-format'),
  own('go', {
    does: 'build test vet fmt mod get list doc version env install generate run clean work',
    hides: /^--?(?:toolexec|exec|overlay|modfile|vettool|gccgoflags|compiler|w$|C$)|extld/,
  }),
  own('golangci-lint staticcheck govulncheck gotestsum'),
  own('make gmake', {
    hides: /^(?:-$|-f-$|-f$|--ev|--fi|--makef|-[a-zA-Z]*E)|\$\(|`/,
  }),
  own('ninja meson ctest'),
  own('cmake', {
    hides:
      /^-(?:P|E|C$|C.|D.*(?:COMPILER|LAUNCHER|COMMAND|PROGRAM|LINKER|TOOLCHAIN|EXECUTABLE))|^--(?:trace|graphviz)/,
  }),
  own('gcc g++ cc c++ clang clang++', {
    hides: /^-(?:$|wrapper|B|fplugin|specs|x|T|W[lap],|X|load|plugin|print|cc1)|^@/,
  }),
  own('mvn mvnw', {
    hides: /exec|antrun|groovy|script|^-(?:s|gs|t|f)$|^-D.*(?:argLine|jvm|javaHome|agent|compiler|fork)/,
  }),
  own('gradle gradlew', {
    hides: /^(?:-[IDPcb]|--(?:init-script|include-build|project-prop|system-prop|build-file|settings-file))/,
  }),
  own('java', {
    hides: /^(?:-(?:XX|agent|javaagent|Xrun|Xboot|Xlog|Xshare|D(?:java|jdk|sun))|@|--(?:source|patch))/,
  }),
  own('javac', { hides: /^(?:-J|-processor|-Xplugin|@)/ }),
  own('dotnet', {
    does: 'build test run restore format publish add list new clean',
    hides:
      /\$\(|\$\[|^@|^[-/]+(?:logger|l|dl|fl|bl):|^[-/]+p(?:roperty)?(?:$|[:=](?!(?:Configuration|Platform|\w*Version|Publish\w+|NoWarn|TreatWarningsAsErrors|CollectCoverage)=[\w.-]*$))/i,
  }),
  own('bundle', { does: 'install update list show check add outdated' }),
  own('rspec rubocop rake rails', {
    hides: /^(?:-[a-zA-Z]*[eEr]|--(?:exe.*|ev.*|req.*)|runner|console|dbconsole|r|c|db)$/,
  }),
  own('gem', { does: 'install list uninstall search update outdated info' }),
  own('composer', { does: 'install update require remove show dump-autoload validate outdated' }),
  own('phpunit phpstan pint'),
  own('mix', { does: 'test deps.get compile format credo ecto.migrate phx.server' }),
  own('swift', { does: 'build test run package' }),
  own('zig', { does: 'build test fmt version' }),
  own('sbt lein stack cabal', { does: 'test compile build run clean testOnly' }),
  own('xcodebuild', { hides: /^-(?:xcconfig|toolchain)|=/ }),
  own('pod', { does: 'install update outdated' }),
  own('swiftlint swiftformat ktlint detekt'),
  own('flutter dart', { does: 'test analyze format pub build run doctor fix clean' }),
  own('shellcheck shfmt yamllint actionlint hadolint tflint', { hides: /^-(?:$|w$)/ }),
];

/** Machines elsewhere. */
const CLOUD = [
  own('terraform tofu', {
    does: 'init plan apply destroy validate fmt show output version providers state',
    hides: /^-(?:var|backend-config|plugin-dir)=?/,
  }),
  own('helm', {
    does: 'list ls status history lint template install upgrade uninstall version repo search show',
    hides: /^--(?:post-renderer|set-file|kubeconfig)/,
  }),
  calm('aws gcloud gsutil', {
    takesAll: /^(?:cp|mv|sync|rsync|deploy|package|submit|upload.*)$/,
    hides: /^(?:configure|config|alias|ssm|--cli-input.*|compute|ssh)$/,
  }),
  calm('rclone s3cmd', {
    takesAll: /^/,
    hides: /^(?:--(?:config|files-from|password-command|rc)|rcd?$|config$)/,
  }),
];

export const EVERYDAY_PROGRAMS: ReadonlyMap<string, EverydayProgram> = new Map(
  [FILES, MACHINE, NODE, LANGUAGES, CLOUD].flat(2),
);
