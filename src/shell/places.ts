// Paths of a command, written from the workspace. They are names: nothing is looked up, and no link is followed.

/** Absolute and without `.` and `..`; null where the path can't be known, or does not say where it begins. */
export function resolvePath(path: string, cwd: string | null): string | null {
  if (/[$`]/.test(path) || path.startsWith('~')) return null;
  const whole = /^(?:\/|[A-Za-z]:[\\/])/.test(path) ? path : cwd === null ? null : `${cwd}/${path}`;
  if (whole === null) return null;
  const drive = /^[A-Za-z]:[\\/]/.test(whole) ? whole.slice(0, 2).toLowerCase() : '';
  const text = drive === '' ? whole : whole.slice(2).replaceAll('\\', '/');
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${drive}/${parts.join('/')}`;
}

/** From the workspace: '' is its root; null where it lies outside, or is not known. */
export function inWorkspace(path: string | null, root: string | null): string | null {
  if (path === null || root === null) return null;
  const base = resolvePath(root, null);
  if (base === null) return null;
  if (path === base) return '';
  const prefix = base.endsWith('/') ? base : `${base}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : null;
}

/** A target as it is stored: from the workspace where it lies in it, else as it was written. '' is everything. */
export function targetPath(path: string, cwd: string | null, root: string | null): string {
  const clean = path.replace(/(?:\/\.\.\.|\/)$/, '');
  if (cwd === null && !path.startsWith('/')) return relative(clean);
  const whole = resolvePath(clean === '' ? '/' : clean, cwd);
  if (whole === null) return clean;
  return inWorkspace(whole, root) ?? (root === null ? relative(clean) : whole);
}

function relative(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) if (part !== '.' && part !== '') parts.push(part);
  return `${path.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}
