// What sort of file a path names: document, cache, build output, data, test, test configuration, or code, which is
// all the rest. Only the path is looked at. In doubt a file is code: taking code for a document would let an edit pass
// unseen, the other way round only asks for one more run.

import { wordSet } from '../core/index.ts';
import { isConfigName } from './configs.ts';

const DOCUMENT_ENDINGS =
  wordSet(`md mdx markdown txt text rst adoc asciidoc org textile qmd rmd rtf pdf doc docx odt
  png jpg jpeg gif svg webp avif ico bmp tiff mp4 webm mov mp3 wav drawio`);
/** Documents by their whole name, with or without one of the endings above. */
const DOCUMENT_NAMES =
  wordSet(`readme license licence copying notice authors contributors maintainers changelog changes history news todo
  contributing security codeowners .mailmap .gitignore .gitattributes .editorconfig .npmignore .dockerignore counterfoil.yaml
  mkdocs.yml mkdocs.yaml .readthedocs.yml .readthedocs.yaml`);
/** Texts that a program reads, whatever their ending says. */
const NOT_A_DOCUMENT = /^(?:requirements[^/]*|constraints[^/]*|cmakelists|robots|llms)\.(?:txt|in)$/;
/** What lies here is input or expected output of a test: it may decide one. */
const TEST_DATA_PARTS = wordSet(
  'testdata test-data test_data fixtures __fixtures__ __snapshots__ snapshots golden goldens cassettes',
);
/** A text that lies among tests is one that they read; a specification is for people. */
const READ_BY_TESTS = new Set(['test', 'tests', '__tests__', 'e2e']);

/** What a service elsewhere runs, and nothing on this machine reads but linters. */
const PIPELINE =
  /(?:^|\/)(?:\.github\/(?:workflows\/[^/]+|dependabot)|\.gitlab-ci|azure-pipelines|bitbucket-pipelines|\.circleci\/config|\.travis)\.ya?ml$/i;

/** What programs leave behind as they run, where git does not have it: databases, archives, uploads, logs. */
const LEFT_NAME =
  /\.(?:(?:db3?|sqlite3?|rdb|mdb|ldb)(?:-(?:journal|wal|shm))?|t(?:ar(?:\.\w{2,4})?|gz)|zip)$/;
const LEFT_PARTS = wordSet('uploads upload logs log tmp temp .tmp');

const CACHE_PARTS =
  wordSet(`.git .hg .svn node_modules __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .tox .nox .venv venv
  .cache .parcel-cache .turbo .gradle .idea .eslintcache .nyc_output .ipynb_checkpoints .terraform
  .dart_tool .build deriveddata .bundle .sass-cache .ds_store thumbs.db .foil .pnpm-store .vite .swc .angular`);
const CACHE_NAME = /(?:\.(?:pyc|pyo|swp|swo|tmp|log|pid|tsbuildinfo|eslintcache|stylelintcache)|~)$/;

const OUTPUT_PARTS = wordSet(
  'coverage htmlcov .next .nuxt .output .svelte-kit .expo storybook-static test-results playwright-report',
);
/** Names of build output that are names of source folders, too: not below a folder of source. */
const LOOSE_OUTPUT_PARTS = new Set(['dist', 'build', 'out', 'target', 'obj']);
const SOURCE_PARTS = wordSet(
  'src lib app apps source pkg internal cmd test tests __tests__ spec scripts tools',
);
const OUTPUT_NAME =
  /(?:\.(?:class|elc|beam|hi|cmi|cmo|cmx|vcd|fst|ghw|wlf|o|obj|a|so|dylib|dll|exe|pdb|rlib|rmeta|gcda|gcno|profraw|profdata|min\.js|min\.css|map)|\.egg-info|^\.coverage(?:\..*)?|^coverage\.(?:xml|json)|^(?:c|cov|cover|coverage|cpu|mem|profile)\.out|\.(?:cov|lcov|p?prof|cpuprofile|heapprofile|coverprofile)|\.pb\.(?:go|cc|h|rb|swift|dart)|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|ts|d\.ts)|\.g\.(?:dart|cs|kt)|\.freezed\.dart|\.generated\.[a-z]+|^lcov\.info|^junit[^/]*\.xml)$/;

