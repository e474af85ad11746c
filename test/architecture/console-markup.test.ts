import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromRoot, sourceFiles } from './source-files.ts';

/** Ways in which a browser makes markup or code of a text. */
const SINKS = [
  /\b(inner|outer)HTML\b/,
  /\binsertAdjacentHTML\b/,
  /\bdocument\.write/,
  /\bsetHTML/,
  /\bcreateContextualFragment\b/,
  /\bsrcdoc\b/,
  /\beval\s*\(/,
  /\bnew\s+Function\b/,
  /\bsetAttribute\(\s*['"`]on/,
  /\.on[a-z]+\s*=[^=]/,
  /\bjavascript:/i,
  /\bset(Timeout|Interval)\(\s*['"`]/,
];

/** Ways past the escaping of `html`, and what the page's policy would block anyway. */
const UNSAFE_MARKUP: readonly (readonly [what: RegExp, why: string])[] = [
  [/import[^;]*\braw\b[^;]*from 'hono/, 'raw() is not escaped'],
  [/\s[\w-]+=\$\{/, 'an attribute without quotes'],
  [/\sstyle="/, 'an inline style'],
  [/\son[a-z]+="/, 'an inline handler'],
  [/<script(?! src="\/assets\/)/, 'an inline script'],
  [/\s(href|src|action)="\$\{(?!to\b|path\b|jobs\b|href\b|\w+Href\b|withParameter\b|one\.href\b)/, 'an address that href() did not make'],
  [/dangerouslySetInnerHTML/, 'markup from a text'],
];

const assets = readdirSync(fromRoot('console/assets')).map((name) => ({
  name,
  text: readFileSync(fromRoot(`console/assets/${name}`), 'utf8'),
}));
const sources = sourceFiles().filter(({ path }) => path.startsWith('console/'));
const sinksIn = (text: string): readonly string[] => SINKS.filter((sink) => sink.test(text)).map(({ source }) => source);
const unsafeIn = (text: string): readonly string[] => UNSAFE_MARKUP.filter(([what]) => what.test(text)).map(([, why]) => why);

describe('what the console sends', () => {
  test('is found', () => {
    expect(assets.length).toBeGreaterThan(4);
    expect(sources.length).toBeGreaterThan(30);
  });

  test('makes no markup and no code of a text in the browser', () => {
    const found = assets.filter(({ name }) => name.endsWith('.js')).map(({ name, text }) => [name, sinksIn(text)]);
    expect(found.filter(([, sinks]) => sinks?.length !== 0)).toEqual([]);
  });

  test('is escaped markup without inline style, handler or script', () => {
    expect(sources.map(({ path, text }) => [path, unsafeIn(text)]).filter(([, why]) => why?.length !== 0)).toEqual([]);
  });

  test('loads nothing from elsewhere', () => {
    for (const { name, text } of assets)
      expect(text.replace('http://www.w3.org/2000/svg', ''), name).not.toMatch(/https?:|@import|url\(|\/\/[a-z]+\./);
  });

  test('would be caught at it', () => {
    expect(sinksIn('main.innerHTML = answer')).toHaveLength(1);
    expect(sinksIn('button.onclick = go')).toHaveLength(1);
    expect(sinksIn('if (a.only === b) eval("x")')).toHaveLength(1);
    expect(unsafeIn('html`<p title=${name}>`')).toHaveLength(1);
    expect(unsafeIn(`import { html, raw } from 'hono/html';`)).toHaveLength(1);
    expect(unsafeIn('html`<a href="${job.url}">`')).toHaveLength(1);
    expect(unsafeIn('html`<a href="${href([job.id])}" title="${name}">`')).toEqual([]);
  });
});
