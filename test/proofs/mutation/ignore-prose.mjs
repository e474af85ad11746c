/** A text of several words: what an error or a table of the documentation says to a reader. Its wording is not what a unit test holds. */
const PROSE = /\w[^\w]* [^\w]*\w/;

const textOf = (node) =>
  node.type === 'StringLiteral' ? node.value : node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.raw).join('x') : '';

/** Stryker's plugins: leaves the wording of prose alone. */
export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'prose',
    value: { shouldIgnore: (path) => (PROSE.test(textOf(path.node)) ? 'The wording of a text is no behaviour.' : undefined) },
  },
];
