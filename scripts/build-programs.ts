/**
 * Compiles the programs of `programs.ts` to `build/programs/`: all their modules, parsed, in one file each. They read what is
 * no module where the sources do. With `--if-stale` only if the folder is missing or older than its sources.
 */
import { dirname, join, relative } from 'node:path';
import type { BunPlugin } from 'bun';
import { buildFolder } from './build-folder.ts';
import { BEFORE, PROGRAMS, type Program, pathOf, programs } from './programs.ts';

/** Where the modules of a program are, which are all below `src`. */
const MODULES = 'file:///$bunfs/root/';

const before = (name: Program): string =>
  BEFORE[name] === undefined ? '' : `import ${JSON.stringify(pathOf(BEFORE[name]))};\n`;

/** A compiled module has no folder: this one has that of its source. It finds the programs of its threads beside it. */
const placesIn = (name: Program): BunPlugin => ({
  name: 'places',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => ({
      contents: `${path === pathOf(PROGRAMS[name][0]) ? before(name) : ''}${await Bun.file(path).text()}`
        .replaceAll('import.meta.dir', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(MODULES + relative(pathOf('src'), path))),
      loader: 'ts',
    }));
  },
});

const compile = (name: Program, folder: string) =>
  Bun.build({
    entrypoints: PROGRAMS[name].map(pathOf),
    compile: { outfile: join(folder, name) },
    format: 'esm',
    bytecode: true,
    plugins: [placesIn(name)],
  });

const names = Object.keys(PROGRAMS) as Program[];
await buildFolder(programs(), folder => Promise.all(names.map(each => compile(each, folder))));
