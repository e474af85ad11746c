/** A text of several words, such as an error or a documentation table. Unit tests do not check wording. */
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
