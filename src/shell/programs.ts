// Programs by their names: those that only look, those that put files in order, and all the others, which may do what a
// claim speaks of. Names say nothing of what really runs; that a name stands for another program is found elsewhere.

/** Programs that only look, or only act on the shell itself. */
export const HARMLESS =
  ' : true false echo printf cat ls pwd cd pushd popd dirs grep egrep fgrep rg ag ack find fd head tail less more bat wc sort uniq cut tr awk gawk nl tac rev column diff cmp comm file stat du df tree which whereis type command hash alias unalias date sleep env printenv export set unset local declare typeset readonly shift test [ [[ exit return break continue trap wait jobs kill ps top pgrep lsof netstat ss uname id whoami hostname history man help jq yq xxd od hexdump strings md5sum sha1sum sha256sum shasum base64 basename dirname realpath readlink seq yes expr bc ulimit umask shopt getconf locale tty stty tput clear open xdg-open read mapfile let eval times host dig nslookup ping traceroute nc telnet lynx w3m links curl wget http https xh gh glab java javac_ sed zcat bzcat xzcat zstdcat lz4cat batcat ccat mdcat glow cowsay cowthink figlet toilet boxes lolcat gum banner pv ul expand unexpand numfmt logger notify-send say zenity dialog whiptail m4 cpp fmt look dc units jot base32 uudecode stern kail kubetail logcli lnav multitail ccze hexyl vd mlr xsv qsv csvlook pygmentize highlight most ov moar delta difft pass gopass xclip xsel pbpaste wl-paste redis-cli etcdctl consul ';

/** Programs that put files and packages in order. That they ended well says nothing of the work. */
const CLERKS =
  ' mkdir rmdir cp mv rm touch chmod chown chgrp ln install tee dd tar gzip gunzip zip unzip bzip2 xz zstd patch ed ex vi vim nvim nano emacs code truncate split mktemp mount umount sudo su doas nohup setsid xargs parallel apt apt-get dpkg brew dnf yum apk pacman snap pip pip3 pipx gem conda mamba nvm fnm rbenv pyenv asdf volta corepack npm-check ncu degit git hg svn jj screen tmux script expect dos2unix iconv envsubst gpg openssl ssh-keygen ssh-add poetry pipenv uv uvx pdm rye hatch bundle bundler crontab systemctl service launchctl journalctl dmesg useradd usermod passwd cal fold pr paste join shuf tsort factor nice ionice chroot watch foil counterfoil claude codex gemini cursor copilot ';

/** A program by its bare name that is neither: what it does may be what a claim speaks of. */
export function mayBeProgram(name: string): boolean {
  return (
    /^[A-Za-z][\w.+-]{1,63}$/.test(name) && !HARMLESS.includes(` ${name} `) && !CLERKS.includes(` ${name} `)
  );
}

/** The program a path names: `/usr/bin/python3.12` is python3.12, `tsc.cmd` is tsc. */
export function programName(word: string): string {
  const base = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return base.replace(/\.(?:exe|cmd|bat|ps1)$/i, '').replace(/@[\w.^~-]+$/, '');
}

/** A program by its name, and the words that it is given. */
export function programOf([first = '', ...args]: readonly string[]): { name: string; args: string[] } {
  return { name: programName(first), args };
}

const WORDS =
  /^(?:node|npm|git|docker|make|task|build|test|migrate|green|standard|lab|tap|http|https|robot|go|next|fly|cap|az|op|type|time|ni|nr|ty|ng|xo|eb|oc|doit|just|invoke|cross|cc|stack|dart|swift|php|ruby|java|lua|perl|bun|yarn|typos|flask|doctest|flow|parcel|vale|moon|rush|buf|pint|steep|pants|mill|ant|behave|tape|babel|prove)$/;

/** The name of a program that is a word as well, or runs anything: who writes it need not mean a check. */
export function isWord(name: string): boolean {
  return WORDS.test(name);
}
