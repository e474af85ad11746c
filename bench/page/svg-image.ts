/** A picture with its own background, so that it is readable on light and on dark pages. */
export interface Picture {
  readonly title: string;
  /** The text alternative of the picture. */
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly marks: readonly string[];
}

const STYLE = `
  .back { fill: #ffffff } .ink { fill: #1f2328 } .quiet { fill: #59636e } .grid { stroke: #d1d9e0 } .one { stroke: #59636e }
  .ours { fill: #0969da; stroke: #0969da } .baseline { fill: #8c959f; stroke: #8c959f } .third { fill: #bf8700; stroke: #bf8700 }
  .met { fill: #1a7f37; stroke: #1a7f37 } .missed { fill: #d1242f; stroke: #d1242f } .aim { stroke: #9a6700 }
  text { font: 13px system-ui, sans-serif; stroke: none } .head { font-weight: 600; font-size: 15px } .small { font-size: 12px }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } .ink { fill: #e6edf3 } .quiet { fill: #9198a1 } .grid { stroke: #3d444d } .one { stroke: #9198a1 }
    .ours { fill: #4493f8; stroke: #4493f8 } .baseline { fill: #7d8590; stroke: #7d8590 } .third { fill: #d29922; stroke: #d29922 }
    .met { fill: #3fb950; stroke: #3fb950 } .missed { fill: #f85149; stroke: #f85149 } .aim { stroke: #d29922 }
  }`;

/** The picture as a file. The same picture gives the same text. */
export function svgImage({ title, description, width, height, marks }: Picture): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="back" width="${width}" height="${height}"/>`,
    ...marks,
    '</svg>',
    '',
  ].join('\n');
}

/** Text at a place; `class` is one or more of the styles. */
export function label(x: number, y: number, { text, style = 'ink', end = false }: { text: string; style?: string; end?: boolean }): string {
  return `<text class="${style}" x="${fixed(x)}" y="${fixed(y)}"${end ? ' text-anchor="end"' : ''}>${escaped(text)}</text>`;
}

/** A line between two places. */
export function line(style: string, [x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number], width = 1): string {
  return `<line class="${style}" x1="${fixed(x1)}" y1="${fixed(y1)}" x2="${fixed(x2)}" y2="${fixed(y2)}" stroke-width="${width}"/>`;
}

/** A filled box. */
export function box(style: string, x: number, y: number, [width, height]: readonly [number, number]): string {
  return `<rect class="${style}" stroke="none" x="${fixed(x)}" y="${fixed(y)}" width="${fixed(width)}" height="${fixed(height)}" rx="2"/>`;
}

/** A dot. */
export function dot(style: string, x: number, y: number): string {
  return `<circle class="${style}" cx="${fixed(x)}" cy="${fixed(y)}" r="5"/>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const fixed = (value: number): string => value.toFixed(1).replace(/\.0$/, '');
