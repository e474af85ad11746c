/** The texts of a page, without its markup. */
export function words(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&amp;', '&');
}
