// A cheap first look at what is said: may it tell of an act that named-acts.ts knows? What a message tells is read only then.

const WORDS =
  /search|\bran \b|executed|\b(?:un(?:changed|modified|touched)|original|without)\b|\.[a-z]{2,4}[`*]*(?:[,:;]| (?:and|now|also|is|has|says|[a-z]{2,9}s)\b|\W*$)|^\s*(?:[-*+•]|\d{1,2}[.)]) .{0,60}\d|grepp|\b(?:all|every|each) (?:\w+ ){0,3}(?:call|usages?|uses|occurr|ref|places|files|module|import)|re-?run|retry|second|\breadme|\bdocs\b|documentation|\bno (?:\w+ )?(?:occurrences|references|usages|call sites|mentions)|browser|chrom(?:e|ium)|firefox|safari|screen(?:shot|cast|rec)|visual|clicked|opened the|simulator|emulator|dev ?tools|\brace|bench|hyperfine|autocannon|\bk6\b|\bwrk\b|\/op\b|\/s(?:ec)?\b|coverage|\bStmts\b|-cov\b|\bc8\b|\bnyc\b|e2e|end-to-end|program|script|snippet|repro|one-liner|harness|curl|HTTP\/|request|endpoint|route|running|\blive\b|server|\bapp(?:lication)?\b|service|daemon|stack|back-?end|front-?end|container|install|not found|\b(?:tried|attempted) (?:to|\w+ing)\b|https?:\/\/|online|official|upstream|the web|the page|mdn|fetched|downloaded|database|\bdb\b|psql|sqlite|mysql|query|explain|by hand|manual|interactive|\brepl\b|console|profil|tracemalloc|pprof|flame|heap|valgrind|strace|memory|latency|throughput|faster|speed-?up|quicker|\bbefore\b|\bfrom [^a-z]{0,8}\d|times\b|\dx\b|→|->|instead of|rather than|down from|reduction|as fast|on github|changelog|wiki|docker|image|device|phone|\bfile\b|migration|sample|dataset|export|dump|shell|>>>|mutmut|stryker|linkchecker|lychee|semgrep|bandit|trivy|snyk|audit|terraform|available|measure|timing|\bruns\b|iterations|load[- ]test|stress|lint|staticcheck|mypy|pyright|flake8|ruff|doctest|clippy|shellcheck|rubocop|phpstan|(?:ran|executed|with|using|via|running|under|through|by)(?: an?(?: [a-z-]+){1,2})? `|\bran (?:it|this|that|them|both)\b|(?:output|results?) (?:of|from) `|\balready\b|pre-?exist|unrelated|nothing to do|(?:not|n['’]t) (?:caused|introduced|related)|upload|deployed|rolled out|issue|ticket|posted|\bsent\b|mailed|messaged|texted|backed up|copied|saved|changes|changed|modified|publish|pypi|\bnpm\b|registry|, so |`[^`]+` (?:\w+ )?(?:finds?|found|returns?|returned|shows?|showed|lists?|prints?|gives?|turn|come|came)|committed|tree is|checked out|stashed|\brows\b|records|\b(?:fail|abort|crash|kill|reject|refus|hung|hang|die|error|time[sd] out)|\bcannot\b|\bcould(?: not|n['’]t)\b|\bcan['’]t\b|unable to|^\s*[$❯] /im;

export function mayTellAct(text: string): boolean {
  return WORDS.test(text);
}

/** "Merged the branch", "Rebase completed successfully": `git rebase` told as ended. */
export const BY_GIT =
  /\b(?:(merge|rebase)d|(cherry-pick|revert|pull)ed|(merge|rebase|cherry-pick|revert|pull) (?:(?:is|was|has|now|been) ){0,3}(?:complete|success|finish|done))/i;

/** It begins with what was done, and not with what was left: "Uncommitted changes". */
export const MADE =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:just |now |also )?(?!un(?:committed|used|tracked|staged|merged|pushed|resolved|handled|tested|changed|finished|related|defined|limited|signed)\b)(?:[a-z]{2,}ed|wrote|written|made|built|split|put|cut|rewrote)\b/i;

/** It begins with reading or research, and reports nothing else. */
export const RESEARCHED =
  /^(?:(?:i|we)(?:['’]ve| have)? )?(?:just |now |also |thoroughly |carefully )?(?:(?:completed|finished|performed|conducted) (?:the|an?|my|your) (?:[\w-]+ )?(?:audit|review|analysis|investigation|research|survey)|researched|digested|read|reviewed|analy[sz]ed|studied|explored|examined|investigated|understood|looked (?:at|into|through|up))\b(?!.*\b(?:fix\w*|chang\w+|add(?:ed)?|updat\w+|remov\w+|renam\w+|rewr\w+|implement\w*|creat\w+)\b)/i;
