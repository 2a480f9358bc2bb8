/** Colour of buttons where a store has chosen none. */
export const DEFAULT_COLOUR = '#1f2937';

const LIGHT = '#ffffff';
const DARK = '#000000';

/** Relative luminance of `#rrggbb` (WCAG 2). */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** The colour of text that can be read on `colour`: at least 4.5 to 1 on any. */
export function textOn(colour: string): string {
  return contrastOf(colour, LIGHT) >= contrastOf(colour, DARK) ? LIGHT : DARK;
}
