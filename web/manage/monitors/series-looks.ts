/** How the lines of a chart differ: by colour, and by dashes for who sees no difference in colours. */
export interface Look {
  stroke: string;
  dash: number[];
}

/** Of middle lightness: they keep 3:1 on light and on dark. */
const STROKES = ['#2a7de1', '#c2570c', '#168a52', '#a855c8', '#d6336c', '#0e8f9f'];
const DASHES = [[], [6, 3], [2, 2], [10, 3, 2, 3]];

/** Of the `index`th region. */
export function lookOf(index: number): Look {
  return { stroke: STROKES[index % STROKES.length] ?? '', dash: DASHES[index % DASHES.length] ?? [] };
}
