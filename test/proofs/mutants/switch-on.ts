/** Preloaded into a process (`--import switch-on.ts?mutant=<name>`): puts that mutant into the source of its file as it is loaded. */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mutantNamed } from './all-mutants.ts';
import { fileOf, mutated } from './mutant.ts';

const mutant = mutantNamed(new URL(import.meta.url).searchParams.get('mutant') ?? '');
const file = fileOf(mutant);
const target = pathToFileURL(join(import.meta.dirname, '..', '..', '..', file)).href;
let loaded = false;

registerHooks({
  load(url, context, next) {
    const result = next(url, context);
    if (url !== target) return result;
    loaded = true;
    return { ...result, source: mutated(Buffer.from(result.source as Uint8Array).toString('utf8'), mutant) };
  },
});

process.on('exit', () => {
  if (loaded) return;
  process.stderr.write(`Mutant ${mutant.name}: nothing loaded ${file}.\n`);
  process.exitCode = 70;
});
