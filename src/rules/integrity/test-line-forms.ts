// Forms of lines in test files, whatever the language: lines that do nothing, assertions that always hold or that nobody
// hears fail, blocks that are never come to.

/** Lines that do nothing: brackets, what a language wants to be there, and what is loaded outside of all tests. */
export const NOTHING =
  /^\s*(?:\W*|pass|\.\.\.|end|return(?: (?:true|True|None|null|undefined|\d+))?;?|done\(\);?)$|^(?:import|from|package|using|use)\b|^(?:const|var|let)\b.*\b(?:require|import)\(|^['"]use strict|^\s*(?:console\.\w+|print(?:ln!?)?|t\.Logf?|fmt\.Print\w*)\([^()]*\);?$/;
/** A call of anything with a title and a function in which nothing follows: what may well declare a test. */
export const HOLLOW =
  /^\s*(?:\(?(?:await )?(?:require|import)\(["'`] *["'`]\)+)?[\w$.]*\((?:["'`] *["'`], ?)?(?:async ?)?(?:function\b ?\w*\(\w*\)|(?:\(\w*\)|\w+) ?=>) ?\{[\s})\];]*$/;
/** A test on one line, with something in it. */
export const DOES =
  /(?:=>\s*\{?|\{)\s*(?!(?:true|undefined|null|done\(\))\s*\))[\w(<[]|\)\s*(?:->[^:]*)?:\s*(?!pass\b)\w/;
/** It holds whatever was tested, is never come to, or is meant to fail: `x or True`, `equal(1, 1)`, `if (false) …`. */
export const ALWAYS: readonly RegExp[] = [
  /\bor\s+(?:True|1)\b|\|\|\s*(?:true|1)\b|\bfalse\s*&&/,
  /\b(?:assert|expect|EXPECT|require)[\w.!]*\(\s*(?:t,\s*)?(\d+|[tT]rue|["'`] *["'`])\s*,\s*\1\s*[,)]/,
  /^\s*assert\s*\(.*,\s*["'] *["']\s*\)\s*$/,
  /^\s*(?:if|while)\s*\(?(?:false|False|0|null|None)\b\)?\s*(?:[\w{:]|$)/,
  /(?:\bthrows|\bexpect)\(\s*(?:async\s*)?\(\)\s*=>\s*\{?\s*(?:assert|expect)\b/,
];
/** What is compared with itself. */
export const ITSELF =
  /^expect\(([\w$.[\]]+)\)\.to\w+\(\1\);?$|^(?:self\.)?assert[\w.]*[eE]qual\w*\((?:t, ?)?([\w$.[\]]+), ?\2[,)]|^assert ([\w.[\]]+) (?:==|is) \3$/;
/** A call and the same call: it may well give something else, where a test is of that. */
const CALLED_TWICE =
  /^expect\((.+\))\)\.to(?:Be|Equal|StrictEqual|Match)\(\1\);?$|^(?:self\.)?assert[\w.]*[eE]qual\w*\((?:t, ?)?(.+\)), ?\2\);?$|^assert (.+\)) == \3$|^if (?:(\w+) := (.+\)); \4 != \5|(\w.*\)) != \6) \{$/;
const OF_SAME =
  /same|determin|stab|idempot|cach|memo|equal|pure|consist|repeat|twice|again|ident|singleton|reproduc|seed|hash|once|symmetr|commut/i;
/** On a line, or by the `if` on the line before; `test` is the name of the test. */
export function isCalledTwice(line: string, before: string, test: string | null): boolean {
  const isIt = CALLED_TWICE.test(line) || (before.startsWith('if ') && CALLED_TWICE.test(before));
  return isIt && !OF_SAME.test(`${test} ${line}`);
}
/** The test has ended by the time it fails; unless the line before says that somebody waits. */
export const UNAWAITED =
  /^(?:expect\(.*\)\.(?:rejects|resolves)\b|assert\.(?:rejects|doesNotReject)\()(?!.*(?:\.then\(|,$))/;
export const IS_AWAITED = /(?:=>|[([,=]|\bawait|\breturn)\s*$/;
/** A statement that ends here; what may stand behind it all the same, or goes on with it. */
export const RETURNS = /^return\b(?!.*[([{,=&|?:+\\]$)/;
export const HOISTED = /^(?:async )?function\b|^[.?:&|+]/;
/** The rest of the test is left out always, or unless somebody wants it. */
export const LEAVES =
  /^if\b(?:.*(?:process\.env|import\.meta\.env|\bos\.(?:environ|[gG]etenv|LookupEnv)|System\.getenv|\benv::var|\bENV\[|\|\| *(?:true|1)\b|\bor (?:True|1)\b)| *\(?(?:true|True|1)\b).*?[):{\s]+return *(?:None|nil|undefined|true)? *[;}]* *$/;
/** A case of a table is passed over by its name, or all but some are. */
export const PASSES_OVER =
  /^if\b[ (]*(?:\w+\.)?(?:name|title|desc(?:ription)?|label|id|case) ?(?:===?| in ) ?["'`([].*[{:)] *(?:continue|return);?(?: *\})?$|^for\b.*\b(?:range|in|of) (?:\w+\.)?\w*(?:tests|tts?|cases|table|rows|examples|scenarios|params)(?:\[\d*:-?\d*\]|\.slice\()/i;
/** What is named here and nowhere else is never called. */
export const NAMED =
  /^(?:(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|\w+)\s*=>\s*\{?$|(?:async\s+)?(?:function|def)\s+(\w+)\()/;
/** What is compared, and only told: `if got != 0 { t.Logf(…) }`. */
export const ONLY_TOLD =
  /^( *)if\b.*[!=<>].*[{:]\n\1 +(?:console\.\w+|e?print(?:ln!)?|t\.Logf?|(?:fmt|log)\.Print\w*|logg(?:er|ing)\.\w+)\(.*\n(?!\1 )/;
/** Before a test that is declared by nothing. */
export const NOT_DECLARED =
  /(?:\b(?:false|null|undefined|0)\s*&&|\btrue\s*\|\||\bif\s*\((?:false|0|null)\))\s*$/;
/** Only where somebody wants it. */
export const WANTED = /^\s*if\s*\((?:process|import\.meta)\.env\b/;
/** In this block nobody hears of failures, or it is never come to, or only where somebody wants it. */
export const CATCHES =
  /^(?:try\b\s*[:{]?|begin)$|^if\s*\(?(?:process\.env|import\.meta\.env|os\.(?:environ|[gG]etenv))\b.*(?<!=> )[{:]$|^with\s+(?:(?:contextlib\.)?suppress|(?:\w+\.)?raises\(AssertionError)\b|^(?:if|while)\s*\(?(?:false|False|0|null|None)\b(?:\)?\s*[:{]$|\s*(?:&&|and\b))/;
/** Never come to either, whatever is tested: nothing is other than itself, and there is nothing in nothing. */
export const NEVER =
  /^if\s*\(?([\w.]+)\s*!==?\s*\1\)?\s*[:{]$|^for\b.*(?: (?:in|of) (?:\[\]|\(\)|\{\})[:)]| range \[\][\w.*]+\{\} \{)|^\[\]\.(?:forEach|map)\(|^(?:var )?_ :?= func\(.*\{$/;
export const LOOPS = /^for\b.* (?:in|of|range) ([A-Za-z_$][\w$]*)(?:\)| ?[:{])/;
/** A loop of which each round declares a test. */
export const LOOPED = /^\s*(?:for\b.*\bof\b.*\{|\](?: as const)?\) \{|.*\.forEach\(.*(?:=>|\)) \{)$/;
export const EMPTY =
  /^(?:(?:const|let|var) )?([\w$]+)(?:: ?[\w<>[\], ]+)? :?= (?:\[\]|list\(\)|\(\)|\[\][\w.*]+\{\}|new Array\(\));?$|^var (\w+) \[\]/;
/** A promise of which nobody hears how it ended, if what follows it says so. */
export const PROMISED = /\.then\((?:async )?(?:\(\w*\)|\w+) =>\s*\{?$/;
/** What follows is done about a failed assertion, too: one of another sort goes on to whoever runs the test. */
export const HANDLES =
  /^[})]*\.catch\((?:\(\w*\)|\w+) => (?:\{\s*\}|undefined|null)\)|^\}?\s*(?:except\s*(?::|\(?[\w., ]*\b(?:(?:Base)?Exception|AssertionError)\b)|catch\s*(?:\{|\(\s*(?:\w+(?:\s*:\s*(?:unknown|any))?|[^)]*\b(?:Throwable|(?:Assertion)?Error)\b[^)]*)\s*\))|rescue\s+[\w:, ]*\bException\b)/;
/** An error of one sort, of which nobody hears: the code may end with it instead of what is asserted. */
export const EXCEPTS = /^except\s+\(?[\w., ]+\)?(?:\s+as\s+\w+)?:$/;
export const SAYS_NOTHING = /^(?:pass|return(?: None)?|continue|\.\.\.)$/;
/** Outside of all tests: names that are loaded, or made here. */
export const LOADS =
  /^import\s+(.+)\sfrom\s|^from\s+\S+\s+import\s+(.+)|^(?:const|let|var)\s+(.+?)\s*=\s*(?:await\s+)?(?:require|import)\(/;
export const MAKES =
  /^(?:const|let|var|(?:async )?function|class|def)\s+([\w$]+)(?!.*\brequire\()|^([\w$]+)\s*=[^=>]/;
