/** A generated part of a hand-written page, between two comments that name it. */
export interface Section {
  readonly page: string;
  readonly name: string;
  readonly text: string;
}

/** The page with the text between the two comments of that name. Throws if the page has no such comments. */
export function withSection({ page, name, text }: Section): string {
  const begin = `<!-- ${name}: npm run docs writes what is between these two lines -->`;
  const end = `<!-- /${name} -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no section between "${begin}" and "${end}".`);
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`;
}
