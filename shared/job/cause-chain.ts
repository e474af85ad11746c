/** The chain of `cause`s from the error itself inwards; ends after 16 links, so that a circular chain ends too. */
export function causeChain(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let link = error; link !== undefined && link !== null && chain.length < 16;) {
    chain.push(link);
    link = causeOf(link);
  }
  return chain;
}

function causeOf(link: unknown): unknown {
  try {
    return typeof link === 'object' && link !== null && 'cause' in link ? link.cause : undefined;
  } catch {
    // A getter of a foreign error threw: the chain ends here.
    return undefined;
  }
}
