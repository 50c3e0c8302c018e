// What a line changes on its way, and where its paths go. Files are looked up before the line runs, so a path that leads through
// what the line itself makes, moves or removes may lead elsewhere by then.
import { type FileView, hasLinks } from './files.ts';

const MOST_WAYS = 4096;

export class LineEffects {
  #acts = 0;
  #hasLink = false;
  #hasDash = false;
  #hasAnyName = false;
  #leadsBack = false;
  /** Folders that it removes or moves, and each step of its paths. */
  readonly #taken = new Set<string>();
  readonly #ways = new Set<string>();
  /** It makes a folder, so a target that isn't one now may be one by then. */
  makesFolder = false;

  /** A command does more than print something or change the folder. */
  acts(): void {
    this.#acts++;
  }

  /** From then on, a name leads elsewhere. */
  makesLink(): void {
    this.#hasLink = true;
  }

  /** From then on, a folder is gone, with the links that may be in it. */
  takesFolder(path: string): void {
    this.#taken.add(path);
  }

  /** It makes a name that a program may take for an option. */
  makesDash(): void {
    this.#hasDash = true;
  }

  /** A wildcard may match any name in the folder. */
  matchesAny(): void {
    this.#hasAnyName = true;
  }

  /** A path has `..` after a wildcard. */
  leadsBack(): void {
    this.#leadsBack = true;
  }

  /** A path goes this way, name by name. */
  passes(path: string, cwd: string): void {
    if (this.#ways.size > MOST_WAYS) return;
    let at = path.startsWith('/') ? '' : cwd;
    for (const name of path.split('/')) {
      if (name === '' || name === '.') continue;
      at = name === '..' ? at.slice(0, Math.max(0, at.lastIndexOf('/'))) : `${at}/${name}`;
      this.#ways.add(at);
    }
  }

  /** Why it isn't known where its paths lead; null if it is. `isAmbient`: a program of the line may make anything. */
  whyUnknown(
    { view, readsChoices }: { readonly view: FileView; readonly readsChoices?: boolean },
    isAmbient: boolean,
  ): string | null {
    const passesThrough = (folder: string): boolean =>
      [...this.#ways].some((way) => way.startsWith(`${folder}/`));
    const mayMakeAgain = readsChoices !== true && (this.makesFolder || isAmbient);
    if (mayMakeAgain && [...this.#taken].some((folder) => passesThrough(folder) && hasLinks(view, folder)))
      return 'it removes or moves a folder and uses paths through it, so where they lead is known only when it runs';
    if (this.#leadsBack && this.#acts > 1)
      return 'it has .. after a wildcard, which may match what the line makes';
    if (this.#hasDash && this.#hasAnyName)
      return 'it makes a name that begins with -, which its wildcards may match';
    if (this.#ways.size > MOST_WAYS) return 'it names too many files';
    if (this.#hasLink && this.#acts > 1)
      return 'it makes a link and goes on, so where its paths lead follows only when it runs';
    return null;
  }
}
