// Modules that come with Python (`sys.stdlib_module_names`): some pack folders, serve them, or run a text. A module of
// another name is one of the project or of its packages.

const STANDARD: ReadonlySet<string> = new Set(
  [
    'abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect',
    'builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall',
    'concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm',
    'decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp',
    'fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip',
    'hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword',
    'lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt',
    'multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib',
    'pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd',
    'py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy',
    'sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd',
    'sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau',
    'symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit',
    'tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata',
    'unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp',
    'zipfile zipimport zlib zoneinfo',
  ].flatMap((names) => names.split(' ')),
);
/** Of these, what does only what its words say, or runs tests of the project. */
const PLAIN =
  /^(?:unittest|venv|ensurepip|compileall|py_compile|site|sysconfig|platform|this|calendar|doctest|json\.tool|tabnanny|tokenize|ast|dis)$/;
/** Well-known packages that run a text, or do what curl does. */
const RUNS_TEXTS =
  /^(?:IPython|ptpython|bpython|xonsh|httpie|ansible|fire|jupyter|jupyter_console|fabric|invoke|zx|plumbum|sh|pyflyby)(?:\.|$)/;

/** `name` is null where it follows only when the line runs. */
export function isOwnModule(name: string | null): boolean {
  if (name === null || RUNS_TEXTS.test(name)) return false;
  return PLAIN.test(name) || !STANDARD.has(name.split('.')[0] ?? '');
}
