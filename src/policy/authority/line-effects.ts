// What a line changes on its way, and where its paths go. Files are looked up before the line runs, so a path that leads through
// what the line itself makes, moves or removes may lead elsewhere by then.
import { above, type FileView, hasLinks, inside, turnsBack } from './files.ts';
import type { Need } from './need.ts';

const MOST_WAYS = 4096;

export class LineEffects {
  #acts = 0;
  #hasLink = false;
  #hasDash = false;
  #hasAnyName = false;
  /** Folders that it removes or moves, and each step of its paths. */
  readonly #taken = new Set<string>();
  readonly #ways = new Set<string>();
  /** Folders that it moves, and those that it may be in. */
  readonly #moved = new Set<string>();
  readonly #places = new Set<string>();
  #turnsBack = false;
  readonly #landings: Need[] = [];
  readonly #dashLandings: Need[] = [];
  #makesFolder = false;

  /** A command does more than print something or change the folder. */
  acts(): void {
    this.#acts++;
  }

  /** It makes a folder, so a target that isn't one now may be one by then. */
  makesFolder(): void {
    this.#makesFolder = true;
  }

  /** Needed if the target is a folder by then. */
  mayLandIn(need: Need): void {
    this.#landings.push(need);
  }

  /** The same for a target that is an option, unless the line makes a folder of that name. */
  mayLandInDash(need: Need): void {
    this.#dashLandings.push(need);
  }

  /** In whichever order its commands run: loops and functions don't keep to the text's. */
  landings(): readonly Need[] {
    if (!this.#makesFolder) return [];
    return this.#hasDash ? [...this.#landings, ...this.#dashLandings] : this.#landings;
  }

  /** From then on, a name leads elsewhere. */
  makesLink(): void {
    this.#hasLink = true;
  }

  /** From then on, a folder is gone, with the links that may be in it. */
  takesFolder(path: string): void {
    this.#taken.add(path);
  }

  /** From then on, a folder is elsewhere, and so is every shell in it. */
  moves(path: string): void {
    this.#moved.add(path);
  }

  /** A command may run in this folder. */
  runsIn(cwd: string): void {
    this.#places.add(cwd);
  }

  /** It makes a name that a program may take for an option. */
  makesDash(): void {
    this.#hasDash = true;
  }

  /** A wildcard may match any name in the folder. */
  matchesAny(): void {
    this.#hasAnyName = true;
  }

  /** A path goes this way, name by name: as it is written, and as its links lead. */
  passes(path: string, cwd: string, view: FileView): void {
    if (this.#ways.size > MOST_WAYS) return;
    if (turnsBack(path)) this.#turnsBack = true;
    let [named, led] = path.startsWith('/') ? ['/', '/'] : [cwd, view.real(cwd)];
    for (const name of path.split('/')) {
      if (name === '' || name === '.') continue;
      [named, led] = name === '..' ? [above(named), above(led)] : [inside(named, name), inside(led, name)];
      this.#ways.add(named);
      this.#ways.add(led);
      led = view.real(led);
    }
  }

  /** What it does besides printing and changing the folder is more than one thing, up to here. */
  goesOn(repeats: boolean): boolean {
    return this.#acts > (repeats ? 0 : 1);
  }

  /** Why it isn't known where its paths lead; null if it is. `isAmbient`: a program of the line may make anything. */
  whyUnknown(
    { view, readsChoices }: { readonly view: FileView; readonly readsChoices?: boolean },
    isAmbient: boolean,
    repeats: boolean,
  ): string | null {
    const goesOn = this.goesOn(repeats);
    const changesFolders = this.#makesFolder || this.#taken.size > 0 || this.#moved.size > 0;
    const holds = (folder: string): boolean =>
      [...this.#places].some((place) => `${view.real(place)}/`.startsWith(`${view.real(folder)}/`));
    if ([...this.#moved].some(holds)) return 'it moves the folder that it runs in';
    if (this.#turnsBack && goesOn && changesFolders)
      return 'it changes folders, and a path with .. behind a name may lead elsewhere by then';
    const ways = [...this.#ways];
    const passesThrough = (folder: string): boolean => ways.some((way) => way.startsWith(`${folder}/`));
    const mayMakeAgain = readsChoices !== true && (this.#makesFolder || isAmbient);
    if (mayMakeAgain && [...this.#taken].some((folder) => passesThrough(folder) && hasLinks(view, folder)))
      return 'it removes or moves a folder and uses paths through it, so where they lead is known only when it runs';
    if (this.#hasDash && this.#hasAnyName)
      return 'it makes a name that begins with -, which its wildcards may match';
    if (this.#ways.size > MOST_WAYS) return 'it names too many files';
    if (this.#hasLink && goesOn)
      return 'it makes or removes a link and goes on, so where its paths lead is known only when it runs';
    return null;
  }
}
