// Paths as transcripts have them, of any system: made relative to where the session worked. Nothing here is looked up.
import { isPersonal } from '../ecosystems/index.ts';

/** Relative to the root where it lies in it. */
export function pathWithin(given: string, place: string | null, home: string | null): string {
  const [path, cwd, root] = [slashed(given), place && slashed(place), home && slashed(home)];
  const isWhole = /^(?:\/|[a-z]:\/)/.test(path) || cwd === null || path === '';
  const whole = isWhole ? path : `${cwd}/${path}`;
  const folder = root === '/' || root === null ? '/' : `${root}/`;
  return root !== null && whole.startsWith(folder) ? whole.slice(folder.length) : whole;
}

/** `C:\\app\\a.ts`, and `/c/app/a.ts` of a shell on Windows, are `c:/app/a.ts`. */
function slashed(path: string): string {
  const drive = /^(?:([A-Za-z]):[\\/]|\/(?:mnt\/)?([a-z])\/)/.exec(path);
  if (drive?.[1] !== undefined) return `${drive[1].toLowerCase()}:/${path.slice(3).replaceAll('\\', '/')}`;
  return drive?.[2] === undefined ? path : `${drive[2]}:/${path.slice(drive[0].length)}`;
}

/** Where programs leave what nobody keeps. */
export function isTemporary(path: string): boolean {
  return (
    /^[a-z]:\/(?:.*\/)?(?:temp|tmp)\//i.test(path) ||
    /^\/(?:(?:private\/)?(?:tmp|var\/(?:tmp|folders|log|run|lib|cache))|dev|proc)\//.test(path)
  );
}

/** Outside of the workspace and of any project. */
export function isElsewhere(path: string): boolean {
  return isTemporary(path) || isPersonal(path);
}

/** Does neither lie in the other, and the first in some project? */
export function isApart(place: string | null, root: string | null): boolean {
  if (place === null || root === null) return false;
  const [one, other] = [`${slashed(place)}/`, `${slashed(root)}/`];
  return !one.startsWith(other) && !other.startsWith(one) && !isElsewhere(one);
}
