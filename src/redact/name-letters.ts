// Whether a name could promise a secret, by its letters alone. It is asked at every `:` and `=`, and most names are
// nothing of the kind: those are told apart here without making a string or looking into a table. Says yes too often,
// never no to a name that has one of the stems of key-names.ts; a test holds the two together.

const bit = (letter: string): number => 1 << (letter.charCodeAt(0) & 31);
const all = (letters: string): number => [...letters].reduce((bits, letter) => bits | bit(letter), 0);

const K = bit('k');
const P = bit('p');
/** key, token, cookie; psk, backup; unlock. */
const WITH_K = [all('ke'), all('kp'), all('kun')];
/** pass, pat, phrase; pw; psw. */
const WITH_P = [all('pa'), all('pw'), all('ps')];
const OTHERS = ['auth', 'secrt', 'cred', 'jwt', 'bear', 'sid', 'recovy', 'senha', 'mneoic', 'contrase'].map(
  all,
);
const SESS = all('se');
const SEED = all('sed');

export function mayPromise(codes: Uint16Array, start: number, end: number): boolean {
  let letters = 0;
  let doubled = 0;
  let before = 0;
  for (let at = start; at < end; at++) {
    const code = codes[at] ?? 0;
    if (code < 65) continue;
    const own = 1 << (code & 31);
    if (own === before) doubled |= own;
    before = own;
    letters |= own;
  }
  if ((letters & K) !== 0 && hasAny(letters, WITH_K)) return true;
  if ((letters & P) !== 0 && hasAny(letters, WITH_P)) return true;
  if (doubled !== 0 && ((letters & SESS) === SESS || (letters & SEED) === SEED)) return true;
  return hasAny(letters, OTHERS);
}

function hasAny(letters: number, needs: readonly number[]): boolean {
  for (let i = 0; i < needs.length; i++) {
    const need = needs[i] ?? 0;
    if ((letters & need) === need) return true;
  }
  return false;
}
