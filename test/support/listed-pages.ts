import type { Admin, JobPage, ListOptions } from '../../operate/index.ts';

/** Every page of a list, which may take no more calls than a pass could need. */
export async function pagesOf(admin: Pick<Admin, 'list'>, options: ListOptions): Promise<readonly JobPage[]> {
  const all: JobPage[] = [];
  for (let after: string | undefined, calls = 0; calls === 0 || after !== undefined; calls++) {
    if (calls > 500) throw new Error('The list does not end.');
    const page = await admin.list({ ...options, ...(after === undefined ? {} : { after }) });
    all.push(page);
    after = page.next;
  }
  return all;
}

/** The ids of their jobs, in order. */
export const idsOf = (all: readonly JobPage[]): readonly string[] => all.flatMap((page) => page.jobs.map(({ id }) => id));