const CODE_ENDINGS =
  wordSet(`ts tsx mts cts js jsx mjs cjs vue svelte astro py pyi rb go rs java kt kts scala groovy cs fs vb php c h cc cpp
  cxx hpp hh m mm swift dart ex exs erl elm clj cljs hs ml lua pl pm t r jl sh bash zsh bats ps1 sql zig nim cr feature robot`);
const TEST_PARTS = wordSet(
  'test tests __tests__ __test__ spec specs testing e2e integration-tests unittests cypress',
);
/** `a.test.ts`, `a_test.go`, `a-spec.js`, `test_a.py`, `tests.py`, `conftest.py`. */
const TEST_NAME =
  /(?:[._-](?:test|tests|spec|specs|e2e|cy)\.[a-z0-9]+|[._-](?:test|spec)\.[a-z]+\.snap|\.bats|^conftest\.py|^tests?\.[a-z0-9]+|^test[_-][^/]*)$/;
/** `ParserTest.java`, `ParserTests.cs`, `ParserSpec.scala`, `ParserIT.java`, `TestParser.java`. */
const TEST_CLASS = /(?:(?:[a-z0-9](?:Tests?|TestCase|Spec)|[a-z0-9]IT)|^Test[A-Z][A-Za-z0-9]*)\.[a-z]+$/;

const DATA_ENDINGS = wordSet('json jsonl ndjson geojson csv tsv lock parquet po pot ftl srt vtt');

interface Parts {
  /** Folders and name, in lower case. */
  readonly folders: readonly string[];
  readonly name: string;
  /** The name as it is written: classes are told by their capitals. */
  readonly written: string;
  readonly ending: string;
}

function partsOf(path: string): Parts {
  const all = path
    .slice(-4096)
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const written = all.pop() ?? '';
  const name = written.toLowerCase();
  const dot = name.lastIndexOf('.');
  return {
    folders: all.map((part) => part.toLowerCase()),
    name,
    written,
    ending: dot > 0 ? name.slice(dot + 1) : '',
  };
}

/** Text and pictures for people, and files that only tools of the repository read. */
export function isDocument(path: string): boolean {
  return isDocumentBy(partsOf(path));
}

function isDocumentBy({ folders, name, ending }: Parts): boolean {
  const stem = ending === '' ? name : name.slice(0, -ending.length - 1);
  // A numbered copy: `notes.md.1`.
  if (/^\d{1,2}$/.test(ending)) return isDocument([...folders, stem].join('/'));
  const titled = DOCUMENT_NAMES.has(name) || (DOCUMENT_NAMES.has(stem) && DOCUMENT_ENDINGS.has(ending));
  if (titled) return true;
  if (!DOCUMENT_ENDINGS.has(ending) || NOT_A_DOCUMENT.test(name)) return false;
  return !folders.some((part) => TEST_DATA_PARTS.has(part) || READ_BY_TESTS.has(part));
}

export function isPipeline(path: string): boolean {
  return PIPELINE.test(path);
}

/** Told of files that git does not have, or of which nobody knows. */
export function isLeftBehind(path: string): boolean {
  const { folders, name, ending } = partsOf(path);
  if (folders.some((part) => TEST_DATA_PARTS.has(part))) return false;
  return LEFT_NAME.test(name) || (!CODE_ENDINGS.has(ending) && folders.some((part) => LEFT_PARTS.has(part)));
}

export function isCache(path: string): boolean {
  return isCacheBy(partsOf(path));
}

function isCacheBy({ folders, name }: Parts): boolean {
  return CACHE_PARTS.has(name) || CACHE_NAME.test(name) || folders.some((part) => CACHE_PARTS.has(part));
}

