// docker, podman and kubectl: what their first words say that they do.
import type { CommandWords } from './authority/found-needs.ts';
import { type Started, startedBy } from './starters.ts';

export interface ContainerWork {
  /** What runs in a container; null where nothing is told to. */
  readonly started: Started | null;
  /** Words of its own: of these, folders are taken with all that is in them. */
  readonly taken: CommandWords;
  readonly hides: string | null;
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));
const DOCKER = set(
  'ps images logs inspect build pull push tag rm rmi stop start restart kill stats top version info network volume system port history login logout exec run cp compose buildx container image',
);
const COMPOSE = set(
  'up down ps logs build restart stop start pull push exec run rm top images kill create cp ls version',
);
const KUBECTL = set(
  'get describe logs top version explain api-resources api-versions cluster-info rollout scale wait auth label annotate port-forward apply delete create expose exec cp config',
);
const COMPOSE_VALUED = /^(?:-f|-p|--(?:file|project-name|profile|env-file|project-directory))$/;
const KUBECTL_VALUED = /^(?:-n|--(?:namespace|context|cluster))$/;
/** A file that is what somebody writes to it, or a result that goes elsewhere. */
const ELSEWHERE =
  /^(?:-|-f-|--file=-|-o|--output.*|--build-context.*|--entrypoint.*|\/dev\/.*|--kubeconfig.*)$/;
const KUBECTL_TELLS = /^(?:view|get-contexts|current-context|use-context)$/;
/** What it reads goes to what is started. */
const IS_FED = /^(?:-[a-zA-Z]*i[a-zA-Z]*|--(?:interactive|stdin))$/;
const NEVER = /^(?!)/;
const MOUNTS = /^(?:-v|--volume|--mount)$/;
const FROM_FILES = /^(?:-f|-k|--filename|--kustomize|--from-(?:file|env-file))$/;

/** Null where it is none of these. */
export function containerWork(name: string, words: CommandWords): ContainerWork | null {
  const isDocker = /^(?:docker|podman|nerdctl)$/.test(name);
  if (name === 'docker-compose') return containerWork('docker', ['compose', ...words]);
  if (!isDocker && name !== 'kubectl') return null;
  const [does, rest] = firstWord(words, isDocker ? NEVER : KUBECTL_VALUED);
  const program = isDocker ? 'docker' : name;
  if (does === null || !(isDocker ? DOCKER : KUBECTL).has(does)) return unknown(name, does);
  if (isDocker && /^(?:buildx|container|image)$/.test(does)) return containerWork(name, rest);
  if (does === 'config' && !KUBECTL_TELLS.test(rest[0] ?? ''))
    return unknown(`${name} config`, rest[0] ?? null);
  if (does !== 'compose') return work(`${program} ${does}`, does, rest);
  const [of, behind] = firstWord(rest, COMPOSE_VALUED);
  if (of === null || !COMPOSE.has(of)) return unknown(`${name} compose`, of);
  const before = rest.slice(0, rest.length - behind.length - 1);
  return work(`${program} compose ${of}`, of, behind, before);
}

function unknown(name: string, does: string | null): ContainerWork {
  return {
    started: null,
    taken: [],
    hides: `foil doesn't know the command ${name} ${does ?? ''}`.trimEnd(),
  };
}

function firstWord(words: CommandWords, valued: RegExp): [string | null, CommandWords] {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word !== null && valued.test(word)) at++;
    else if (word === null || !word.startsWith('-')) return [word, words.slice(at + 1)];
  }
  return [null, []];
}

function work(name: string, does: string, words: CommandWords, before: CommandWords = []): ContainerWork {
  const starts = /^(?:exec|run)$/.test(does);
  const started = starts ? startedBy(name, words) : name === 'kubectl create' ? startedLater(words) : null;
  const own = started === null ? words : words.slice(0, started.own);
  const other = [...before, ...own].find((word) => word !== null && ELSEWHERE.test(word));
  const isOutput = other === '-o' && name !== 'docker build';
  const hides =
    other != null && !isOutput && !isManifest(name, other)
      ? `with the word ${JSON.stringify(other.slice(0, 40))}, ${name} may do anything`
      : starts && started === null
        ? `it is unknown what ${name} starts`
        : started?.words.length === 0 && own.some((word) => word !== null && IS_FED.test(word))
          ? `${name} runs the code that it reads`
          : null;
  const taken =
    does === 'cp'
      ? own
      : valuesOf(own, /run$/.test(name) ? MOUNTS : /^kubectl/.test(name) ? FROM_FILES : NEVER);
  return { started, taken, hides };
}

/** `kubectl create job x --image=y -- npm test`. */
function startedLater(words: CommandWords): Started | null {
  const own = words.indexOf('--') + 1;
  return own === 0 ? null : { words: words.slice(own), own, isText: false, hides: null };
}

function valuesOf(words: CommandWords, option: RegExp): CommandWords {
  return words.flatMap((word, at) => {
    const [name = '', value] = word?.split(/=(.*)/s) ?? [];
    return !option.test(name) ? [] : [value ?? words[at + 1] ?? null];
  });
}

/** What a cluster is told about itself. */
const isManifest = (name: string, word: string): boolean =>
  /^kubectl (?:apply|create|delete|get)$/.test(name) && /^--output/.test(word);
