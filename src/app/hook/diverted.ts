// Hosts send hooks over HTTP through a proxy where their environment names one, and a file of the repository can name
// one. A stranger's proxy could then answer in the place of our service, and nothing would be recorded. The hooks that
// are commands see the same environment, so they can tell.
type Environment = Readonly<Record<string, string | undefined>>;

const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
const EXCEPT = ['NO_PROXY', 'no_proxy'];

/** What a person must know; null where hooks reach 127.0.0.1 directly. */
export function divertedBy(env: Environment): string | null {
  const name = PROXIES.find((each) => env[each]);
  if (name === undefined) return null;
  // Hosts differ in which of the two they prefer, so both must say it where both are there.
  const lists = EXCEPT.flatMap((each) => env[each] ?? []);
  const isDirect = (list: string): boolean =>
    list.split(/[\s,]+/).some((each) => each === '127.0.0.1' || each === '*');
  if (lists.length > 0 && lists.every(isDirect)) return null;
  return `${name} is set here, and NO_PROXY doesn't list 127.0.0.1, so this agent sends its hooks to a proxy instead of Counterfoil's service`;
}
