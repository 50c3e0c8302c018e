// Compilers, and what makes documents, firmware, images and code of other things.
import { testProgram } from '../test-programs.ts';
import { each, type Reader, readOptions, type Table, type Tool } from '../tool.ts';

/** Compilers: a file that is compiled is built. */
const compiler = (runner: string): Tool => ({
  kind: 'build',
  runner,
  values:
    '-o -I -L -l -D -x -std -isystem -include -MF -MT -arch -framework -target --edition --crate-type --out-dir --crate-name --emit -d -cp -classpath',
  dry: '-v -E -M -MM -dumpversion -dumpmachine --print',
});

const BUILDERS =
  'latexmk pdflatex xelatex lualatex tectonic typst pandoc hugo jekyll sphinx-build mkdocs asciidoctor quarto protoc thrift flatc openapi-generator openapi-generator-cli swagger-codegen sqlc packer nix-build xmake scons b2 west idf.py arduino-cli pio electron-builder expo emcc solc';

/** `pio test`, `west test`: some of them run tests, too. */
const builder =
  (name: string): Reader =>
  (args) =>
    args.includes('test') ? testProgram(name, args) : readOptions(compiler(name), args);

export const programs = (): Table => ({
  ...each('rustc gcc g++ cc c++ clang clang++ ghc nvcc ocamlfind', compiler),
  ...each(BUILDERS, builder),
});