export function isGenerated(path: string): boolean {
  return isOutput(partsOf(path), true);
}

function isOutput({ folders, name }: Parts, loosely: boolean): boolean {
  if (OUTPUT_NAME.test(name)) return true;
  for (const part of folders) {
    if (OUTPUT_PARTS.has(part) || part.endsWith('.egg-info')) return true;
    if (loosely && LOOSE_OUTPUT_PARTS.has(part)) return true;
    if (SOURCE_PARTS.has(part)) return false;
  }
  return false;
}

/** Everything whose change makes an earlier pass worthless: all but documents, pipelines, caches and build output. */
export function isCode(path: string): boolean {
  return isCodeBut(path, true);
}

/** Of a file that git has: what is kept in `build/` or `dist/` is source. */
export function isTrackedCode(path: string): boolean {
  return isCodeBut(path, false);
}

function isCodeBut(path: string, loosely: boolean): boolean {
  if (path === '' || isPipeline(path)) return false;
  const parts = partsOf(path);
  return !isDocumentBy(parts) && !isCacheBy(parts) && !isOutput(parts, loosely);
}

/** Data without comments, which no check of ours could judge: the change is all there is to see. */
export function isData(path: string): boolean {
  if (/(?:^|\/)(?:openapi|asyncapi|swagger)[^/]*\.ya?ml$/i.test(path)) return true;
  return (
    DATA_ENDINGS.has(partsOf(path).ending) && !isTestConfig(path) && !/(?:^|[/.])[jt]sconfig/i.test(path)
  );
}

const MANIFEST =
  /^(?:package\.json|composer\.json|cargo\.toml|pyproject\.toml|requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|pipfile|gemfile|go\.(?:mod|sum|work)|pubspec\.yaml|podfile|mix\.exs|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|bun\.lockb?|.{0,40}\.lock|podfile\.lock|package\.resolved|[\w.-]{1,60}\.csproj|directory\.packages\.props|packages\.lock\.json)$/;

/** It says which packages are needed, or which were chosen. */
export function isManifest(path: string): boolean {
  return MANIFEST.test(partsOf(path).name);
}

/** A file of tests, or code that tests are made of; not their data. */
export function isTestFile(path: string): boolean {
  const { folders, name, written, ending } = partsOf(path);
  if (name.endsWith('.snap')) return true;
  if (!CODE_ENDINGS.has(ending)) return false;
  if (TEST_NAME.test(name) || TEST_CLASS.test(written)) return true;
  return folders.some((part) => TEST_PARTS.has(part)) && !folders.some((part) => TEST_DATA_PARTS.has(part));
}

/** A file that says which tests run and how, scripts included. */
export function isTestConfig(path: string): boolean {
  return isConfigName(partsOf(path).name);
}

/** Declares what something else reads: style sheets, pages, manifests. */
function isDeclarative(path: string): boolean {
  return /\.(?:css|scss|sass|less|html?|svg|ya?ml|toml|ini|conf|cfg|properties|env|tf|tfvars|hcl|nix|kdl|plist|service|desktop|xml)$|(?:^|\/)(?:Dockerfile|Containerfile|\.[\w-]+(?:ignore|rc|config))[^/]*$/i.test(
    path,
  );
}

/** At home and in no project: `~/notes`, `/home/ann/.config/app/x`, and on Windows `AppData`. */
export function isPersonal(path: string): boolean {
  return /^(?:~\/|\/(?:home|Users)\/[^/]+\/\.|\/root\/\.|[a-z]:\/(?:.*\/)?appdata\/)/i.test(path);
}

/** Tests seldom read it: documents, data, what only declares, and settings of the user's that hold no code. */
export function isPlain(path: string): boolean {
  const isSetting = isPersonal(path) && !CODE_ENDINGS.has(partsOf(path).ending);
  return isSetting || isDeclarative(path) || isDocument(path) || isData(path);
}
