/** A verb of a fake admin: it notes its name and what it was given in `asked`, and gives the answer. */
export const noting =
  (asked: unknown[]) =>
  <Answer>(name: string, answer: Answer) =>
  async (...given: readonly unknown[]): Promise<Answer> => {
    asked.push([name, ...given]);
    return Promise.resolve(answer);
  };
